// When a key was certainly free, and who was refused it then: one half of the claim `reentry`.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LOCK_LAST_EXIT_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LOCK_LAST_EXIT_H_

#include <vector>

#include "checker/evidence/calls.h"
#include "checker/evidence/disturbances.h"

namespace doublehold {

// Somebody who was refused a free key.
struct Refusal {
  const Call* refused = nullptr;
  const Call* last_exit = nullptr;  // after whose return nobody held it
  // Nobody else can have stood before it, or taken it unheard; else it only lasted for a lease.
  bool certain = false;
  bool perhaps_taken = false;  // that is: by an acquire that was sent twice
};

// At most one a gap (reentry.h), in the order of time. `calls`: the acquires and releases of one
// key, of a lock on one node.
std::vector<Refusal> RefusalsOfAFreeKey(const std::vector<const Call*>& calls, const Scene& scene);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LOCK_LAST_EXIT_H_
