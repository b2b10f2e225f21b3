// Whether a rate became worse since an earlier measurement, the baseline.
#ifndef DOUBLEHOLD_CHECKER_RATES_REGRESSION_H_
#define DOUBLEHOLD_CHECKER_RATES_REGRESSION_H_

#include <cstdint>

#include "checker/rates/sequential.h"

namespace doublehold {

enum class Change : uint8_t {
  kNotWorse,
  kNewlyViolated,   // violated now, and never in the baseline
  kWorse,           // violated more often, by Fisher's exact test
  kNewlyUndecided,  // undecided now, and never in the baseline
  kCannotTell,
};

// `error`: the largest probability of kWorse if both rates are equal. kNewlyViolated is not tested.
//
// kCannotTell means one of these:
// - nothing was judged in one of the two;
// - undecided trials of the baseline decide whether it is worse;
// - a larger share of trials is undecided than in the baseline, so a violation may be hidden
//   (kNewlyUndecided if no trial of the baseline was undecided);
// - the violated share rose, but with so few trials even a violation in each would not be
//   significant.
Change ChangeOf(const TrialCount& now, const TrialCount& before, double error);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_RATES_REGRESSION_H_
