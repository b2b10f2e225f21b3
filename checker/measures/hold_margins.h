// Measures how close the holds of a run came to overlapping.
#ifndef DOUBLEHOLD_CHECKER_MEASURES_HOLD_MARGINS_H_
#define DOUBLEHOLD_CHECKER_MEASURES_HOLD_MARGINS_H_

#include <vector>

#include "checker/evidence/disturbances.h"
#include "checker/evidence/holds.h"
#include "checker/verdict/margin.h"

namespace doublehold {

// For `exclusion`: the time from the end of a hold to the next hold of its key by another client.
//
//   c1:  A-a==R-r
//   c2:        A---a==R     5 ms from R to a
std::vector<Margin> GapMargins(const Disturbances& disturbances, const Holds& holds);

// For `lease-exclusion`: the time left of a lease at the release of its hold, and at its grant. A
// client that is granted a nearly expired lease soon works unprotected.
std::vector<Margin> LeaseMargins(const Disturbances& disturbances, const Holds& holds);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_MEASURES_HOLD_MARGINS_H_
