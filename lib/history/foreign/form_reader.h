// Reads a text form by form, in whichever format it is. Files of any length, in bounded memory.
#ifndef DOUBLEHOLD_LIB_HISTORY_FOREIGN_FORM_READER_H_
#define DOUBLEHOLD_LIB_HISTORY_FOREIGN_FORM_READER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/history/foreign/value.h"
#include "lib/history/text_source.h"

namespace doublehold {

enum class LogFormat : uint8_t { kEdn, kJsonLines, kJepsenLog, kJsonArray };
constexpr LogFormat kLastLogFormat = LogFormat::kJsonArray;
// "edn", "jsonl", "jepsen-log", "json"
std::string_view Name(LogFormat format);
// By the name of the file where it ends in one of its own (.edn, .jsonl), else by the first lines.
LogFormat FormatOf(TextSource& source);

// Not thread-safe. Holds `source` for as long as it lives.
class FormReader {
 public:
  // One form, or one line where that is one, may be so long.
  static constexpr size_t kMostBytes = size_t{16} << 20;

  enum class Found : uint8_t {
    kForm,
    kEnd,
    kGarbled,  // problem() says how; so with the two that follow. The next call goes on behind it, as well as can be.
    kTooLong,
    kNotUtf8,
  };

  virtual ~FormReader() = default;
  virtual Found Next() = 0;
  // Of the form that was found; holds until the next call.
  [[nodiscard]] virtual FormView form() const = 0;
  // Where it, or what is wrong, stands; from 1.
  [[nodiscard]] int64_t line() const { return line_; }
  [[nodiscard]] const std::string& problem() const { return problem_; }

 protected:
  FormReader() = default;
  Found Wrong(Found how, std::string problem) {
    problem_ = std::move(problem);
    return how;
  }
  int64_t line_ = 0;

 private:
  std::string problem_;
};

std::unique_ptr<FormReader> MakeFormReader(LogFormat format, TextSource& source);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_FOREIGN_FORM_READER_H_
