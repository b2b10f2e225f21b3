// Reads a text form by form, in any of the formats. Files may have any length; memory is bounded.
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

enum class LogFormat : uint8_t { kEdn, kJsonLines, kJepsenLog, kJsonArray, kCsv };
constexpr LogFormat kLastLogFormat = LogFormat::kCsv;
// Returns "edn", "jsonl", "jepsen-log", "json" or "csv".
std::string_view Name(LogFormat format);
// Determines the format by the file's extension (.edn, .jsonl, .csv), otherwise by the first lines.
LogFormat FormatOf(TextSource& source);

// Not thread-safe. Keeps a reference to `source`.
class FormReader {
 public:
  // Limit of a form's size in bytes. In a format where each line is a form, limit of a line's size.
  static constexpr size_t kMostBytes = size_t{16} << 20;

  enum class Found : uint8_t {
    kForm,
    kEnd,
    // An error. problem() describes the error. The next call of Next skips the error as well as
    // possible.
    kGarbled,
    kTooLong,
    kNotUtf8,
  };

  virtual ~FormReader() = default;
  virtual Found Next() = 0;
  // The form that was found; valid until the next call.
  [[nodiscard]] virtual FormView form() const = 0;
  // The line of the form or error, from 1.
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
