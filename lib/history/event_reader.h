// Builds a History from its lines, each a JSON object as in history.jsonl. The first is the start
// line. The readers of history.jsonl and of CSV use it.
#ifndef DOUBLEHOLD_LIB_HISTORY_EVENT_READER_H_
#define DOUBLEHOLD_LIB_HISTORY_EVENT_READER_H_

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "lib/base/json_object.h"
#include "lib/history/event_line.h"
#include "lib/history/history.h"

namespace doublehold {

// Not thread-safe. Keeps the state that lines share, such as the facts.
class EventReader {
 public:
  // Takes a line that is spelt as Doublehold writes it. For any other line, returns false and adds
  // no event.
  bool TakeOurs(std::string_view line);
  // Takes any line. Returns why the line is refused, or nothing if it is accepted. A discarded JSON
  // is refused.
  std::optional<std::string> Take(const nlohmann::json& line);
  // Call at the end of the input.
  [[nodiscard]] std::optional<std::string> WhyIncomplete() const;
  [[nodiscard]] History Finish() { return std::move(history_); }

 private:
  [[nodiscard]] int64_t LastNs() const {
    return history_.events.empty() ? 0 : history_.events.back().at_ns;
  }
  void TakeStart(JsonDocument& document, JsonObject& line);
  Event ReadEvent(JsonObject& line);
  void CheckIndex(JsonObject& line) const;
  [[nodiscard]] int64_t ReadTime(const JsonValue& field) const;
  [[nodiscard]] int32_t ReadProcess(const JsonValue& field) const;

  History history_;
  int64_t index_ = 0;
  std::optional<uint64_t> promised_;
  std::optional<EventLines> lines_;  // set after the start line
  std::map<std::string, uint16_t, std::less<>> key_numbers_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_EVENT_READER_H_
