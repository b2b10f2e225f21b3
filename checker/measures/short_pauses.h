// Pauses that were to outlast a lease, and did not: a run that shows nothing of what they are for.
#ifndef DOUBLEHOLD_CHECKER_MEASURES_SHORT_PAUSES_H_
#define DOUBLEHOLD_CHECKER_MEASURES_SHORT_PAUSES_H_

#include <string>
#include <vector>

#include "checker/evidence/evidence.h"

namespace doublehold {

// What a lock grants may last longer than the lease that it is asked for: a library has a default
// of its own. A pause that was planned by that lease is then over while its holder's is still
// valid:
//
//   c1:        A-a==(...........)==R-r        asked for 5, and granted 20
//
// Where no pause of a holder outlasted the lease that it met, one sentence that says so; else none,
// as where no pause was to, or none met a holder whose lease has an end.
std::vector<std::string> PauseWarnings(const Evidence& evidence);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_MEASURES_SHORT_PAUSES_H_
