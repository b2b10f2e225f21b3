// For how long nobody had a lock that somebody wanted: what a lost reply costs where nothing else goes wrong.
#ifndef DOUBLEHOLD_CHECKER_UNHELD_H_
#define DOUBLEHOLD_CHECKER_UNHELD_H_

#include <cstdint>
#include <optional>

#include "checker/evidence.h"
#include "checker/holds.h"

namespace doublehold {

struct Unheld {
  uint16_t key = 0;
  Span when;
};

// The longest of all keys, from when it was first asked for while nobody had it to the next grant; where there is none, to the last
// that was asked and refused. Nothing where each was granted what it asked for.
//
//   c1:  A--------?                   whether it was granted nobody knows: it does not hold it
//   c2:     A-x   A-x   A-a=====R-r   from c1's A to c2's a
std::optional<Unheld> LongestUnheld(const Evidence& evidence);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_UNHELD_H_
