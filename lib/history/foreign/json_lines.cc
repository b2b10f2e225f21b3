#include "lib/history/foreign/json_lines.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <deque>

#include "lib/history/foreign/line_forms.h"

namespace doublehold {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;

constexpr size_t kMostDepth = 100;
static_assert(simdjson::SIMDJSON_PADDING <= TextSource::kPadding);

// Parses a JSON value into a form.
class JsonValue {
 public:
  // Returns kForm and stores the form in nodes(). On any other result, `problem` says why. May read
  // TextSource::kPadding bytes behind the text.
  FormReader::Found Parse(std::string_view text, std::string& problem) {
    using Found = FormReader::Found;
    if (parser_.capacity() < text.size() || parser_.max_depth() != kMostDepth) {
      if (parser_.allocate(2 * text.size() + 1024, kMostDepth) != simdjson::SUCCESS) {
        problem = "too little memory to parse it";
        return Found::kGarbled;
      }
    }
    element root;
    const auto error = parser_.parse(text.data(), text.size(), false).get(root);
    if (error == simdjson::SUCCESS) {
      nodes_.clear();
      huge_.clear();
      Add(root);
      return Found::kForm;
    }
    problem = error == simdjson::UTF8_ERROR    ? "not UTF-8"
              : error == simdjson::DEPTH_ERROR ? fmt::format("nested deeper than {}", kMostDepth)
                                               : "not JSON";
    return error == simdjson::UTF8_ERROR ? Found::kNotUtf8 : Found::kGarbled;
  }
  [[nodiscard]] const std::vector<FormNode>& nodes() const { return nodes_; }

 private:
  void AddText(std::string_view text) {
    nodes_.push_back({.kind = FormKind::kText});
    nodes_.back().text = text;
  }

  // The parser has limited the nesting to kMostDepth.
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
      case element_type::UINT64:  // simdjson uses this type only for numbers above INT64_MAX
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

  // Adds the number as text. A real would be inexact, and might equal another number.
  void AddHuge(size_t at, uint64_t number) {
    nodes_[at].kind = FormKind::kText;
    huge_.push_back(fmt::format("{}", number));
    nodes_[at].text = huge_.back();
  }

  std::vector<FormNode> nodes_;
  simdjson::dom::parser parser_;
  std::deque<std::string> huge_;  // the texts of huge numbers
};

class JsonLines final : public LineForms {
 public:
  explicit JsonLines(TextSource& source) : LineForms(source) {}
  [[nodiscard]] FormView form() const override { return FormView(value_.nodes().data()); }

 private:
  std::optional<Found> Parse(std::string_view line) override {
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) return std::nullopt;
    std::string problem;
    const Found found = value_.Parse(line, problem);
    return found == Found::kForm ? found : Wrong(found, std::move(problem));
  }

  JsonValue value_;
};

// Reads the elements of an array at the top level.
class JsonArray final : public FormReader {
 public:
  explicit JsonArray(TextSource& source) : source_(source) {}

  Found Next() override {
    for (;;) {
      if (at_ == source_.window().size()) {
        if (source_.at_end()) return AtEnd();
        source_.Drop(std::exchange(begin_, 0));
        at_ = source_.window().size();
        source_.More();
        continue;
      }
      const char c = source_.window()[at_];
      const bool ends = !in_text_ && depth_ == 1 && (c == ',' || c == ']');
      const bool blank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
      if (is_empty_ && !blank && !ends && depth_ > 0) {
        is_empty_ = false;
        begin_ = at_;
        line_ = next_line_;
      }
      if (depth_ == 0 && !blank && (closed_ || c != '[')) return NoArray();
      Take(c);
      if (ends && !std::exchange(is_empty_, true)) return Element(at_ - 1);
      if (is_empty_) begin_ = at_;
      if (at_ - begin_ > kMostBytes) {
        too_long_ = true;
        begin_ = at_;
      }
    }
  }
  [[nodiscard]] FormView form() const override { return FormView(value_.nodes().data()); }

 private:
  void Take(char c) {
    ++at_;
    if (c == '\n') ++next_line_;
    if (in_text_) {
      if (c == '"' && !escaped_) in_text_ = false;
      escaped_ = c == '\\' && !escaped_;
      return;
    }
    in_text_ = c == '"';
    if (c == '[' || c == '{') ++depth_;
    if ((c == ']' || c == '}') && --depth_ == 0) closed_ = true;
  }

  // Parses the element that began at begin_.
  Found Element(size_t end) {
    const std::string_view text = source_.window().substr(begin_, end - begin_);
    begin_ = at_;
    if (std::exchange(too_long_, false))
      return Wrong(Found::kTooLong, fmt::format("longer than {} MiB", kMostBytes >> 20));
    std::string problem;
    const Found found = value_.Parse(text, problem);
    return found == Found::kForm ? found : Wrong(found, std::move(problem));
  }

  Found AtEnd() {
    if (std::exchange(closed_, true)) return Found::kEnd;
    line_ = next_line_;
    return Wrong(Found::kGarbled, "the file ends within its array");
  }

  // Call when the text is not an array. Skips the rest of the text.
  Found NoArray() {
    line_ = next_line_;
    const char* problem = closed_ ? "unexpected text after the array" : "not a JSON array";
    while (!source_.at_end()) {
      source_.Drop(source_.window().size());
      source_.More();
    }
    source_.Drop(source_.window().size());
    at_ = begin_ = 0;
    closed_ = true;
    return Wrong(Found::kGarbled, problem);
  }

  TextSource& source_;
  JsonValue value_;
  size_t begin_ = 0;  // offset in the window of the element; at_ is the next byte to inspect
  size_t at_ = 0;
  int64_t next_line_ = 1;
  int depth_ = 0;
  bool is_empty_ = true;  // no part of the element has been seen
  bool in_text_ = false;
  bool escaped_ = false;
  bool too_long_ = false;
  bool closed_ = false;
};

}  // namespace

std::unique_ptr<FormReader> MakeJsonArrayReader(TextSource& source) {
  return std::make_unique<JsonArray>(source);
}

std::unique_ptr<FormReader> MakeJsonLinesReader(TextSource& source) {
  return std::make_unique<JsonLines>(source);
}

bool IsUtf8(std::string_view text) { return simdjson::validate_utf8(text.data(), text.size()); }

}  // namespace doublehold
