// Finds releases with a false answer in cases in which no other client took the lock. The claim
// `release-result` uses this file and lost_locks.h.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_FALSE_ANSWERS_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_FALSE_ANSWERS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "checker/evidence/calls.h"
#include "checker/evidence/evidence.h"
#include "checker/evidence/holds.h"
#include "checker/evidence/why.h"

namespace doublehold {

//   c1:  A-a==!   >  R-r      kLeaseEnded: success was reported later than lease and grace
//   c1:  A-a==R-r  R-r        kAlreadyFreed: success was reported a second time
//   c1:  A-a==R-x  !          kStillHeld: the lease was valid, no other client had been granted the
//                             key, and the release reported that the lock was not its own
//
// kLeaseEnded applies only to a library that has no watchdog and declares that its leases end.
// Other locks may renew a lease without a record.
//
// An answer is not certainly false in these cases:
// - the session may have been granted the key again;
// - kStillHeld: the session need not have had the lock (evidence/must_have.h), or another client's
//   acquire was not answered, or was granted during the release;
// - a message that a fault delayed or lost may still take effect;
// - success: the release may have freed a second copy (evidence/second_copies.h) of an earlier
//   acquire of its session;
// - the hold was shared: readers may keep each other's locks alive;
// - success: a fault moved a clock, removed keys or killed a lock server.
//
// A fault during the release itself excuses kStillHeld only if it removes keys, kills a lock server
// or moves a clock. A lock that sends a release again, because a reply was lost, answers falsely if
// it reports the outcome of the second copy.
//
// Requires a complete history of a lock on one node.
enum class FalseAnswerKind : uint8_t { kLeaseEnded, kAlreadyFreed, kStillHeld };

struct FalseAnswer {
  const Call* release = nullptr;
  const Hold* own = nullptr;
  FalseAnswerKind kind = FalseAnswerKind::kLeaseEnded;
  // kLeaseEnded: latest end of the lease. kAlreadyFreed: answer of the release that freed the lock.
  // kStillHeld: end of the lease, as the client computed it.
  int64_t at_ns = 0;
  std::optional<Why> doubt;  // why the answer may be true; nullopt if it is certainly false
  // kStillHeld: the session had entered the lock again, and only one of its own exits can have
  // freed the lock.
  bool unless_freed_by_own_exit = false;
};

// Returns the false answers in the order in which their releases were invoked. The result points
// into the evidence.
std::vector<FalseAnswer> FindFalseAnswers(const Evidence& evidence);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_FALSE_ANSWERS_H_
