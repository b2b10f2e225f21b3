// Reads the records of a CSV file (RFC 4180). Lines end with LF or CRLF. Empty lines and a byte
// order mark are skipped. A quoted field may hold commas, doubled quotes and line ends.
#ifndef DOUBLEHOLD_LIB_HISTORY_CSV_RECORDS_H_
#define DOUBLEHOLD_LIB_HISTORY_CSV_RECORDS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/history/lines.h"

namespace doublehold {

// Not thread-safe. Keeps a reference to `source`.
class CsvRecords {
 public:
  // Limit of a record's size. The facts of a run, which are one field, have up to 65,535 keys.
  static constexpr size_t kMostBytes = size_t{16} << 20;

  enum class Found : uint8_t { kRecord, kEnd, kGarbled, kTooLong };

  explicit CsvRecords(TextSource& source) : lines_(source, kMostBytes) {}

  // The first record is the header, which names no column twice. After kGarbled and kTooLong,
  // problem() describes the error, and the next call continues on the next line.
  Found Next();
  [[nodiscard]] const std::vector<std::string>& header() const { return header_; }
  // As many fields as the header has; valid until the next call.
  [[nodiscard]] const std::vector<std::string>& fields() const { return fields_; }
  // The line on which the record begins, from 1.
  [[nodiscard]] int64_t line() const { return line_; }
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  enum class Within : uint8_t { kFieldStart, kPlainField, kQuotes, kQuoteEnd };

  Found ReadRecord();
  bool AppendLine(std::string_view line);
  Found Wrong(Found how, std::string problem);

  Lines lines_;
  std::vector<std::string> header_;
  std::vector<std::string> fields_;
  std::string field_;  // the field that is being read
  Within within_ = Within::kFieldStart;
  int64_t line_ = 0;
  std::string problem_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_CSV_RECORDS_H_
