// The first keyword of a SQL statement, by which rules name the statement.
#ifndef DOUBLEHOLD_FAULTS_PROXY_WIRE_SQL_KEYWORD_H_
#define DOUBLEHOLD_FAULTS_PROXY_WIRE_SQL_KEYWORD_H_

#include <string_view>

#include "faults/proxy/wire/outstanding.h"

namespace doublehold {

// Reads a statement that arrives in parts. "(select 1)" has the keyword SELECT; a statement that
// begins with a comment has none.
class SqlKeyword {
 public:
  // Returns whether the keyword has ended. If so, ignores all later parts.
  bool Add(std::string_view text) {
    for (const char c : text) {
      const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
      const bool skipped =
          word_.empty() && (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '(');
      ended_ = ended_ || (!letter && !skipped);
      if (ended_) break;
      if (letter) word_.Add({&c, 1});
    }
    return ended_;
  }
  [[nodiscard]] const FrameWord& word() const { return word_; }

 private:
  FrameWord word_;
  bool ended_ = false;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_PROXY_WIRE_SQL_KEYWORD_H_
