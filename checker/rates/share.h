// The share of events that went wrong, with an interval over trials.
#ifndef DOUBLEHOLD_CHECKER_RATES_SHARE_H_
#define DOUBLEHOLD_CHECKER_RATES_SHARE_H_

#include <cstdint>
#include <vector>

#include "checker/rates/rate.h"

namespace doublehold {

// The events of one trial, and how many of them went wrong.
struct TrialShare {
  int64_t count = 0;
  int64_t of = 0;
};

// Returns the share of all events that went wrong, and its 95 % interval. Trials are independent;
// events are not: one pause may lose five updates. So the interval is that of a ratio of two sums
// over trials, with Student's t (Cochran, Sampling Techniques, chapter 6).
//
// A trial without events counts as none. The interval is never shorter than Wilson's for
// independent events. The formula does not apply in three cases:
// - One trial, or no event: the interval is 0 to 1.
// - Nothing went wrong: the upper end is the exact one for 0 of n trials, because a trial with an
//   error affects at most all of its events.
// - Everything went wrong: likewise, the lower end is the exact one for n of n trials.
Rate ShareOf(const std::vector<TrialShare>& trials);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_RATES_SHARE_H_
