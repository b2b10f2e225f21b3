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
  kLive,     // the part of a hold in which its lease is valid; the rest of the hold is stale
  kCalling,  // from the invocation of a read, write, save or look to its answer
  kActing,   // a fault is active; cut to the time of the sessions' lanes
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
  // The character that fills a text lane after this mark: `-` a call, `=` a hold, ` ` neither;
  // kAsBefore: the same as before the mark.
  char fill = ' ';
  // Describes a use of the hold ("wrote 4"), the end of its lease, or a fault; else empty.
  std::string text{};
};
constexpr char kAsBefore = '\0';

struct DrawnLane {
  std::string name;    // "client 1", or the kind and the target of a fault: "pause c1"
  int32_t client = 0;  // the session's client, or the client the fault acts on; 0 or less: none
  int32_t fault = -1;  // index in RunFacts::faults; -1: a session's lane
  std::vector<DrawnSpan> spans{};
  std::vector<DrawnMark> marks{};  // in time order
};

struct ViolationDrawing {
  std::vector<DrawnLane> lanes;   // empty if there is no hold or call to draw
  std::vector<int64_t> times_ns;  // the grants, ends and lease ends of the holds, in order
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_VERDICT_DRAWING_H_
