// Splits a run into trials: the chances of a violation that count once each. These are its fault
// episodes.
//
// Violations cluster: one long pause of a client overlaps fifty holds of others, and that is one
// error, not fifty. So a rate over holds says little, and its interval is far too short. A rate
// over fault episodes, or over runs without faults, is meaningful.
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
  std::string unit;         // "fault episode"; "run" for a run without planned faults
  std::vector<Span> each;   // in order, without gaps; events before the first count to it
  bool none_began = false;  // no planned fault began: `each` is the whole run, and undecided
};

// Faults that overlap, or follow one another within a lease, are one trial: their consequences
// cannot be told apart. A trial lasts until the next one begins, since its consequences come later:
//
//   pause c1:      [----]                     [---]
//   jump n1:          [---]
//                  |--------------------------|------   two trials
Trials TrialsOf(const Disturbances& disturbances, int64_t end_ns);

// The outcome of a claim in each trial. A trial without a violation is unknown if the run is
// `doubtful` (something may have hidden a violation), or if the time of some violation is unknown.
std::vector<Outcome> OutcomesOf(const Trials& trials, const ClaimVerdict& claim, bool doubtful);

// For all claims together: the worst outcome of each trial.
std::vector<Outcome> GravestOf(const std::vector<ClaimVerdict>& claims);

TrialCount CountOf(const std::vector<Outcome>& outcomes);

// The 95 % intervals of the rate. Undecided trials may be violated or not, so they widen the
// interval.
Interval WilsonOf(const TrialCount& trials);
Interval ClopperPearsonOf(const TrialCount& trials);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_RATES_TRIALS_H_
