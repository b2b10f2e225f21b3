#include "lib/history/foreign/form_reader.h"

#include <algorithm>
#include <string_view>

#include "lib/history/foreign/csv_forms.h"
#include "lib/history/foreign/edn.h"
#include "lib/history/foreign/jepsen_log.h"
#include "lib/history/foreign/json_lines.h"

namespace doublehold {
namespace {

constexpr size_t kLooksAt = 4096;  // bytes inspected if the file name does not determine the format

bool HasJepsenOperation(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (FindJepsenOperation(line)) return true;
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return false;
}

}  // namespace

std::string_view Name(LogFormat format) {
  switch (format) {
    case LogFormat::kEdn:
      return "edn";
    case LogFormat::kJsonLines:
      return "jsonl";
    case LogFormat::kJepsenLog:
      return "jepsen-log";
    case LogFormat::kJsonArray:
      return "json";
    case LogFormat::kCsv:
      return "csv";
  }
  return "";
}

LogFormat FormatOf(TextSource& source) {
  const std::string_view name = source.name();
  if (name.ends_with(".edn")) return LogFormat::kEdn;
  if (name.ends_with(".jsonl")) return LogFormat::kJsonLines;
  if (name.ends_with(".csv")) return LogFormat::kCsv;
  while (source.window().size() < kLooksAt && !source.at_end()) source.More();
  const std::string_view text = source.window();
  if (HasJepsenOperation(text)) return LogFormat::kJepsenLog;
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return LogFormat::kJsonLines;
  const size_t element = text.find_first_not_of(" \t\r\n", first + 1);
  const size_t inside =
      element == std::string_view::npos ? element : text.find_first_not_of(" \t\r\n", element + 1);
  if (text[first] == '[' && inside != std::string_view::npos && text[element] == '{' &&
      (text[inside] == '"' || text[inside] == '}'))
    return LogFormat::kJsonArray;
  if (text[first] == '[' && name.ends_with(".json")) return LogFormat::kJsonArray;
  if (text[first] != '{') {
    const bool begins_edn = std::string_view("[(;#^").find(text[first]) != std::string_view::npos;
    if (begins_edn) return LogFormat::kEdn;
    const std::string_view line = text.substr(first, text.find('\n', first) - first);
    return line.find(',') != std::string_view::npos ? LogFormat::kCsv : LogFormat::kJsonLines;
  }
  const size_t second = text.find_first_not_of(" \t\r\n", first + 1);
  const bool begins_json =
      second == std::string_view::npos || text[second] == '"' || text[second] == '}';
  return begins_json ? LogFormat::kJsonLines : LogFormat::kEdn;
}

std::unique_ptr<FormReader> MakeFormReader(LogFormat format, TextSource& source) {
  switch (format) {
    case LogFormat::kEdn:
      return MakeEdnReader(source);
    case LogFormat::kJsonLines:
      return MakeJsonLinesReader(source);
    case LogFormat::kJepsenLog:
      return MakeJepsenLogReader(source);
    case LogFormat::kJsonArray:
      return MakeJsonArrayReader(source);
    case LogFormat::kCsv:
      return MakeCsvReader(source);
  }
  return nullptr;
}

}  // namespace doublehold
