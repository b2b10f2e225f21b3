// The line of an event in history.jsonl, as we write it, and the quick way to read that again.
#ifndef DOUBLEHOLD_LIB_HISTORY_EVENT_LINE_H_
#define DOUBLEHOLD_LIB_HISTORY_EVENT_LINE_H_

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/history/history.h"

namespace doublehold {

// What an event's value is called; a value without a name of its own that is not 0 is written all
// the same.
std::string_view NameOfValue(const ValueNames& names, size_t i);

// The lines of one history. Immutable, so any thread may use it.
class EventLines {
 public:
  explicit EventLines(const std::vector<std::string>& keys);

  // Appends line `index` with its newline.
  void Append(size_t index, const Event& event, fmt::memory_buffer& lines) const;
  // The event of a line (without its newline) that is spelt exactly as Append does: the same that a
  // JSON parser makes of it.
  // Nothing: it is spelt otherwise, or says nothing. Its index is `index`; what its values may be
  // is not looked at.
  [[nodiscard]] std::optional<Event> Scan(std::string_view line, int64_t index) const;

 private:
  std::vector<std::string> quoted_keys_;
  std::map<std::string, uint16_t, std::less<>> key_numbers_;  // by the quoted key
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_EVENT_LINE_H_
