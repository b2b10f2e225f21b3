#include "checker/rates/pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "checker/evidence/names.h"

namespace doublehold {
namespace {

using nlohmann::json;

constexpr int kMostDecimals = 9;
// A smaller difference is floating-point noise, not a digit to round.
constexpr double kNoise = 1e-9;

TrialCount CountForOutcome(const std::string& outcome) {
  if (outcome == Name(Outcome::kViolated)) return {.of = 1, .violated = 1};
  return outcome == Name(Outcome::kValid) ? TrialCount{.of = 1} : UndecidedTrials(1);
}

// A claim without a trial is undecided: nothing shows that it holds.
TrialCount CountIn(const json& holder) {
  const json trials = holder.value("trials", json::object());
  const TrialCount count{.of = trials.value("of", int64_t{0}),
                         .violated = trials.value("violated", int64_t{0}),
                         .undecided = trials.value("undecided", int64_t{0})};
  return count.of > 0 ? count : UndecidedTrials(1);
}

json ToJson(const Interval& interval) { return {interval.low, interval.high}; }

void Append(const std::map<std::string, TrialCount, std::less<>>& counts, const std::string& unit,
            json& rates) {
  for (const auto& [claim, count] : counts) {
    json rate = ToJson(count, unit);
    rate["claim"] = claim == kAnyClaim ? json() : json(claim);
    rates.push_back(std::move(rate));
  }
}

int DecimalsForShare(double share) {
  int decimals = 1;
  for (double percent = share * 100; percent < 1 && percent > 0 && decimals < kMostDecimals;
       percent *= 10)
    ++decimals;
  return decimals;
}

std::string RoundedDown(double share, int decimals) {
  const double unit = std::pow(10, decimals);
  return fmt::format("{:.{}f}", std::floor(share * 100 * unit + kNoise) / unit, decimals);
}

std::string RoundedUp(double share, int decimals) {
  const double unit = std::pow(10, decimals);
  return fmt::format("{:.{}f}", std::ceil(share * 100 * unit - kNoise) / unit, decimals);
}

}  // namespace

TrialCount UndecidedTrials(int64_t of) { return {.of = of, .undecided = of}; }

RunTrials TrialsIn(const json& verdict) {
  if (!verdict.is_object()) return {};
  RunTrials run;
  run.unit = verdict.value("trials", json::object()).value("unit", "run");
  run.by_trial.emplace(kAnyClaim, CountIn(verdict));
  run.by_run.emplace(kAnyClaim, CountForOutcome(verdict.value("overall", "")));
  for (const json& claim : verdict.value("claims", json::array())) {
    const std::string name = claim.value("claim", "");
    run.by_trial.emplace(name, CountIn(claim));
    run.by_run.emplace(name, CountForOutcome(claim.value("outcome", "")));
  }
  if (const auto lost = verdict.find("lost_updates"); lost != verdict.end() && lost->is_object()) {
    // `trials` is null or missing if it is unknown when an update was lost.
    for (const json& trial : lost->value("trials", json()))
      run.lost_updates.push_back({.count = trial.at(0), .of = trial.at(1)});
  }
  const json refused = verdict.value("refused_writes", json());
  if (refused.is_number_integer()) run.refused_writes = refused;
  return run;
}

RunTrials Pooled(const std::vector<RunTrials>& runs) {
  RunTrials pooled;
  std::set<std::string> claims{std::string(kAnyClaim)};
  int64_t largest = 1;
  for (const RunTrials& run : runs) {
    if (pooled.unit.empty()) pooled.unit = run.unit;
    for (const auto& [claim, count] : run.by_trial) {
      claims.insert(claim);
      largest = std::max(largest, count.of);
    }
  }
  for (const RunTrials& run : runs) {
    const std::vector<TrialShare>& lost = run.lost_updates;
    pooled.lost_updates.insert(pooled.lost_updates.end(), lost.begin(), lost.end());
    pooled.refused_writes += run.refused_writes;
  }
  if (std::ranges::any_of(runs, [](const RunTrials& run) { return run.lost_updates.empty(); }))
    pooled.lost_updates.clear();
  if (runs.empty()) return pooled;
  for (const std::string& claim : claims) {
    for (const RunTrials& run : runs) {
      const auto trial = run.by_trial.find(claim);
      pooled.by_trial[claim] +=
          trial == run.by_trial.end() ? UndecidedTrials(largest) : trial->second;
      const auto whole = run.by_run.find(claim);
      pooled.by_run[claim] += whole == run.by_run.end() ? UndecidedTrials(1) : whole->second;
    }
  }
  return pooled;
}

json ToJson(const TrialCount& trials, const std::string& unit) {
  return {{"unit", unit},
          {"of", trials.of},
          {"violated", trials.violated},
          {"undecided", trials.undecided},
          {"wilson_95", ToJson(WilsonOf(trials))},
          {"clopper_pearson_95", ToJson(ClopperPearsonOf(trials))}};
}

json ToJson(const RunTrials& pooled) {
  json rates = json::array();
  if (pooled.unit != "run" && !pooled.unit.empty()) Append(pooled.by_trial, pooled.unit, rates);
  Append(pooled.by_run, "run", rates);
  return rates;
}

std::string CountText(const TrialCount& trials, const std::string& unit) {
  return fmt::format("{} of {}{}", trials.violated,
                     unit.empty() ? std::to_string(trials.of) : Counted(trials.of, unit),
                     trials.undecided > 0 ? fmt::format(" ({} unknown)", trials.undecided) : "");
}

std::string PercentText(const Interval& interval) {
  const int decimals = DecimalsForShare(interval.high);
  return fmt::format("{}-{} %", RoundedDown(interval.low, decimals),
                     RoundedUp(interval.high, decimals));
}

std::string AtMostText(double share) {
  return fmt::format("at most {} %", RoundedUp(share, DecimalsForShare(share)));
}

std::string AtLeastText(double share) {
  return fmt::format("at least {} %", RoundedDown(share, DecimalsForShare(share)));
}

std::string RateText(const TrialCount& trials, const std::string& unit) {
  return CountText(trials, unit) + ", " + PercentText(ClopperPearsonOf(trials));
}

std::string ShareText(const std::vector<TrialShare>& trials, const std::string& unit) {
  int64_t of = 0;
  for (const TrialShare& trial : trials) of += trial.of;
  const Rate share = ShareOf(trials);
  return fmt::format("{} ({:.1f} %, 95 % interval {} by {})", of, share.rate * 100,
                     PercentText({share.low, share.high}), unit);
}

}  // namespace doublehold
