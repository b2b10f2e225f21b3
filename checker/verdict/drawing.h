// The drawing of a violation: a lane for each session, then a lane for each fault. checker/explain
// makes the drawing; texts, JSON and pages only render it. Times are in ns since the start of the
// run.
#ifndef DOUBLEHOLD_CHECKER_VERDICT_DRAWING_H_
#define DOUBLEHOLD_CHECKER_VERDICT_DRAWING_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace doublehold {

enum class SpanState : uint8_t {
  kWaiting,  // from the invocation of a granted acquire to its return
  kHeld,     // the session believes that it holds the lock
  kLive,     // the part of a hold in which its lease is valid (the rest of the hold is stale)
  kCalling,  // from the invocation of a read, write, save or look to its answer
  kActing,   // a fault is active; clipped to the time of the sessions' lanes
  kMay,      // the session may have the lock (evidence/possession.h); clipped as well
  kMust,     // the session must have it if the service keeps its promises (evidence/must_have.h)
};
std::string_view Name(SpanState state);  // "waiting", "held", ...

struct DrawnSpan {
  int64_t from_ns = 0;
  int64_t to_ns = 0;
  SpanState state = SpanState::kHeld;
};

struct DrawnMark {
  int64_t at_ns = 0;
  char letter = ' ';  // as in checker/testing/ascii_history.h
  // The character that fills a text lane after this mark: `-` in a call, `=` in a hold, or ` ` in
  // neither. kAsBefore keeps the character before the mark.
  char fill = ' ';
  // Describes a use of the hold ("wrote 4"), the fencing token of a grant ("token 7"), the end of a
  // lease, or a fault. Empty for any other mark.
  std::string text{};
};
constexpr char kAsBefore = '\0';

struct DrawnLane {
  std::string name;    // "client 1", or the kind and the target of a fault: "pause c1"
  int32_t client = 0;  // the client of the session or of the fault; 0 or less if there is none
  int32_t fault = -1;  // index in RunFacts::faults, or -1 for a session's lane
  std::vector<DrawnSpan> spans{};
  std::vector<DrawnMark> marks{};  // in time order
};

struct ViolationDrawing {
  std::vector<DrawnLane> lanes;   // empty if the violation has no hold or call
  std::vector<int64_t> times_ns;  // the grants, ends and lease ends of the holds, in order
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_VERDICT_DRAWING_H_
