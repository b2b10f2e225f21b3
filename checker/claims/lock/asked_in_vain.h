// Finds sessions that asked for a key for a long time while nobody was granted it.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LOCK_ASKED_IN_VAIN_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LOCK_ASKED_IN_VAIN_H_

#include <cstdint>
#include <map>

#include "checker/evidence/evidence.h"
#include "checker/evidence/holds.h"

namespace doublehold {

// A time in which a session asked for a key, and nobody had been granted the key or was granted it.
struct AskedInVain {
  SessionId session;
  Span when;
  int64_t for_ns = 0;  // length of `when`, without the time in which the client was blocked
};

// Returns for each key the longest such time after the end of every fault and long stall that may
// hinder clients (Disturbed::Which::kHinders), if it is longer than `patience_ns`.
//
//   c1:  A-a=R-?                              c1 gave the key up, and its lease ends at !
//   c2:     A-x  A-x ! A-x  A-x  A-?  A-x     c2 asked in vain from ! to the last x
//
// A session asks from the invocation of an acquire to its answer, and on to its next acquire if
// that follows within a lease. An acquire without an answer asks until its client ends, or until
// the first probe. Acquires of several keys do not count, since they may wait for another key.
//
// A hold lasts from its answer to the answer of its release. Without an answer, it lasts until
// LeaseEnds::LikelyNs. An acquire of unknown outcome is no hold here, although it may have been
// granted. So this is no proof that the key was free.
std::map<uint16_t, AskedInVain> FindAskedInVain(const Evidence& evidence, int64_t patience_ns);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LOCK_ASKED_IN_VAIN_H_
