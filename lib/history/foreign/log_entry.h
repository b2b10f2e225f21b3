// The fields of an event in a log, and the words of the log for them.
#ifndef DOUBLEHOLD_LIB_HISTORY_FOREIGN_LOG_ENTRY_H_
#define DOUBLEHOLD_LIB_HISTORY_FOREIGN_LOG_ENTRY_H_

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/history/foreign/value.h"

namespace doublehold {

// The words of a log for fields, types and functions, and what they are here: {"worker",
// "process"}.
using LogWords = std::vector<std::pair<std::string, std::string>>;

// Replaces the words of a log, and notes which ones occurred.
class Dictionary {
 public:
  explicit Dictionary(const LogWords& words) : words_(words) {}

  std::string_view Of(std::string_view word);

  // Returns the first word that did not occur.
  [[nodiscard]] std::optional<std::string_view> Unseen() const;

 private:
  const LogWords& words_;
  std::set<std::string_view> occurred_;
};

// The fields of an event's map, found in one pass.
struct LogEntry {
  FormView process, type, f, value, key, time, index, thread, task, start, end, ok;
  // The field that two fields of the map stand for, if any.
  std::optional<std::string_view> twice;

  LogEntry(FormView map, Dictionary& words);

 private:
  FormView* PlaceOf(std::string_view name);
};

// Says that the event has no field `name`, and which option reads another field as this one.
std::string MissingField(FormView event, std::string_view name);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_FOREIGN_LOG_ENTRY_H_
