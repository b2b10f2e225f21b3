// Finds refusals of a key that was certainly free: one half of the claim `reentry`.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LOCK_LAST_EXIT_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LOCK_LAST_EXIT_H_

#include <vector>

#include "checker/evidence/calls.h"
#include "checker/evidence/disturbances.h"

namespace doublehold {

// A refusal of a free key.
struct Refusal {
  const Call* refused = nullptr;
  const Call* last_exit = nullptr;  // after its return nobody held the key
  // Nobody else can have been ahead in a queue, or have taken the key unseen. If false, the refusal
  // counts only because the gap lasted for a lease.
  bool certain = false;
  bool perhaps_taken = false;  // an acquire that was sent twice may have taken the key
};

// Returns at most one refusal a gap (reentry.h), in the order of time. `calls`: the acquires and
// releases of one key, of a lock on one node.
std::vector<Refusal> RefusalsOfAFreeKey(const std::vector<const Call*>& calls,
                                        const Disturbances& disturbances);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LOCK_LAST_EXIT_H_
