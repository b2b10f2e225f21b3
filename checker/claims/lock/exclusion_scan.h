// Decides `exclusion` for a file of any length: one pass over its mapped records, with 24 bytes of
// state per lock.
//
// The scan decides the ordinary case only: every grant comes while no client holds the key, and
// every hold ends with its own release. The scan gives up on an overlap, a hold that is never
// released, readers, re-entry, a fault, a lost record, or contradicting numbers. In these cases
// checker/claims/lock/exclusion.h decides with the history in memory. A scan that does not give up
// agrees with that checker; a test compares the two.
//
//   c1:  A--a===R-r            c1 holds from `a` to `R`; c2's first acquire is unknown: no hold.
//   c2:       A---?  R-?  A-a=R-r
//
// The ordinary case needs no list of holds: if no grant comes during another hold, no two cores
// overlap. The first grant during another hold makes the scan give up.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LOCK_EXCLUSION_SCAN_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LOCK_EXCLUSION_SCAN_H_

#include <cstdint>
#include <optional>
#include <string>

#include "lib/history/mapped.h"

namespace doublehold {

struct ExclusionScan {
  std::string gave_up{};  // why the scan gave up; if not empty, ignore the other fields
  int64_t holds = 0;
  int64_t judged = 0;                        // holds of keys that two or more owners held
  std::optional<int64_t> shortest_gap_ns{};  // between two holds of a key by different owners
  int64_t last_ns = 0;                       // when the last record was written
};

ExclusionScan ScanExclusion(const MappedHistory& history);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LOCK_EXCLUSION_SCAN_H_
