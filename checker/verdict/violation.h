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
  int64_t from_ns = 0;         // when its acquire returned
  int64_t to_ns = 0;           // when its release was invoked, or the hold was cut short (holds.h)
  int64_t valid_until_ns = 0;  // end of the lease as its client computed it, or INT64_MAX for never
};

enum class Cause : uint8_t;  // cause.h

// The kind of a step. A refused call of any operation is kRefused. A call of any operation
// that was not answered is kUnanswered, or kError if a driver answered it with an error.
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
  kError,
  kLeaseEnded,
  kLeft,      // the client left its section without a release
  kLastSeen,  // the last event of an owner that never released the key
  kFaultBegan,
};
std::string_view Name(FactKind kind);  // "lease-ended"

struct StoryStep {
  int64_t at_ns = 0;
  std::string who;  // the name of the lane of a session or a fault
  FactKind what = FactKind::kGranted;
  std::string text;  // a sentence
};

struct Violation {
  std::string key;
  std::optional<HoldRef> first;   // the earlier hold, or the hold of the wrong operation
  std::optional<HoldRef> second;  // the overlapping hold, or the harmed hold
  int64_t from_ns = 0;            // start of the overlap or of the operation
  int64_t to_ns = 0;
  bool stale = false;       // one of the two leases had ended
  int64_t count = 1;        // number of cases, for example of orders that a write lost
  int64_t undescribed = 0;  // number of violations with the same first hold that are not described
  int32_t fault = -1;       // index in RunFacts::faults of the fault in the sentence, or -1
  bool explained_by_stall = false;  // a stall of the machine explains the violation
  std::string sentence;             // who, when, what, and why
  // If all leases were valid: the sentence without its faults. refine_sentence.h may name other
  // faults.
  std::optional<std::string> before_faults{};
  Cause cause{};                   // Judge fills in this field and all following fields
  std::string because{};           // the evidence for the cause, or why no cause is known
  std::vector<Cause> perhaps{};    // if unexplained: the possible causes, each sufficient alone
  std::vector<StoryStep> steps{};  // in time order
  ViolationDrawing drawing{};
};

// The time of a violation.
struct Sighting {
  int64_t at_ns = 0;                // 0 if unknown
  bool explained_by_stall = false;  // a stall of the machine explains the violation
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_VERDICT_VIOLATION_H_
