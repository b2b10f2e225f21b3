// The claims `exclusion` and `lease-exclusion`: no two clients hold a key at once.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LOCK_EXCLUSION_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LOCK_EXCLUSION_H_

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// Violated when the cores of two clients' holds of a key overlap: somebody believed to be alone and
// was not, whosever fault it is.
//
//   c1:  A-a=====!=======R-r     c1 slept past its lease: `exclusion` is violated,
//   c2:           A-a===R-r      `lease-exclusion` is not: the lock service kept its promise
//
// Unknown where most of the holds had nobody to overlap with: of each key none but one client's, or
// readers'.
//
//   c1 item-0:  A-a===R-r
//   c2 item-1:  A-a===R-r
ClaimVerdict CheckExclusion(const Evidence& evidence, const Limits& limits);

// Violated when what two clients were promised overlaps: the lock service granted twice. So it does
// where the one that had the key was killed, or left without releasing it, with its lease running;
// unknown where a library may have released it then.
//
//   c1:  A-a=============!R-r    c1 was promised the key until `!`, and c2 was granted it before.
//   c2:           A-a===R-r
ClaimVerdict CheckLeaseExclusion(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LOCK_EXCLUSION_H_
