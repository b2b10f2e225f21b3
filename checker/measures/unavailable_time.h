// How long nobody held a lock that somebody wanted: the cost of a lost reply where nothing else
// goes wrong.
#ifndef DOUBLEHOLD_CHECKER_MEASURES_UNAVAILABLE_TIME_H_
#define DOUBLEHOLD_CHECKER_MEASURES_UNAVAILABLE_TIME_H_

#include <cstdint>
#include <optional>

#include "checker/evidence/evidence.h"
#include "checker/evidence/holds.h"

namespace doublehold {

struct Unheld {
  uint16_t key = 0;
  Span when;
};

// The longest such time over all keys: from the first acquire of a free key to the next grant.
// Without a grant it ends with the last acquire. Nothing if nobody acquired.
//
//   c1:  A--------?                   unknown outcome: it does not count as a hold
//   c2:     A-x   A-x   A-a=====R-r   from c1's A to c2's a
std::optional<Unheld> LongestUnheld(const Evidence& evidence);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_MEASURES_UNAVAILABLE_TIME_H_
