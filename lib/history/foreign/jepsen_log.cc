#include "lib/history/foreign/jepsen_log.h"

#include <fmt/format.h>

#include <array>
#include <string>

#include "lib/history/foreign/edn_parser.h"
#include "lib/history/foreign/json_lines.h"
#include "lib/history/foreign/line_forms.h"

namespace doublehold {
namespace {

class JepsenLog final : public LineForms {
 public:
  explicit JepsenLog(TextSource& source) : LineForms(source) {}

 private:
  // Parses process, type, f and a value, if there is one. Ignores a text about an error that may
  // follow.
  std::optional<Found> Parse(std::string_view line) override {
    const size_t mark = line.find(kJepsenLogMark);
    if (mark == std::string_view::npos) return std::nullopt;
    text_ = line.substr(mark + kJepsenLogMark.size());
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

std::unique_ptr<FormReader> MakeJepsenLogReader(TextSource& source) {
  return std::make_unique<JepsenLog>(source);
}

}  // namespace doublehold
