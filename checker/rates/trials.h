// The chances that a run gave a claim to be violated, each to be counted once: its fault episodes.
//
// Violations cluster: one client that is stopped for long overlaps fifty holds of others, and that
// is one thing that went wrong, not fifty. So a rate over holds says little, and its interval is
// far too short; a rate over fault episodes, or over runs where nothing was made to fail, is one.
#ifndef DOUBLEHOLD_CHECKER_RATES_TRIALS_H_
#define DOUBLEHOLD_CHECKER_RATES_TRIALS_H_

#include <string>
#include <vector>

#include "checker/evidence/disturbances.h"
#include "checker/rates/rate.h"
#include "checker/rates/sequential.h"
#include "checker/verdict/checker.h"

namespace doublehold {

struct Trials {
  std::string unit;         // "fault episode"; "run" of one that was to have no faults
  std::vector<Span> each;   // in order, without gaps from the first on; the first counts from 0
  bool none_began = false;  // of faults that were to: `each` is the run, and undecided
};

// Faults that overlap, or follow one another within a lease, are one trial: what comes of them
// cannot be told apart. A trial lasts until the next one begins, for its consequences come later:
//
//   pause c1:      [----]                     [---]
//   jump n1:          [---]
//                  |--------------------------|------   two trials
Trials TrialsOf(const Scene& scene, int64_t end_ns);

// What became of a claim in each. `doubtful`: something kept the run from showing everything, so
// that a trial in which nothing was seen is unknown; as where nobody knows when it was violated.
std::vector<Outcome3> OutcomesOf(const Trials& trials, const ClaimVerdict& claim, bool doubtful);

// Of all claims together: the gravest in each trial.
std::vector<Outcome3> GravestOf(const std::vector<ClaimVerdict>& claims);

TrialCount CountOf(const std::vector<Outcome3>& outcomes);

// The 95 % intervals of their rate. What is undecided may be violated, or not: it widens them.
Interval WilsonOf(const TrialCount& trials);
Interval ClopperPearsonOf(const TrialCount& trials);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_RATES_TRIALS_H_
