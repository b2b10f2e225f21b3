// The line of an event in history.jsonl: the format that Doublehold writes, and a fast way to read
// it.
#ifndef DOUBLEHOLD_LIB_HISTORY_EVENT_LINE_H_
#define DOUBLEHOLD_LIB_HISTORY_EVENT_LINE_H_

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "lib/history/history.h"

namespace doublehold {

// Writers collect lines, and pass them on when they have so many bytes.
constexpr size_t kFlushBytes = size_t{1} << 16;

inline void Flush(fmt::memory_buffer& lines, std::ostream& out) {
  out.write(lines.data(), static_cast<std::streamsize>(lines.size()));
  lines.clear();
}

// Returns the name of an event's value. A value without a name of its own has a general name
// ("value0"), and is written only if it is not 0.
std::string_view NameOfValue(const ValueNames& names, size_t i);

// Calls take(name, value) for each value of the event that its line has, in the order of the line.
// Skips the hold.
template <typename Function>
void ForEachValue(const Event& event, Function take) {
  const ValueNames names = ValueNamesOf(event.op, event.type);
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i].always || event.value[i] != 0) take(NameOfValue(names, i), event.value[i]);
  }
}

// The lines of one history. Immutable, so any thread may use it.
class EventLines {
 public:
  explicit EventLines(const std::vector<std::string>& keys);

  // Appends line `index`, with its newline.
  void Append(size_t index, const Event& event, fmt::memory_buffer& lines) const;
  // Scans a line (without its newline) that is spelt exactly as Append writes it. The result equals
  // that of a JSON parser. Returns nothing when the spelling differs, or when the line's index is
  // not `index`. Does not check the values.
  [[nodiscard]] std::optional<Event> Scan(std::string_view line, int64_t index) const;

 private:
  std::vector<std::string> quoted_keys_;
  std::map<std::string, uint16_t, std::less<>> key_numbers_;  // keys are quoted
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_EVENT_LINE_H_
