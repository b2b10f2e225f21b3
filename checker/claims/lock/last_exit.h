// Finds refusals of a key that was certainly free: one half of the claim `reentry`.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LOCK_LAST_EXIT_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LOCK_LAST_EXIT_H_

#include <vector>

#include "checker/evidence/calls.h"
#include "checker/evidence/disturbances.h"

namespace doublehold {

// A refusal of an acquire while the key was free.
struct Refusal {
  const Call* refused = nullptr;
  const Call* last_exit = nullptr;  // the release that left the key free
  // True if no other client can have been ahead in a queue, and no second copy of an acquire
  // (reentry.h) can have taken the key. If false, the refusal is listed only because the gap lasted
  // for a lease or longer.
  bool certain = false;
  bool perhaps_taken = false;  // a second copy of an acquire may have taken the key
};

// Returns at most one refusal per gap (reentry.h), sorted by time. `calls`: the acquires and
// releases of one key, of a lock on one node.
std::vector<Refusal> FindRefusalsOfFreeKey(const std::vector<const Call*>& calls,
                                           const Disturbances& disturbances);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LOCK_LAST_EXIT_H_
