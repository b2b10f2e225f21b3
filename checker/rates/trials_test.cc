#include "checker/rates/trials.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checker/judge.h"
#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

std::vector<Span> TrialSpansMs(std::string_view picture) {
  const History history = FromLanes(picture);
  std::vector<Span> spans = TrialsOf(Observe(history), history.events.back().at_ns).each;
  for (Span& span : spans) span = {span.from_ns / 1'000'000, span.to_ns / 1'000'000};
  return spans;
}

// In drawings, the lease is 10 ms.
TEST(Trials, ATrialLastsFromItsFaultToTheNextTrial) {
  EXPECT_EQ(TrialSpansMs(R"(
      c1:       A-a=R-r                                  A-a=R-r
      pause c1:    [--]                 [---]                    )"),
            (std::vector<Span>{{3, 24}, {24, 47}}));
}

TEST(Trials, FaultsThatOverlapOrFollowWithinALeaseAreOneTrial) {
  EXPECT_EQ(TrialSpansMs(R"(
      c1:       A-a=R-r                                  A-a=R-r
      pause c1:    [------------]
      jump n1:          [-]
      crash c2:                         []                        )"),
            (std::vector<Span>{{3, 47}}));
  EXPECT_EQ(TrialSpansMs(R"(
      c1:       A-a=R-r                                  A-a=R-r
      pause c1:    [------------]
      jump n1:          [-]
      crash c2:                            []                     )"),
            (std::vector<Span>{{3, 27}, {27, 47}}));
}

TEST(Trials, ARunWithoutFaultsIsOneTrial) {
  const History history = FromLanes("c1: A-a=R-r");
  const Trials trials = TrialsOf(Observe(history), 7);
  EXPECT_EQ(trials.unit, "run");
  EXPECT_EQ(trials.each, (std::vector<Span>{{0, 7}}));
}

ClaimVerdict VerdictSeenAt(Outcome outcome, const std::vector<int64_t>& at_ns) {
  ClaimVerdict verdict{.outcome = outcome};
  for (const int64_t at : at_ns) verdict.seen.push_back({.at_ns = at});
  return verdict;
}

TEST(Trials, AllViolationsInOneTrialCountOnce) {
  const Trials trials{.unit = "fault episode", .each = {{10, 20}, {20, 30}, {30, 40}}};
  struct Row {
    ClaimVerdict claim;
    bool doubtful;
    TrialCount count;
  };
  for (const Row& row : {Row{VerdictSeenAt(Outcome::kValid, {}), false, {3, 0, 0}},
                         {VerdictSeenAt(Outcome::kValid, {}), true, {3, 0, 3}},
                         {VerdictSeenAt(Outcome::kUnknown, {15}), false, {3, 0, 3}},
                         {VerdictSeenAt(Outcome::kViolated, {12, 15, 19}), false, {3, 1, 0}},
                         {VerdictSeenAt(Outcome::kViolated, {19, 20}), false, {3, 2, 0}},
                         {VerdictSeenAt(Outcome::kViolated, {35, 99}), true, {3, 1, 2}},
                         {VerdictSeenAt(Outcome::kViolated, {3}), false, {3, 1, 0}}}) {
    EXPECT_EQ(CountOf(OutcomesOf(trials, row.claim, row.doubtful)), row.count);
  }
}

TEST(Trials, AViolationAtAnUnknownTimeLeavesTheOtherTrialsUnknown) {
  const Trials trials{.unit = "fault episode", .each = {{10, 20}, {20, 30}, {30, 40}}};
  const auto count = [&](const std::vector<int64_t>& at_ns) {
    return CountOf(OutcomesOf(trials, VerdictSeenAt(Outcome::kViolated, at_ns), false));
  };
  EXPECT_EQ(count({0}), (TrialCount{3, 1, 2}));
  EXPECT_EQ(count({0, 15, 25}), (TrialCount{3, 2, 1}));
  EXPECT_EQ(count({}), (TrialCount{3, 1, 0}));
}

TEST(Trials, ATrialWhoseViolationAStallMayExplainIsUnknown) {
  const Trials trials{.unit = "fault episode", .each = {{10, 20}, {20, 30}, {30, 40}}};
  ClaimVerdict claim = VerdictSeenAt(Outcome::kViolated, {15, 25});
  claim.seen[1].explained_by_stall = true;
  EXPECT_EQ(CountOf(OutcomesOf(trials, claim, false)), (TrialCount{3, 1, 1}));
}

TEST(Trials, FaultsThatNeverBeganAreOneUndecidedTrial) {
  History history = FromLanes("c1: A-a=R-r");
  history.facts.faults = {{.name = "stall", .kind = "pause", .what = "", .planned = 2}};
  const Trials trials = TrialsOf(Observe(history), 7);
  EXPECT_EQ(trials.unit, "fault episode");
  EXPECT_EQ(trials.each, (std::vector<Span>{{0, 7}}));
  EXPECT_EQ(CountOf(OutcomesOf(trials, VerdictSeenAt(Outcome::kValid, {}), false)),
            (TrialCount{1, 0, 1}));
  EXPECT_EQ(CountOf(OutcomesOf(trials, VerdictSeenAt(Outcome::kViolated, {3}), false)),
            (TrialCount{1, 1, 0}));
}

TEST(Trials, TheWorstOutcomeOfAllClaimsCounts) {
  std::vector<ClaimVerdict> claims(2);
  claims[0].trials = {Outcome::kValid, Outcome::kUnknown, Outcome::kViolated};
  claims[1].trials = {Outcome::kValid, Outcome::kViolated, Outcome::kValid};
  EXPECT_EQ(CountOf(GravestOf(claims)), (TrialCount{3, 2, 0}));
  std::swap(claims[0], claims[1]);
  claims[1].trials.pop_back();  // a claim with fewer trials
  EXPECT_EQ(CountOf(GravestOf(claims)), (TrialCount{3, 1, 0}));
}

// Client 1 is paused beyond its lease twice. In the first pause, two holds of client 2 overlap
// client 1's hold. In the second pause, one hold does. Each pause is one trial.
TEST(Trials, AJudgedRunCountsEpisodesNotHolds) {
  const RunVerdict verdict = Judge(FromLanes(R"(
      c1:       A-a==!==================R-x                          A-a==!========R-x      A-a=R-r
      c2:               A-a=R-r A-a=R-r                                      A-a=R-r
      c3:          A----------------------                                              A-a=R-r
      pause c1:     [-----------------]                                  [-------]
      pause c2:                                                                                    [])",
                                             {.claims = {"exclusion", "lease-exclusion"}}));
  EXPECT_EQ(verdict.trial_unit, "fault episode");
  EXPECT_EQ(verdict.claims[0].count, 3) << ToText(verdict);
  EXPECT_EQ(verdict.claims[0].seen.size(), 3U);
  EXPECT_EQ(CountOf(verdict.claims[0].trials), (TrialCount{3, 2, 0})) << ToText(verdict);
  EXPECT_EQ(CountOf(verdict.claims[1].trials), (TrialCount{3, 0, 0}));
  EXPECT_EQ(verdict.claims[0].overlap->count, 3);
}

}  // namespace
}  // namespace doublehold
