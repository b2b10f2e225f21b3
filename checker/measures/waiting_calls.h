// Warns if calls that wait inside a library hide the effect of releases.
#ifndef DOUBLEHOLD_CHECKER_MEASURES_WAITING_CALLS_H_
#define DOUBLEHOLD_CHECKER_MEASURES_WAITING_CALLS_H_

#include <string>
#include <vector>

#include "checker/evidence/evidence.h"

namespace doublehold {

// Only an acquire that was invoked after a release proves in which state the release left the lock.
// An acquire that waits inside the library was invoked before, and the session invokes no other:
//
//   c1:  A-a=A-a=R-r======R-r
//   c2:      A-------a==             the nested exit may have freed the lock, or c2 came first
//
// Returns one sentence if `reentry` or `release-result` is judged of a library, and acquires of
// other sessions were waiting during more than half of the releases.
std::vector<std::string> WaitingCallWarnings(const Evidence& evidence);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_MEASURES_WAITING_CALLS_H_
