// The claims `exclusion` and `lease-exclusion`: no two clients hold a key at once.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LOCK_EXCLUSION_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LOCK_EXCLUSION_H_

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// Violated when the cores of two clients' holds of a key overlap, whatever the cause. A core
// (checker/evidence/holds.h) is the time in which the client certainly believed that it held the
// key.
//
//   c1:  A-a=====!=======R-r     c1 slept past its lease: `exclusion` is violated,
//   c2:           A-a===R-r      `lease-exclusion` is not: the lock service kept its promise
//
// Unknown if most holds could not overlap another hold, because only one client, or only readers,
// held their key.
//
//   c1 item-0:  A-a===R-r
//   c2 item-1:  A-a===R-r
ClaimVerdict CheckExclusion(const Evidence& evidence, const Limits& limits);

// Violated when two clients were promised the key at the same instant: the lock service granted it
// twice. A lease still counts if its client was killed or left its section without a release. For a
// library, an overlap with such a lease makes the claim unknown: the library may have released the
// lock by itself.
//
//   c1:  A-a=============!R-r    c1 was promised the key until `!`, but c2 was granted it earlier.
//   c2:           A-a===R-r
ClaimVerdict CheckLeaseExclusion(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LOCK_EXCLUSION_H_
