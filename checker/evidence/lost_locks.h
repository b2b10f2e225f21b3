// Finds the releases of locks that were lost before the release, and the grants that ended these
// holds. The claims `release-result` and `lost-lock-notification` use this file.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_LOST_LOCKS_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_LOST_LOCKS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checker/evidence/calls.h"
#include "checker/evidence/evidence.h"
#include "checker/evidence/holds.h"
#include "checker/evidence/why.h"

namespace doublehold {

// A lock is certainly lost if another client was granted the key meanwhile. That client's acquire
// was invoked after the answer of the holder's acquire, and answered before the invocation of the
// holder's release.
//
//   c1:  A-a==!=============R-r       lost at the `a` of c2, or earlier
//   c2:           A-a==R-r
//
//   c1:  A-a==!===R---------r         not certain: c1's release may have come first
//   c2:           A-a=====R-r
//
//   c1:  A-a==!==========A-a=R-r R-r  not certain: c1 was granted the key again
//   c2:         A-a=R-r
//
//   c1:  A-a=A-a=R-r==!========R-r    lost: c1 re-entered before the loss, and exits for good
//   c2:                   A-a=R-r
//
// A loss is not certain in these cases:
// - the session has an earlier acquire of unknown outcome, which may have been granted since;
// - a server may have returned with older data;
// - a second copy (evidence/second_copies.h) of an acquire of the session may have taken the key;
// - the session may have entered a second time, and left its first entry without a release;
// - a release of the session, or of the other client, is unanswered: later grants of that session
//   may be re-entries by its own count, without a request to the lock.
struct LostLock {
  const Call* release = nullptr;  // the last exit of the session
  const Hold* own = nullptr;
  // The first grant by answer, and the last grant by invocation, that certainly ended the hold. If
  // no grant certainly ended the hold, they are chosen from the grants that may have ended it.
  const Call* first = nullptr;
  const Call* last = nullptr;
  const Call* perhaps = nullptr;  // the first by answer of all grants that may have ended the hold
  bool again = false;             // the hold had been released before
  // Why the session may still, or again, have held the lock; nullopt if the loss is certain.
  std::optional<Why> doubt;
  bool entered_again = false;  // the last grant of the session was a re-entry
};

// Explains why no loss in the history is certain. Returns nullopt if a loss may be certain.
std::optional<std::string> WhyNoLossIsCertain(const Evidence& evidence);

// Returns the lost locks in the order in which their releases were invoked. Requires that
// WhyNoLossIsCertain returns nullopt. The result points into the evidence.
std::vector<LostLock> FindLostLocks(const Evidence& evidence);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_LOST_LOCKS_H_
