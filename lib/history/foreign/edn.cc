#include "lib/history/foreign/edn.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "lib/history/foreign/edn_parser.h"
#include "lib/history/foreign/json_lines.h"

namespace doublehold {
namespace {

using nlohmann::json;

class EdnReader final : public FormReader {
 public:
  explicit EdnReader(TextSource& source) : source_(source) { Start(); }

  Found Next() override {
    if (wrong_) PassOver();
    wrong_ = false;
    for (;;) {
      begin_at_ = parser_.at();
      begin_line_ = parser_.line();
      switch (parser_.Next(Brackets())) {
        case EdnParser::Found::kForm:
          line_ = parser_.form_line();
          if (parser_.at() - parser_.form_at() > kMostBytes) return FailTooLong();
          if (!IsUtf8(source_.window().substr(begin_at_, parser_.at() - begin_at_)))
            return Fail(Found::kNotUtf8, "not UTF-8");
          return Found::kForm;
        case EdnParser::Found::kStop:
          TakeBracket(source_.window()[parser_.at() - 1]);
          break;
        case EdnParser::Found::kNothing:
          line_ = parser_.line();
          if (std::exchange(closes_top_, '\0') == '\0') return Found::kEnd;
          return Fail(Found::kGarbled, "the file ends within its vector");
        case EdnParser::Found::kWrong:
          line_ = parser_.line();
          return Fail(Found::kGarbled, parser_.problem());
        case EdnParser::Found::kShort:
          line_ = parser_.form_line();
          if (source_.window().size() - parser_.form_at() > kMostBytes) return FailTooLong();
          source_.Drop(begin_at_);
          source_.More();
          Start();
      }
    }
  }

  [[nodiscard]] FormView form() const override { return parser_.form(); }

 private:
  void Start() { parser_.Start(source_.window(), begin_line_, source_.at_end()); }

  // Returns the brackets that may come next at the top level. Outside a vector or list, returns the
  // opening brackets. Inside, returns the closing bracket.
  [[nodiscard]] std::string_view Brackets() const {
    if (closes_top_ == '\0') return "[(";
    return closes_top_ == ']' ? "]" : ")";
  }
  void TakeBracket(char bracket) {
    closes_top_ = bracket == '[' ? ']' : bracket == '(' ? ')' : '\0';
  }

  Found Fail(Found how, std::string problem) {
    wrong_ = true;
    return Wrong(how, std::move(problem));
  }

  Found FailTooLong() {
    return Fail(Found::kTooLong, fmt::format("longer than {} MiB", kMostBytes >> 20));
  }

  // Skips a malformed form: continues at the next line that can begin a form.
  void PassOver() {
    source_.Drop(parser_.form_at());
    begin_line_ = parser_.form_line();
    do {
      size_t newline = source_.window().find('\n');
      for (; newline == std::string_view::npos && !source_.at_end();
           newline = source_.window().find('\n')) {
        source_.Drop(source_.window().size());
        source_.More();
      }
      ++begin_line_;
      source_.Drop(newline == std::string_view::npos ? source_.window().size() : newline + 1);
    } while (!CanBeginAForm());
    Start();
  }

  // Whether the line at the front of the window can begin a form, apart from characters allowed
  // before it. Also true at the end of the file.
  bool CanBeginAForm() {
    for (;;) {
      const size_t next = source_.window().find_first_not_of(" \t\r,[(");
      if (next != std::string_view::npos)
        return std::string_view("{#\n").find(source_.window()[next]) != std::string_view::npos;
      if (source_.at_end()) return true;
      source_.More();
    }
  }

  TextSource& source_;
  EdnParser parser_;
  size_t begin_at_ = 0;  // offset in the window of the last form, including the blanks before it
  int64_t begin_line_ = 1;
  char closes_top_ = '\0';  // the bracket that closes the open top-level vector, or 0
  bool wrong_ = false;
};

std::string EdnOf(const json& value) {
  switch (value.type()) {
    case json::value_t::null:
      return "nil";
    case json::value_t::object: {
      std::string text;
      for (const auto& [key, part] : value.items())
        text += fmt::format("{}:{} {}", text.empty() ? "" : ", ", key, EdnOf(part));
      return "{" + text + "}";
    }
    case json::value_t::array: {
      std::string text;
      for (const json& part : value) text += (text.empty() ? "" : " ") + EdnOf(part);
      return "[" + text + "]";
    }
    default:
      return value.dump();  // numbers and booleans; texts are spelt alike in both formats
  }
}

}  // namespace

std::unique_ptr<FormReader> MakeEdnReader(TextSource& source) {
  return std::make_unique<EdnReader>(source);
}

std::string EdnOfEvent(const json& event) {
  std::string text;
  for (const auto& [key, value] : event.items()) {
    const bool is_word = value.is_string() && (key == "process" || key == "type" || key == "f");
    text += fmt::format("{}:{} {}", text.empty() ? "" : ", ", key,
                        is_word ? ":" + value.get<std::string>() : EdnOf(value));
  }
  return "{" + text + "}";
}

}  // namespace doublehold
