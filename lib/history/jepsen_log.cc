#include "lib/history/jepsen_log.h"

#include <fmt/format.h>

#include <array>
#include <string>

#include "lib/history/edn_parser.h"
#include "lib/history/json_lines.h"
#include "lib/history/lines.h"

namespace doublehold {
namespace {

class JepsenLog final : public FormReader {
 public:
  explicit JepsenLog(TextSource& source) : lines_(source, kMostBytes) {}

  Found Next() override {
    for (;;) {
      const Lines::Found found = lines_.Next();
      line_ = lines_.number();
      if (found == Lines::Found::kEnd) return Found::kEnd;
      if (found == Lines::Found::kTooLong)
        return Wrong(Found::kTooLong, fmt::format("longer than {} MiB", kMostBytes >> 20));
      const size_t mark = lines_.line().find(kJepsenLogMark);
      if (mark == std::string_view::npos) continue;
      text_ = lines_.line().substr(mark + kJepsenLogMark.size());
      if (!IsUtf8(text_)) return Wrong(Found::kNotUtf8, "not UTF-8");
      return Parse();
    }
  }

  [[nodiscard]] FormView form() const override { return FormView(nodes_.data()); }

 private:
  // Process, type, f, and perhaps a value; more may follow (of what went wrong).
  Found Parse() {
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

  Lines lines_;
  std::string text_;
  EdnParser parser_;
  std::vector<FormNode> nodes_;
};

}  // namespace

std::unique_ptr<FormReader> MakeJepsenLogReader(TextSource& source) {
  return std::make_unique<JepsenLog>(source);
}

}  // namespace doublehold
