#include "lib/history/json_lines.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <deque>

#include "lib/history/line_forms.h"

namespace doublehold {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;

constexpr size_t kMostDepth = 100;
static_assert(simdjson::SIMDJSON_PADDING <= TextSource::kPadding);

class JsonLines final : public LineForms {
 public:
  explicit JsonLines(TextSource& source) : LineForms(source) {}

 private:
  std::optional<Found> Parse(std::string_view line) override {
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) return std::nullopt;
    if (parser_.capacity() < line.size() || parser_.max_depth() != kMostDepth) {
      if (parser_.allocate(2 * line.size() + 1024, kMostDepth) != simdjson::SUCCESS)
        return Wrong(Found::kGarbled, "no memory for it");
    }
    element root;
    const auto error = parser_.parse(line.data(), line.size(), false).get(root);
    if (error == simdjson::SUCCESS) {
      nodes_.clear();
      huge_.clear();
      Add(root);
      return Found::kForm;
    }
    if (error == simdjson::UTF8_ERROR) return Wrong(Found::kNotUtf8, "not UTF-8");
    if (error == simdjson::DEPTH_ERROR)
      return Wrong(Found::kGarbled, fmt::format("nested deeper than {}", kMostDepth));
    return Wrong(Found::kGarbled, "not JSON");
  }

  void AddText(std::string_view text) {
    nodes_.push_back({.kind = FormKind::kText});
    nodes_.back().text = text;
  }

  // As deep as kMostDepth.
  void Add(const element& value) {  // NOLINT(misc-no-recursion)
    const size_t begin = nodes_.size();
    nodes_.push_back({});
    switch (value.type()) {
      case element_type::NULL_VALUE:
        return;
      case element_type::BOOL:
        nodes_[begin].kind = bool(value) ? FormKind::kTrue : FormKind::kFalse;
        return;
      case element_type::INT64:
        nodes_[begin].kind = FormKind::kInteger;
        nodes_[begin].integer = int64_t(value);
        return;
      case element_type::UINT64:  // only those above INT64_MAX
        AddHuge(begin, uint64_t(value));
        return;
      case element_type::DOUBLE:
        nodes_[begin].kind = FormKind::kReal;
        nodes_[begin].real = double(value);
        return;
      case element_type::STRING:
        nodes_[begin].kind = FormKind::kText;
        nodes_[begin].text = std::string_view(value);
        return;
      case element_type::ARRAY:
        nodes_[begin].kind = FormKind::kList;
        for (const element one : simdjson::dom::array(value)) Add(one);
        break;
      case element_type::OBJECT:
        nodes_[begin].kind = FormKind::kMap;
        for (const auto& [key, one] : simdjson::dom::object(value)) {
          AddText(key);
          Add(one);
        }
        break;
    }
    nodes_[begin].nodes = static_cast<uint32_t>(nodes_.size() - begin);
  }

  // As a real it is less exact, but equal to none that is exact.
  void AddHuge(size_t at, uint64_t number) {
    nodes_[at].kind = FormKind::kText;
    huge_.push_back(fmt::format("{}", number));
    nodes_[at].text = huge_.back();
  }

  simdjson::dom::parser parser_;
  std::deque<std::string> huge_;  // numbers as texts
};

}  // namespace

std::unique_ptr<FormReader> MakeJsonLinesReader(TextSource& source) {
  return std::make_unique<JsonLines>(source);
}

bool IsUtf8(std::string_view text) { return simdjson::validate_utf8(text.data(), text.size()); }

}  // namespace doublehold
