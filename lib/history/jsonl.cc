#include "lib/history/jsonl.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "lib/base/words.h"
#include "lib/history/event_line.h"
#include "lib/history/event_reader.h"
#include "lib/history/facts_json.h"
#include "lib/history/lines.h"

namespace doublehold {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr size_t kLongestLine = size_t{16} << 20;  // holds a start line with 65,535 keys

// Returns why the line is refused, or nothing if it is accepted.
std::optional<std::string> TakeLine(EventReader& reader, const Lines& lines) {
  const std::string_view line = lines.line();
  if (reader.TakeOurs(line)) return std::nullopt;
  const json parsed = json::parse(line.begin(), line.end(), nullptr, /*allow_exceptions=*/false);
  std::optional<std::string> refused = reader.Take(parsed);
  if (refused && parsed.is_discarded() && !lines.ended()) *refused += "; the file is cut off here";
  return refused;
}

}  // namespace

void WriteJsonl(const History& history, std::ostream& out) {
  ordered_json value = FactsToJson(history.facts);
  value["events"] = history.events.size();
  const ordered_json start{{"index", 0},     {"time", 0},    {"process", "supervisor"},
                           {"type", "info"}, {"f", "start"}, {"value", std::move(value)}};
  out << start.dump(-1, ' ', false, json::error_handler_t::replace) << '\n';

  const EventLines form(history.facts.keys);
  fmt::memory_buffer lines;
  for (size_t i = 0; i < history.events.size(); ++i) {
    form.Append(i + 1, history.events[i], lines);
    if (lines.size() >= kFlushBytes) Flush(lines, out);
  }
  Flush(lines, out);
}

Result<History> ReadJsonl(TextSource& source) {
  EventReader reader;
  Lines lines(source, kLongestLine);
  const auto refused = [&](std::string_view reason) {
    return BadInput(fmt::format("{}:{}: {}", source.name(), lines.number(), OnOneLine(reason)));
  };
  for (Lines::Found found = lines.Next(); found != Lines::Found::kEnd; found = lines.Next()) {
    if (found == Lines::Found::kTooLong)
      return refused(fmt::format("longer than {} bytes", kLongestLine));
    if (const std::optional<std::string> reason = TakeLine(reader, lines)) return refused(*reason);
  }
  if (source.broken()) return refused("cannot be read further");
  if (const std::optional<std::string> reason = reader.WhyIncomplete()) return refused(*reason);
  return reader.Finish();
}

Result<History> ReadJsonlFile(const std::filesystem::path& file) {
  std::error_code status;
  if (std::filesystem::is_directory(file, status)) {
    return BadInput(fmt::format("{}: is a folder, not a history", file.string()));
  }
  Result<TextSource> source = TextSource::Open(file);
  if (!source) return tl::unexpected(source.error());
  return ReadJsonl(*source);
}

}  // namespace doublehold
