// Three kinds of time that do not convert into each other, and durations with units.
//
//   MonoTime   CLOCK_MONOTONIC of this machine. The only time that orders a history; no fault
//              changes it.
//   WallTime   the wall clock of a process, which a clock fault may move.
//   (server)   the clock of a Redis node. It is visible only in replies, so it has no type here.
//
// Times are plain integers only at interfaces (a command, a file). There, the name of the integer
// ends in its unit.
#ifndef DOUBLEHOLD_LIB_BASE_TIME_H_
#define DOUBLEHOLD_LIB_BASE_TIME_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lib/base/result.h"

namespace doublehold {

using Duration = std::chrono::nanoseconds;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using std::chrono_literals::operator""us;

// Tags without now(): only an Env knows the time.
struct MonoClock {
  using duration = Duration;
  using rep = Duration::rep;
  using period = Duration::period;
};
struct WallClock {
  using duration = Duration;
  using rep = Duration::rep;
  using period = Duration::period;
};
using MonoTime = std::chrono::time_point<MonoClock, Duration>;  // since boot
using WallTime = std::chrono::time_point<WallClock, Duration>;  // since 1970-01-01 UTC
using Deadline = MonoTime;                                      // when to stop waiting
using Lease = Duration;                                         // > 0

inline int64_t ToNs(Duration duration) { return duration.count(); }
inline int64_t ToNs(MonoTime time) { return time.time_since_epoch().count(); }
inline int64_t ToMs(Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}
inline int64_t ToMs(WallTime time) { return ToMs(time.time_since_epoch()); }
inline double ToSeconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}
inline MonoTime MonoFromNs(int64_t since_boot_ns) { return MonoTime(Duration(since_boot_ns)); }

// Parses "500ms", "1.5s", "200us", "3m". Refuses a negative duration, and a number without a unit
// (the error suggests `usual_unit`). With `lease`, accepts "1.6 lease" too.
Result<Duration> ParseDuration(std::string_view text, std::optional<Lease> lease = std::nullopt,
                               std::string_view usual_unit = "ms");

// Returns the shortest exact form with a unit: 1.5s, 500ms, 20us, 7ns.
std::string FormatDuration(Duration duration);

// Returns seconds with three decimals, as verdicts show them: 2.418 s.
std::string FormatSeconds(Duration since_start);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_BASE_TIME_H_
