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
  int64_t to_ns = 0;           // its release was invoked, or the hold was cut short (holds.h)
  int64_t valid_until_ns = 0;  // as its client computed it; INT64_MAX: endless
};

enum class Cause : uint8_t;  // cause.h

// The kind of a step. A refused call is kRefused, and an unanswered one kUnanswered, whatever its
// operation.
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
  kLastSeen,  // the last event of an owner that never released the key
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
  std::optional<HoldRef> first;   // the earlier hold, or the hold of the wrong operation
  std::optional<HoldRef> second;  // the overlapping hold, or the harmed hold
  int64_t from_ns = 0;            // start of the overlap or of the operation
  int64_t to_ns = 0;
  bool stale = false;       // one of the two leases was over
  int64_t count = 1;        // the cases of this violation, for example the orders that a write lost
  int64_t undescribed = 0;  // further violations of the same first hold, not described
  int32_t fault = -1;       // index in RunFacts::faults of the fault in the sentence; -1: none
  bool explained_by_stall = false;  // a stall of the machine explains it, not a fault
  std::string sentence;             // who, when, what, and why
  // If all leases were valid: the sentence up to its faults, which refine_sentence.h may replace.
  std::optional<std::string> before_faults{};
  Cause cause{};                   // Judge fills in this field and the following
  std::string because{};           // the evidence for the cause, or why no cause is known
  std::vector<Cause> perhaps{};    // if unexplained: causes that each would explain it
  std::vector<StoryStep> steps{};  // in time order
  ViolationDrawing drawing{};
};

// The time of a violation.
struct Sighting {
  int64_t at_ns = 0;                // 0: unknown
  bool explained_by_stall = false;  // the machine alone may have caused the violation
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_VERDICT_VIOLATION_H_
