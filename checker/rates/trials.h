// Splits a run into trials: its fault episodes, or the whole run if no faults were planned. A trial
// counts once, however many violations it contains.
//
// Violations cluster: one long pause of a client may overlap fifty holds of others. This is one
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
  std::vector<Span> each;   // in order, without gaps; the first trial includes all earlier events
  bool none_began = false;  // no planned fault began; the only trial is undecided or violated
};

// Faults that overlap, or follow one another within a lease, are one trial, because their effects
// cannot be distinguished. A trial lasts until the next trial begins, because a fault may have late
// effects:
//
//   pause c1:      [----]                     [---]
//   jump n1:          [---]
//                  |--------------------------|------   two trials
Trials TrialsOf(const Disturbances& disturbances, int64_t end_ns);

// Returns the index of the trial in which the instant lies; an instant before the first trial is in
// the first. Requires at least one trial.
size_t TrialAt(const Trials& trials, int64_t at_ns);

// Returns the outcome of a claim in each trial. A trial without a violation is unknown in two
// cases: the run is `doubtful` (something may have hidden a violation), or a violation has an
// unknown time.
std::vector<Outcome> OutcomesOf(const Trials& trials, const ClaimVerdict& claim, bool doubtful);

// Returns the worst outcome of any claim in each trial.
std::vector<Outcome> GravestOf(const std::vector<ClaimVerdict>& claims);

TrialCount CountOf(const std::vector<Outcome>& outcomes);

// The 95 % intervals of the rate. Undecided trials may be violated or not, so they widen the
// interval.
Interval WilsonOf(const TrialCount& trials);
Interval ClopperPearsonOf(const TrialCount& trials);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_RATES_TRIALS_H_
