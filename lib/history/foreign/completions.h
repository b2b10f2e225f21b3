// Operations that a log has in one line each, with a start and an end. Orders their invocations and
// completions by time.
#ifndef DOUBLEHOLD_LIB_HISTORY_FOREIGN_COMPLETIONS_H_
#define DOUBLEHOLD_LIB_HISTORY_FOREIGN_COMPLETIONS_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/event.h"
#include "lib/base/result.h"
#include "lib/history/foreign/value.h"

namespace doublehold {

// Returns the nanoseconds since 1970 of a date such as 2024-03-30T10:43:30.129Z, or nothing if the
// text is no date. Without a zone, the date counts as UTC.
std::optional<int64_t> ReadDate(std::string_view text);

// Not thread-safe.
class Completions {
 public:
  enum class Unit : uint8_t { kWhole, kSeconds, kDate };
  struct Time {
    Unit unit = Unit::kWhole;
    int64_t number = 0;  // in ns, unless kWhole
  };
  static constexpr const char* kNoTime =
      "its '{}' is not a time: ns, seconds with a fraction, or a date such as 2024-03-30T10:43:30Z";

  // Returns nothing if the form is no time.
  static std::optional<Time> ReadTime(FormView form);

  struct Operation {
    int64_t line = 0;
    int32_t process = 0;
    EventType outcome = EventType::kOk;
    std::string function;
    FormView value;
    FormView key;
  };
  // `type` is kInvoke, or the operation's outcome.
  using TakeEventOf =
      std::function<Result<void>(const Operation&, EventType type, int64_t time_ns)>;

  // Keeps an operation, with copies of its forms. Returns what is wrong with its times, if
  // anything. Each time is one of these:
  // - a whole number of ns;
  // - seconds with a fraction: then all whole numbers of the log are seconds too, and none may be
  //   too large for that;
  // - a date. A log has either dates or numbers.
  // An operation without an end gets no completion.
  std::optional<std::string> Add(Operation operation, FormView start, FormView end);
  [[nodiscard]] bool empty() const { return kept_.empty(); }
  // Calls `take` for each event in the order of the times. At equal times, a process completes an
  // operation before it invokes the next.
  Result<void> ForEachEvent(const TakeEventOf& take) const;

 private:
  struct Kept {
    Operation operation;
    Time start;
    std::optional<Time> end;
    std::vector<FormNode> value, key;
    std::deque<std::string> texts;  // of the nodes
  };
  struct TimedEvent;

  std::deque<Kept> kept_;
  bool in_seconds_ = false;
  bool has_beyond_ = false;  // a whole number that is too large for seconds
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_FOREIGN_COMPLETIONS_H_
