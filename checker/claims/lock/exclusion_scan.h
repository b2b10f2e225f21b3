// Decides `exclusion` for a file of any length: one pass over its mapped records, with 24 bytes of
// state a lock.
//
// It decides the ordinary case only: every grant comes while nobody holds the key, and every hold
// ends with its own release. It gives up on an overlap, a hold that is never released, readers,
// re-entry, a fault, a lost record, or contradicting numbers. Then checker/claims/lock/exclusion.h
// decides with the history in memory. So the scan never says more than that checker would; a test
// compares the two.
//
//   c1:  A--a===R-r            c1 holds from `a` to `R`; c2's first acquire is unknown: no hold.
//   c2:       A---?  R-?  A-a=R-r
//
// Why this is enough: while no grant comes during another hold, no two cores overlap; the first
// grant that does makes the scan give up.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LOCK_EXCLUSION_SCAN_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LOCK_EXCLUSION_SCAN_H_

#include <cstdint>
#include <optional>
#include <string>

#include "lib/history/mapped.h"

namespace doublehold {

struct ExclusionScan {
  std::string gave_up{};  // why, if it gave up; then no other field counts
  int64_t holds = 0;
  int64_t judged = 0;                        // holds of keys that two owners were granted
  std::optional<int64_t> shortest_gap_ns{};  // between two holds of a key by different owners
  int64_t last_ns = 0;                       // when the last record was written
};

ExclusionScan ScanExclusion(const MappedHistory& history);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LOCK_EXCLUSION_SCAN_H_
