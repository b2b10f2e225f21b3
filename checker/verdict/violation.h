// A violation of a claim: who, when, which key, and why.
#ifndef DOUBLEHOLD_CHECKER_VERDICT_VIOLATION_H_
#define DOUBLEHOLD_CHECKER_VERDICT_VIOLATION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/verdict/drawing.h"

namespace doublehold {

// One of the two holds of a violation. Times in ns since the start of the run.
struct HoldRef {
  int32_t client = 0;
  uint64_t hold = 0;
  int64_t from_ns = 0;         // its acquire returned
  int64_t to_ns = 0;           // its release was invoked (or the end of the history)
  int64_t valid_until_ns = 0;  // as its client computed it; INT64_MAX: endless
};

enum class Cause : uint8_t;  // cause.h

// What happened. A call that was refused, or not answered, is only that.
enum class FactKind : uint8_t {
  kGranted,
  kRenewed,
  kRead,
  kWrote,
  kSaved,
  kLooked,
  kReleased,
  kRefused,
  kUnanswered,
  kLeaseEnded,
  kLeft,      // left its section without a release
  kLastSeen,  // never released, and does nothing more
  kFaultBegan,
};
std::string_view Name(FactKind kind);  // "lease-ended"

struct StoryStep {
  int64_t at_ns = 0;
  std::string who;  // a session or a fault, by the name of its lane
  FactKind what = FactKind::kGranted;
  std::string text;  // a sentence
};

struct Violation {
  std::string key;
  std::optional<HoldRef> first;   // the earlier hold
  std::optional<HoldRef> second;  // the one that overlapped it
  int64_t from_ns = 0;            // where it is visible: the overlap, or the write
  int64_t to_ns = 0;
  bool stale = false;       // one of the two leases was over
  int64_t count = 1;        // the cases that it covers, for example the orders that one write lost
  int64_t undescribed = 0;  // further violations of the same first hold, not described
  int32_t fault = -1;       // index in RunFacts::faults of the fault active then; -1: none
  bool explained_by_stall = false;  // no fault: the machine itself stalled a holder past its lease
  std::string sentence;             // who, when, what, and why
  // If all leases were valid: the sentence up to its faults, which the cause may correct.
  std::optional<std::string> before_faults{};
  Cause cause{};                   // this and the following: filled in by Judge
  std::string because{};           // the evidence for the cause, or why there is none
  std::vector<Cause> perhaps{};    // if there is no cause: each of these would explain it
  std::vector<StoryStep> steps{};  // in time order
  ViolationDrawing drawing{};
};

// The time of a violation.
struct Sighting {
  int64_t at_ns = 0;                // 0: unknown
  bool explained_by_stall = false;  // perhaps only because the machine stalled a process
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_VERDICT_VIOLATION_H_
