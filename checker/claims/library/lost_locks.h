// Which releases are of a lock that was certainly lost before, and since when: what the claims
// `release-result` and `lost-lock-notification` stand on.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_LOST_LOCKS_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_LOST_LOCKS_H_

#include <optional>
#include <string>
#include <vector>

#include "checker/evidence/calls.h"
#include "checker/evidence/evidence.h"
#include "checker/evidence/holds.h"

namespace doublehold {

// A lock is lost for certain when another was granted it meanwhile: asked for it after its holder
// had it, and was answered before the holder called its release.
//
//   c1:  A-a==!=============R-r       lost at the `a` of c2 at the latest
//   c2:           A-a==R-r
//
//   c1:  A-a==!===R---------r         not certain: c1's release may have come first
//   c2:           A-a=====R-r
//
//   c1:  A-a==!==========A-a=R-r R-r  not certain: c1 was let in again
//   c2:         A-a=R-r
//
//   c1:  A-a=A-a=R-r==!========R-r    lost: it was let in again before, and this is its last exit
//   c2:                   A-a=R-r
//
// An earlier acquire of the same session of unknown outcome may have been granted the key since;
// and so may one that its library sent twice, where a fault kept messages back. Whose release was
// not answered may be let in by its own count, whoever has the key: that takes it from nobody.
// Where there are several nodes, or one came back with older data, both may have had the lock.
struct LostLock {
  const Call* release = nullptr;  // the last exit of its session
  const Hold* own = nullptr;
  // Of the grants by which it was lost, the one that was answered first.
  const Call* first = nullptr;
  const Call* last = nullptr;     // and the one that was asked for last
  const Call* perhaps = nullptr;  // as `first`, but of all by which it may have been lost
  bool again = false;             // its hold had been released before
  bool certain = false;           // else its session may have had it still, or again
  bool entered_again = false;     // meanwhile it had the key more than once
};

// Why nothing is certain of any lock of a history, if that is so.
std::optional<std::string> WhyNoLossIsCertain(const Evidence& evidence);

// Whether the acquire of a hold may have been sent twice, by a library of its own accord, and be
// carried out once more at any time: a fault kept messages back.
bool MayBeSentAgain(const Scene& scene, const Hold& own);

// In the order in which their releases were called. Only where some loss is certain. Refers to the
// evidence.
std::vector<LostLock> FindLostLocks(const Evidence& evidence);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_LOST_LOCKS_H_
