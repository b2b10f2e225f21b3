#include "checker/rates/until.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace doublehold {
namespace {

TEST(Until, ReadsTheRateTheLimitAndTheConfidence) {
  const struct {
    std::string text, claim;
    bool per_run;
    double limit, confidence;
  } rows[] = {{"rate < 1e-4 @ 95%", "", false, 1e-4, 0.95},
              {"rate<0.5%@99%", "", false, 0.005, 0.99},
              {"rate per run < 0.1", "", true, 0.1, 0.95},
              {" rate of stock per run <2% @0.9 ", "stock", true, 0.02, 0.9},
              {"rate < 1e-9 @ 50%", "", false, 1e-9, 0.5}};
  for (const auto& row : rows) {
    const Result<Until> until = ReadUntil(row.text);
    ASSERT_TRUE(until.has_value()) << until.error().message;
    EXPECT_EQ(until->claim, row.claim);
    EXPECT_EQ(until->per_run, row.per_run);
    EXPECT_DOUBLE_EQ(until->question.limit, row.limit);
    EXPECT_DOUBLE_EQ(until->question.confidence, row.confidence);
    EXPECT_EQ(until->text, row.text);
  }
}

TEST(Until, RefusesInvalidTextAndSuggestsTheNearestValidText) {
  const struct {
    std::string text, why;
  } rows[] = {
      {"", "it is empty"},
      {"   ", "it is empty"},
      {"rat < 1", "it begins with 'rat' (did you mean 'rate'?)"},
      {"< 1%", "it begins with '<' (one of: rate)"},
      {"rate", "expected '<', found the end"},
      {"rate > 1%", "expected '<', found '>'"},
      {"rate <", "the limit after '<' is missing"},
      {"rate <= 1%", "the limit '=' is not a number"},
      {"rate < little", "the limit 'little' is not a number"},
      {"rate < 1e-4x", "the limit '1e-4x' is not a number"},
      {"rate < 2", "the limit '2' is not from 1e-9 to below 1 (did you mean '2%'?)"},
      {"rate < 1", "the limit '1' is not from 1e-9 to below 1 (did you mean '1%'?)"},
      {"rate < 100%", "the limit '100%' is not from 1e-9 to below 1 (did you mean '0.99'?)"},
      {"rate < 0", "the limit '0' is not from 1e-9 to below 1 (did you mean '1e-9'?)"},
      {"rate < -1", "the limit '-1' is not from 1e-9 to below 1 (did you mean '1e-9'?)"},
      {"rate < nan", "the limit 'nan' is not from 1e-9"},
      {"rate < 1% @", "the confidence after '@' is missing"},
      {"rate < 1% @ sure", "the confidence 'sure' is not a number"},
      {"rate < 1% @ 101%",
       "the confidence '101%' is not from 50% to below 100% (did you mean '99%'?)"},
      {"rate < 1% @ 100%", "the confidence '100%' is not from 50% to below 100%"},
      {"rate < 1% @ 95", "the confidence '95' is not from 50% to below 100% (did you mean '95%'?)"},
      {"rate < 1% @ 0.05",
       "the confidence '0.05' is not from 50% to below 100% (did you mean '50%'?)"},
      {"rate of stok < 1%", "claim 'stok' is unknown (did you mean 'stock'?)"},
      {"rate per hold < 1%", "expected 'run' after 'per', found 'hold'"},
      {"rate < 1% @ 95% please", "unexpected 'please'"},
  };
  for (const auto& row : rows) {
    const Result<Until> until = ReadUntil(row.text);
    ASSERT_FALSE(until.has_value()) << row.text;
    EXPECT_EQ(until.error().code, ExitCode::kBadInput);
    const std::string& said = until.error().message;
    EXPECT_TRUE(said.starts_with("--until '" + row.text + "': " + row.why)) << said;
    EXPECT_EQ(said.find('\n'), std::string::npos);
  }
}

// Returns a run with a verdict. `any`: its fault episodes for all claims together. `stock`: its
// fault episodes for the claim `stock`.
RunTrials RunOf(const TrialCount& any, const TrialCount& stock) {
  RunTrials run{.unit = "fault episode", .by_trial = {}, .by_run = {}};
  run.by_trial = {{"", any}, {"stock", stock}};
  run.by_run = {{"", {.of = 1, .violated = any.violated > 0 ? 1 : 0}},
                {"stock", {.of = 1, .violated = stock.violated > 0 ? 1 : 0}}};
  return run;
}
RunTrials RunOf(const TrialCount& any) { return RunOf(any, any); }

Repetitions RepetitionsFor(const std::string& text) { return Repetitions(*ReadUntil(text)); }

TEST(Repetitions, AreJudgedInThePlannedOrder) {
  Repetitions repetitions = RepetitionsFor("rate < 1%");
  repetitions.Take(2, RunOf({.of = 500}));  // a faster run does not count before the first
  EXPECT_EQ(repetitions.answer(), RateAnswer::kOpen);
  EXPECT_EQ(repetitions.runs(), 0);
  repetitions.Take(1, RunOf({.of = 20, .violated = 5}));
  EXPECT_EQ(repetitions.answer(), RateAnswer::kNotBelow);
  EXPECT_EQ(repetitions.runs(), 1);
  EXPECT_EQ(repetitions.seen(), (TrialCount{.of = 20, .violated = 5}));
  EXPECT_TRUE(repetitions.IsOver());
}

TEST(Repetitions, EndWhenTheRateIsKnownInEitherDirection) {
  Repetitions valid = RepetitionsFor("rate < 10%");
  int run = 0;
  while (!valid.IsOver()) valid.Take(++run, RunOf({.of = 1}));
  EXPECT_EQ(valid.answer(), RateAnswer::kBelow);
  EXPECT_EQ(run, FewestForBelow({.limit = 0.1}));
  Repetitions violated = RepetitionsFor("rate < 10%");
  for (run = 0; !violated.IsOver();) violated.Take(++run, RunOf({.of = 1, .violated = 1}));
  EXPECT_EQ(violated.answer(), RateAnswer::kNotBelow);
  EXPECT_EQ(run, 2);
}

TEST(Repetitions, CountTheClaimAndTheUnitThatTheQuestionNames) {
  const RunTrials run = RunOf({.of = 40, .violated = 8}, {.of = 40});
  Repetitions any = RepetitionsFor("rate < 1%"), stock = RepetitionsFor("rate of stock < 1%");
  Repetitions per_run = RepetitionsFor("rate per run < 1%"),
              fencing = RepetitionsFor("rate of fencing < 1%");
  for (Repetitions* each : {&any, &stock, &per_run, &fencing}) each->Take(1, run);
  EXPECT_EQ(any.seen(), (TrialCount{.of = 40, .violated = 8}));
  EXPECT_EQ(any.unit(), "fault episode");
  EXPECT_EQ(stock.seen(), (TrialCount{.of = 40}));
  EXPECT_EQ(per_run.seen(), (TrialCount{.of = 1, .violated = 1}));
  EXPECT_EQ(per_run.unit(), "run");
  EXPECT_EQ(fencing.seen(), UndecidedTrials(1)) << "a claim that was not judged";
}

TEST(Repetitions, ARunWithoutAVerdictCountsAgainstEitherAnswer) {
  Repetitions repetitions = RepetitionsFor("rate < 1%");
  repetitions.Take(1, RunOf({.of = 440}));
  repetitions.Take(2, TrialsIn(nullptr));
  EXPECT_EQ(repetitions.seen(), (TrialCount{.of = 880, .undecided = 440}));
  repetitions.Take(3, RunOf({.of = 2000}));
  EXPECT_EQ(repetitions.answer(), RateAnswer::kOpen);
}

TEST(Repetitions, EndAfterFiveRunsInARowWithoutAVerdict) {
  Repetitions repetitions = RepetitionsFor("rate < 1%");
  for (int run = 1; run <= 4; ++run) repetitions.Take(run, TrialsIn(nullptr));
  repetitions.Take(5, RunOf({.of = 1}));
  for (int run = 6; run <= 9; ++run) repetitions.Take(run, TrialsIn(nullptr));
  EXPECT_FALSE(repetitions.IsOver());
  repetitions.Take(10, TrialsIn(nullptr));
  EXPECT_TRUE(repetitions.IsOver());
  EXPECT_EQ(repetitions.answer(), RateAnswer::kOpen);
  repetitions.Take(11, RunOf({.of = 1}));
  EXPECT_TRUE(repetitions.IsOver());
}

}  // namespace
}  // namespace doublehold
