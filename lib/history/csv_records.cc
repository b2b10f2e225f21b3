#include "lib/history/csv_records.h"

#include <fmt/format.h>

#include <set>
#include <utility>

namespace doublehold {

CsvRecords::Found CsvRecords::Next() {
  if (header_.empty()) {
    const Found found = ReadRecord();
    if (found != Found::kRecord) return found;
    std::set<std::string_view> names;
    for (const std::string& name : fields_) {
      if (!name.empty() && !names.insert(name).second)
        return Wrong(Found::kGarbled, fmt::format("the header names '{}' twice", name));
    }
    header_ = fields_;
  }
  const Found found = ReadRecord();
  if (found != Found::kRecord || fields_.size() == header_.size()) return found;
  return Wrong(Found::kGarbled,
               fmt::format("has {} fields, and the header has {}", fields_.size(), header_.size()));
}

CsvRecords::Found CsvRecords::ReadRecord() {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  fields_.clear();
  field_.clear();
  within_ = Within::kFieldStart;
  for (size_t bytes = 0;; bytes += lines_.line().size() + 1) {
    const Lines::Found found = lines_.Next();
    const bool is_new = within_ != Within::kQuotes;
    if (is_new || found == Lines::Found::kTooLong) line_ = lines_.number();
    if (found == Lines::Found::kEnd) {
      return is_new ? Found::kEnd : Wrong(Found::kGarbled, "the file ends within a quoted field");
    }
    if (found == Lines::Found::kTooLong || bytes > kMostBytes)
      return Wrong(Found::kTooLong, fmt::format("longer than {} MiB", kMostBytes >> 20));
    std::string_view line = lines_.line();
    if (lines_.number() == 1 && line.starts_with(kByteOrderMark))
      line.remove_prefix(kByteOrderMark.size());
    if (is_new && (line.empty() || line == "\r")) continue;
    if (!AppendLine(line)) return Wrong(Found::kGarbled, "text after the end of a quoted field");
    if (within_ == Within::kQuotes) {
      field_ += '\n';
      continue;
    }
    fields_.push_back(std::exchange(field_, {}));
    return Found::kRecord;
  }
}

// Returns false if the line is malformed. Leaves the line's last field in `field_`.
bool CsvRecords::AppendLine(std::string_view line) {
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (within_ == Within::kQuotes) {
      if (c == '"') {
        within_ = Within::kQuoteEnd;
      } else {
        field_ += c;
      }
    } else if (c == ',') {
      fields_.push_back(std::exchange(field_, {}));
      within_ = Within::kFieldStart;
    } else if (c == '"' && within_ != Within::kPlainField) {
      if (within_ == Within::kQuoteEnd) field_ += c;
      within_ = Within::kQuotes;
    } else if (c == '\r' && i + 1 == line.size()) {
      return true;
    } else if (within_ == Within::kQuoteEnd) {
      return false;
    } else {
      within_ = Within::kPlainField;
      field_ += c;
    }
  }
  return true;
}

CsvRecords::Found CsvRecords::Wrong(Found how, std::string problem) {
  problem_ = std::move(problem);
  return how;
}

}  // namespace doublehold
