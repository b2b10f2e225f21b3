// What the repetitions of an experiment come to together: of how many fault episodes, and of how
// many runs, each claim was violated in, and how sure that is.
//
// Nothing is left out. A run that came to no verdict is undecided, claim by claim, as often as the
// largest of the others has trials: nobody knows what it would have shown, and it may be that just
// what was looked for ended it. Fewer would let a lock that ends its runs look better than it is.
#ifndef DOUBLEHOLD_CHECKER_RATES_POOL_H_
#define DOUBLEHOLD_CHECKER_RATES_POOL_H_

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "checker/rates/trials.h"

namespace doublehold {

constexpr std::string_view kAnyClaim;  // all of them together: a trial is what the gravest is

// Of one run, or of several.
struct RunTrials {
  std::string unit;  // "fault episode", "run"; empty: of no run is there a verdict
  std::map<std::string, TrialCount, std::less<>> by_trial;  // by claim, and kAnyClaim
  std::map<std::string, TrialCount, std::less<>> by_run;
};

// Of a verdict.json; of anything else, as null, nothing is known.
RunTrials TrialsIn(const nlohmann::json& verdict);

RunTrials Pooled(const std::vector<RunTrials>& runs);

// Trials of which nothing is known.
TrialCount UndecidedTrials(int64_t of);

// With both intervals: docs/formats.md.
nlohmann::json ToJson(const TrialCount& trials, const std::string& unit);
// By claim; first by fault episode where there are any, then by run.
nlohmann::json ToJson(const RunTrials& pooled);

// "3 of 22 fault episodes (1 unknown)"
std::string CountText(const TrialCount& trials, const std::string& unit);
// "2.9-39.2 %", "at most 0.0082 %", "at least 15.8 %": rounded outwards, with as many decimals as
// show two digits of the upper end.
std::string PercentText(const Interval& interval);
std::string AtMostText(double share);
std::string AtLeastText(double share);
// "3 of 22 fault episodes (1 unknown), 2.9-39.2 %": with the exact interval.
std::string RateText(const TrialCount& trials, const std::string& unit);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_RATES_POOL_H_
