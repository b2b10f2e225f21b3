// `exclusion` of a file of any length: one pass over its records where they lie, 24 bytes of state
// a lock.
//
// It decides the ordinary case only: every grant comes while nobody holds the key, and every hold
// ends with its own release. Whatever else there is (an overlap, a hold that is never released,
// readers, re-entry, a fault, a lost record, numbers that contradict each other) makes it give up,
// and checker/claims/lock/exclusion.h decides with the history in memory. So it never says more
// than that checker would; a test holds the two to each other.
//
//   c1:  A--a===R-r            c1 holds from `a` to `R`; of c2's acquire the outcome is unknown: no hold.
//   c2:       A---?  R-?  A-a=R-r
//
// Why that is enough: as long as no grant comes while the key is held, no two cores can overlap,
// and the first that does makes it give up.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LOCK_EXCLUSION_SCAN_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LOCK_EXCLUSION_SCAN_H_

#include <cstdint>
#include <optional>
#include <string>

#include "lib/history/mapped.h"

namespace doublehold {

struct ExclusionScan {
  std::string gave_up{};  // why, where it did; then nothing else counts
  int64_t holds = 0;
  int64_t judged = 0;                        // of these, of keys that two owners were granted
  std::optional<int64_t> shortest_gap_ns{};  // between two holds of a key by different owners
  int64_t last_ns = 0;                       // when the last record was written
};

ExclusionScan ScanExclusion(const MappedHistory& history);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LOCK_EXCLUSION_SCAN_H_
