// Second copies of an acquire: a lock server may have carried out the same acquire twice.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_SECOND_COPIES_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_SECOND_COPIES_H_

#include <cstdint>
#include <optional>

#include "checker/evidence/disturbances.h"

namespace doublehold {

// Returns when a second copy of an acquire may arrive at a lock server at the latest; nullopt if
// there can be no second copy. `when` is the span of the acquire.
//
//   c1:    A----?R-r   A-x        `r` freed the lock of the first copy; the second copy took it
//   hold:  [---]
//
// A second copy is possible in these cases:
// - a fault sent the request twice;
// - a fault delayed a message: the library may have sent the request again before the answer came;
// - a fault lost a message, and the acquire was not granted: a granted acquire is not retried;
// - the machine stalled for more than half the grace.
//
// A fault that stopped a server is no such case: the library itself chose to send twice what must
// not be carried out twice, and claims such as `key-leak` report that.
//
// The second copy may take the key, or enter it once more, whatever the first copy returned.
std::optional<int64_t> SecondCopyArrivalNs(const Disturbances& disturbances, int32_t client,
                                           const Span& when, bool granted);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_SECOND_COPIES_H_
