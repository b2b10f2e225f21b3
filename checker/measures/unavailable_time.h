// Measures how long a client waited for a lock that nobody held. A lost reply can cause such a wait
// without violating a claim.
#ifndef DOUBLEHOLD_CHECKER_MEASURES_UNAVAILABLE_TIME_H_
#define DOUBLEHOLD_CHECKER_MEASURES_UNAVAILABLE_TIME_H_

#include <cstdint>
#include <optional>

#include "checker/evidence/evidence.h"
#include "checker/evidence/holds.h"

namespace doublehold {

struct UnavailableTime {
  uint16_t key = 0;
  Span when;
};

// Returns the longest such time over all keys: from the first acquire of a free key to the next
// grant. Without a grant, the time ends with the last acquire. Returns nullopt if no client waited
// for a free key.
//
//   c1:  A--------?                   unknown outcome: does not count as a hold
//   c2:     A-x   A-x   A-a=====R-r   from c1's A to c2's a
std::optional<UnavailableTime> FindLongestUnavailableTime(const Evidence& evidence);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_MEASURES_UNAVAILABLE_TIME_H_
