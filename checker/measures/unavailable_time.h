// For how long nobody had a lock that somebody wanted: what a lost reply costs where nothing else
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

// The longest of all keys: while nobody had it and somebody asked for it, to the next grant; where
// there is none, to the end of what was asked last. Nothing where nobody asked for any.
//
//   c1:  A--------?                   whether it was granted nobody knows: it does not hold it
//   c2:     A-x   A-x   A-a=====R-r   from c1's A to c2's a
std::optional<Unheld> LongestUnheld(const Evidence& evidence);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_MEASURES_UNAVAILABLE_TIME_H_
