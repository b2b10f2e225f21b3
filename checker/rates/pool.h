// Pools the repetitions of an experiment: the number of fault episodes, and of runs, in which each
// claim was violated, with confidence intervals.
//
// No run is left out. A run without a verdict counts as undecided trials of each claim, as many as
// the largest other run has. A violation may have ended such a run, so fewer trials would favour a
// lock that ends its runs.
#ifndef DOUBLEHOLD_CHECKER_RATES_POOL_H_
#define DOUBLEHOLD_CHECKER_RATES_POOL_H_

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "checker/rates/share.h"
#include "checker/rates/trials.h"

namespace doublehold {

constexpr std::string_view kAnyClaim;  // all claims together: the worst outcome of each trial

// The trials of one run, or of several.
struct RunTrials {
  std::string unit;  // "fault episode" or "run"; empty if no run has a verdict
  std::map<std::string, TrialCount, std::less<>> by_trial;  // key: a claim, or kAnyClaim
  std::map<std::string, TrialCount, std::less<>> by_run;
  // Confirmed writes of each trial, and how many of them were lost. Empty if any run lacks these
  // numbers.
  std::vector<TrialShare> lost_updates{};
  int64_t refused_writes = 0;  // stale writes that the store refused
};

// Reads a verdict.json. For anything else, such as null, returns no trials.
RunTrials TrialsIn(const nlohmann::json& verdict);

// Adds up the trials of the runs.
RunTrials Pooled(const std::vector<RunTrials>& runs);

// Returns `of` undecided trials.
TrialCount UndecidedTrials(int64_t of);

// The JSON includes both 95 % intervals; see docs/formats.md.
nlohmann::json ToJson(const TrialCount& trials, const std::string& unit);
// Returns a list with the rates of each claim. Rates by fault episode come first, if the runs have
// any. Rates by run follow.
nlohmann::json ToJson(const RunTrials& pooled);

// Example: "3 of 22 fault episodes (1 unknown)".
std::string CountText(const TrialCount& trials, const std::string& unit);
// Examples: "2.9-39.2 %", "at most 0.0082 %", "at least 15.8 %". The numbers are rounded outwards,
// and have enough decimals for two digits of the upper end.
std::string PercentText(const Interval& interval);
std::string AtMostText(double share);
std::string AtLeastText(double share);
// Example: "3 of 22 fault episodes (1 unknown), 2.9-39.2 %". The interval is the exact one.
std::string RateText(const TrialCount& trials, const std::string& unit);
// Example: "155 (21.3 %, 95 % interval 17.0-25.7 % by fault episode)".
std::string ShareText(const std::vector<TrialShare>& trials, const std::string& unit);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_RATES_POOL_H_
