#include "lib/history/foreign/jepsen_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "lib/history/foreign/edn_parser.h"
#include "lib/history/foreign/json_lines.h"
#include "lib/history/foreign/line_forms.h"

namespace doublehold {
namespace {

// The text before the process in the log of old versions.
constexpr std::string_view kMark = "jepsen.util - ";
constexpr std::string_view kBlanks = " \t\r";

// Removes the first word from `text`, and returns the word.
std::string_view TakeWord(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
  text.remove_prefix(word.size());
  return word;
}

class JepsenLog final : public LineForms {
 public:
  explicit JepsenLog(TextSource& source) : LineForms(source) {}

 private:
  // Parses process, type, f and a value, if there is one. Ignores a text about an error that may
  // follow.
  std::optional<Found> Parse(std::string_view line) override {
    const std::optional<std::string_view> operation = FindJepsenOperation(line);
    if (!operation) return std::nullopt;
    text_ = *operation;
    if (!IsUtf8(text_)) return Wrong(Found::kNotUtf8, "not UTF-8");
    constexpr std::array<std::string_view, 4> kParts{"process", "type", "f", "value"};
    nodes_.assign(1, {.kind = FormKind::kMap});
    parser_.Start(text_, line_, true);
    for (const std::string_view part : kParts) {
      const EdnParser::Found found = parser_.Next();
      if (found == EdnParser::Found::kWrong) return Wrong(Found::kGarbled, parser_.problem());
      if (found == EdnParser::Found::kNothing) {
        if (part == kParts.back()) break;
        return Wrong(Found::kGarbled, fmt::format("the line ends before its {}", part));
      }
      nodes_.push_back({.kind = FormKind::kText});
      nodes_.back().text = part;
      parser_.form().AppendTo(nodes_);
    }
    nodes_.front().nodes = static_cast<uint32_t>(nodes_.size());
    return Found::kForm;
  }

  std::string text_;
  EdnParser parser_;
};

}  // namespace

std::optional<std::string_view> FindJepsenOperation(std::string_view line) {
  const size_t mark = line.find(kMark);
  if (mark != std::string_view::npos) return line.substr(mark + kMark.size());
  constexpr std::array<std::string_view, 4> kTypes{":invoke", ":ok", ":fail", ":info"};
  std::string_view process;
  for (std::string_view rest = line;;) {
    const std::string_view from_here = rest;
    const std::string_view word = TakeWord(rest);
    if (word.empty()) return std::nullopt;
    const bool is_process = word.find_first_not_of("0123456789") == std::string_view::npos;
    if (!process.empty() && std::ranges::find(kTypes, word) != kTypes.end()) {
      // Words of a message may look so too. After a type comes a function, unless the line is cut.
      std::string_view after = rest;
      const std::string_view function = TakeWord(after);
      if (function.empty() || function.starts_with(':')) return process;
    }
    process = is_process || word == ":nemesis" ? from_here : std::string_view();
  }
}

std::unique_ptr<FormReader> MakeJepsenLogReader(TextSource& source) {
  return std::make_unique<JepsenLog>(source);
}

}  // namespace doublehold
