// Warns if all pauses that were planned to outlast a lease were too short. Such pauses test
// nothing.
#ifndef DOUBLEHOLD_CHECKER_MEASURES_SHORT_PAUSES_H_
#define DOUBLEHOLD_CHECKER_MEASURES_SHORT_PAUSES_H_

#include <string>
#include <vector>

#include "checker/evidence/evidence.h"

namespace doublehold {

// A lock may grant a longer lease than requested: a library may have its own default. If a pause
// was planned by the requested lease, it may then end while the holder's lease is still valid:
//
//   c1:        A-a==(...........)==R-r        requested 5, granted 20
//
// Returns one sentence if pauses stopped holders, but no pause outlasted the lease of its holder.
// Returns no sentence if no pause was planned to outlast a lease, or if no pause stopped a holder
// with a finite lease.
std::vector<std::string> PauseWarnings(const Evidence& evidence);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_MEASURES_SHORT_PAUSES_H_
