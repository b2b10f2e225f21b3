// Parses EDN, the notation of Jepsen's and Knossos's histories, one form at a time.
//
// Keywords, symbols and characters become texts. Lists and vectors both become lists. Tags,
// metadata, comments and #_ forms are dropped. Integers beyond 64 bits and ratios become texts.
#ifndef DOUBLEHOLD_LIB_HISTORY_FOREIGN_EDN_PARSER_H_
#define DOUBLEHOLD_LIB_HISTORY_FOREIGN_EDN_PARSER_H_

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "lib/history/foreign/value.h"

namespace doublehold {

// Not thread-safe.
class EdnParser {
 public:
  // With `null_is_nil`, the word null is nil, as in JSON.
  explicit EdnParser(bool null_is_nil = false) : null_is_nil_(null_is_nil) {}

  // Limit of nesting.
  static constexpr int kMostDepth = 100;

  enum class Found : uint8_t {
    kForm,
    kStop,     // one of the characters in `stops` comes next; at() is behind it
    kNothing,  // only blanks and comments are left
    kShort,    // the text ends inside a form; more text may complete it
    kWrong,    // malformed; problem() says why
  };

  // `text` must be followed by at least one 0 byte. `line` is the number of its first line.
  // `complete`: no more text will follow.
  void Start(std::string_view text, int64_t line, bool complete);
  // Drops the last form and finds the next one. After kShort and kWrong, call Start first.
  Found Next(std::string_view stops = {});

  [[nodiscard]] FormView form() const { return FormView(nodes_.data()); }
  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] size_t at() const { return at_; }
  [[nodiscard]] int64_t line() const { return line_; }  // of at()
  // The start of the form or of the error.
  [[nodiscard]] size_t form_at() const { return form_at_; }
  [[nodiscard]] int64_t form_line() const { return form_line_; }

 private:
  [[nodiscard]] bool AtEnd() const { return at_ >= text_.size(); }
  [[nodiscard]] char Here() const { return text_.data()[at_]; }  // 0 at the end
  bool SkipBlank(int depth);
  bool Skip(int depth);
  bool Form(int depth);
  bool Sequence(FormKind kind, char end, int depth);
  bool Text();
  bool Tagged(int depth);
  bool Token();
  bool Fail(std::string problem);
  bool Ends(std::string_view within);
  FormNode& Add(FormKind kind) { return nodes_.emplace_back(FormNode{.kind = kind}); }
  void AddNumber(std::string_view token);

  const bool null_is_nil_;
  std::string_view text_;
  bool complete_ = true;
  size_t at_ = 0;
  int64_t line_ = 1;
  size_t form_at_ = 0;
  int64_t form_line_ = 1;
  std::vector<FormNode> nodes_;
  std::deque<std::string> unescaped_;  // texts that differ from their spelling in the input
  std::string problem_;
  bool short_ = false;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_FOREIGN_EDN_PARSER_H_
