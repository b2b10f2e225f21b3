#include "checker/rates/pool.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace doublehold {
namespace {

using nlohmann::json;

json TrialsJson(int64_t of, int64_t violated, int64_t undecided = 0) {
  return {{"unit", "fault episode"}, {"of", of}, {"violated", violated}, {"undecided", undecided}};
}

json VerdictJson(const std::string& outcome, const json& trials) {
  return {{"overall", outcome},
          {"trials", trials},
          {"claims", {{{"claim", "stock"}, {"outcome", outcome}, {"trials", trials}}}}};
}

const RunTrials kNoVerdict = TrialsIn(nullptr);

TEST(Pool, AddsRunsUpByFaultEpisodeAndByRun) {
  const RunTrials pooled = Pooled({TrialsIn(VerdictJson("violated", TrialsJson(10, 3))),
                                   TrialsIn(VerdictJson("valid", TrialsJson(12, 0))),
                                   TrialsIn(VerdictJson("unknown", TrialsJson(2, 0, 1)))});
  EXPECT_EQ(pooled.unit, "fault episode");
  for (const std::string_view claim : {kAnyClaim, std::string_view("stock")}) {
    EXPECT_EQ(pooled.by_trial.find(claim)->second,
              (TrialCount{.of = 24, .violated = 3, .undecided = 1}));
    EXPECT_EQ(pooled.by_run.find(claim)->second,
              (TrialCount{.of = 3, .violated = 1, .undecided = 1}));
  }
}

TEST(Pool, ARunWithoutAVerdictCountsAsManyUndecidedTrialsAsTheLargestRunHas) {
  const RunTrials pooled = Pooled({kNoVerdict, TrialsIn(VerdictJson("valid", TrialsJson(12, 0))),
                                   TrialsIn(VerdictJson("valid", TrialsJson(5, 0))), kNoVerdict});
  for (const std::string_view claim : {kAnyClaim, std::string_view("stock")}) {
    EXPECT_EQ(pooled.by_trial.find(claim)->second, (TrialCount{.of = 41, .undecided = 24}));
    EXPECT_EQ(pooled.by_run.find(claim)->second, (TrialCount{.of = 4, .undecided = 2}));
  }
}

TEST(Pool, LostUpdatesArePooledOverTheTrialsOfAllRuns) {
  const auto run = [](const json& trials, const json& refused) {
    json verdict = VerdictJson("violated", TrialsJson(2, 1));
    verdict["lost_updates"] = {{"count", 3}, {"trials", trials}};
    verdict["refused_writes"] = refused;
    return TrialsIn(verdict);
  };
  const RunTrials with = run({{2, 8}, {1, 7}}, nullptr);
  const RunTrials pooled = Pooled({with, run({{0, 9}, {3, 6}}, 4), run({{0, 5}, {0, 0}}, 7)});
  EXPECT_EQ(pooled.lost_updates.size(), 6U);
  EXPECT_EQ(ShareText(pooled.lost_updates, "fault episode").substr(0, 10), "35 (17.1 %");
  EXPECT_EQ(pooled.refused_writes, 11);
  // Without some of the runs, the share would not be the share of the cell.
  EXPECT_TRUE(Pooled({with, kNoVerdict}).lost_updates.empty());
  EXPECT_TRUE(Pooled({with, run(nullptr, nullptr)}).lost_updates.empty());
}

TEST(Pool, WithoutAnyVerdictEachRunIsOneUndecidedTrial) {
  const RunTrials pooled = Pooled({kNoVerdict, kNoVerdict});
  EXPECT_EQ(pooled.by_run.at(""), (TrialCount{.of = 2, .undecided = 2}));
  EXPECT_EQ(pooled.by_trial.at(""), (TrialCount{.of = 2, .undecided = 2}));
  EXPECT_EQ(ToJson(pooled).size(), 1U);
  EXPECT_EQ(ToJson(Pooled({})), json::array());
}

TEST(Pool, AClaimWithoutATrialIsUndecided) {
  EXPECT_EQ(TrialsIn(VerdictJson("valid", TrialsJson(0, 0))).by_trial.at("stock"),
            UndecidedTrials(1));
  EXPECT_EQ(TrialsIn({{"overall", "valid"}}).by_trial.at(""), UndecidedTrials(1));
  EXPECT_EQ(TrialsIn({{"overall", "sound"}}).by_run.at(""), UndecidedTrials(1));
}

TEST(Pool, UndecidedTrialsWidenBothIntervals) {
  const json known = ToJson(TrialCount{.of = 20, .violated = 4}, "run");
  const json less = ToJson(TrialCount{.of = 20, .violated = 4, .undecided = 3}, "run");
  for (const char* interval : {"wilson_95", "clopper_pearson_95"}) {
    EXPECT_EQ(less[interval][0], known[interval][0]);
    EXPECT_EQ(less[interval][1], ToJson(TrialCount{.of = 20, .violated = 7}, "run")[interval][1]);
  }
}

// The reference values are from tables of Clopper and Pearson's two-sided 95 % interval.
TEST(Pool, RatesAreListedForAllClaimsTogetherAndThenByClaim) {
  const json rates = ToJson(Pooled({TrialsIn(VerdictJson("violated", TrialsJson(10, 3))),
                                    TrialsIn(VerdictJson("valid", TrialsJson(12, 0)))}));
  ASSERT_EQ(rates.size(), 4U);
  EXPECT_EQ(rates[0]["claim"], nullptr);
  EXPECT_EQ(rates[0]["unit"], "fault episode");
  EXPECT_EQ(rates[1]["claim"], "stock");
  EXPECT_EQ(rates[2]["claim"], nullptr);
  EXPECT_EQ(rates[2]["unit"], "run");
  EXPECT_EQ(rates[3]["of"], 2);
  EXPECT_NEAR(rates[1]["clopper_pearson_95"][0].get<double>(), 0.0291, 1e-4);
  EXPECT_NEAR(rates[1]["clopper_pearson_95"][1].get<double>(), 0.3491, 1e-4);
}

TEST(Pool, ARateIsShownWithItsUnitAndRoundedOutwards) {
  const struct {
    TrialCount trials;
    std::string unit, text;
  } rows[] = {
      {{.of = 22, .violated = 3}, "fault episode", "3 of 22 fault episodes, 2.9-35.0 %"},
      {{.of = 1, .undecided = 1}, "run", "0 of 1 run (1 unknown), 0.0-100.0 %"},
      {{.of = 2, .violated = 1}, "", "1 of 2, 1.2-98.8 %"},
      {{.of = 20}, "run", "0 of 20 runs, 0.0-16.9 %"},
      {{.of = 45'000}, "run", "0 of 45000 runs, 0.0000-0.0082 %"},
      {{.of = 0}, "run", "0 of 0 runs, 0.0-100.0 %"},
  };
  for (const auto& row : rows) EXPECT_EQ(RateText(row.trials, row.unit), row.text);
  EXPECT_EQ(PercentText({.low = 0.05, .high = 0.25}), "5.0-25.0 %");
  EXPECT_EQ(AtMostText(0.19811), "at most 19.9 %");
  EXPECT_EQ(AtMostText(0.0000812), "at most 0.0082 %");
  EXPECT_EQ(AtMostText(0.00095), "at most 0.095 %");
  EXPECT_EQ(AtMostText(0.00995), "at most 1.00 %");
  EXPECT_EQ(AtLeastText(0.20399), "at least 20.3 %");
  EXPECT_EQ(AtLeastText(0), "at least 0.0 %");
}

}  // namespace
}  // namespace doublehold
