// Verdicts at boundaries, where one fault or 1 ms decides, and their output.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "checker/judge.h"
#include "checker/rates/trials.h"
#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

TEST(JudgeEnds, APausedClientMayStillHoldTheKeyButAKilledClientDoesNot) {
  const std::string unfinished = "c1:       A-a==\nc2:               A-a==R-r";
  EXPECT_EQ(Judge(FromLanes(unfinished + "\ncrash c1:     []")).overall, Outcome::kValid);
  EXPECT_EQ(Judge(FromLanes(unfinished + "\npause c1:     []")).overall, Outcome::kUnknown);
}

TEST(JudgeEnds, ARunIsJudgedIfHalfOfTheDrawnFaultsTookEffect) {
  History history = FromLanes("c1: A-a==R-r\nc2:           A-a==R-r");
  for (int i = 0; i < 4; ++i) {
    history.facts.faults.push_back(
        {.name = fmt::format("drop-{}", i), .kind = "drop", .what = "", .drawn_for = "network"});
  }
  const auto start = [&](int64_t fault) {
    history.events.push_back({.at_ns = history.events.back().at_ns,
                              .client = kSupervisor,
                              .op = Op::kFault,
                              .value = {fault, 0, 1, -1}});
  };
  start(0);
  EXPECT_EQ(Judge(history).overall, Outcome::kUnknown);
  start(1);
  EXPECT_EQ(Judge(history).overall, Outcome::kValid);
}

TEST(JudgeEnds, OneUnansweredCallIsNamedAndFurtherOnesAreCounted) {
  const auto text = [](const std::string& lanes) {
    return ToText(Judge(FromLanes(lanes, {.grace = 1ms, .library = LibraryFact{"lib", "1"}})));
  };
  const std::string call = "a call of client 1, sent by 0.000 s, was never answered";
  const std::string one = text("c1: A--------z | 2");
  EXPECT_NE(one.find(call), std::string::npos) << one;
  EXPECT_EQ(one.find(call + ", like"), std::string::npos) << one;
  const std::string two = text("c1: A--------z | 2\nc2: A---------z | 2");
  EXPECT_NE(two.find(call + ", like 1 call of other sessions"), std::string::npos) << two;
}

TEST(JudgeEnds, FaultsExactlyALeaseApartAreOneTrial) {
  const auto trials = [](const std::string& second) {
    const History history = FromLanes("c1:       A-a=R-r\npause c1: [-]" + second);
    return TrialsOf(Observe(history), history.events.back().at_ns).each.size();
  };
  EXPECT_EQ(trials("\njump n1:              [-]"), 1U);  // the lease is 10 ms
  EXPECT_EQ(trials("\njump n1:               [-]"), 2U);
}

TEST(JudgeEnds, AnUndecidedTrialWidensTheInterval) {
  const RunVerdict verdict = Judge(FromLanes("c1: A-a==R-r"));
  EXPECT_NE(ToText(verdict).find("0 of 1 (1 unknown), 0.0-100.0 %"), std::string::npos)
      << ToText(verdict);
}

TEST(JudgeEnds, TheJsonHasCountsAndOpportunities) {
  const nlohmann::json verdict =
      ToJson(Judge(FromLanes("c1: A-a=====R-r\nc2:    A-a=R-r\nc3:              A-a=R-r")));
  EXPECT_EQ(verdict["claims"][0]["count"], 1);
  EXPECT_EQ(verdict["claims"][0]["opportunities"], 3);
}

TEST(JudgeEnds, TheTextSaysHowLongAFaultWasPlannedToLast) {
  const std::string lanes = "c1:           A-a=====R-r\npause c1:        [---]";
  EXPECT_NE(ToText(Judge(FromLanes(lanes + "  | 4"))).find("; asked 4.0 ms, measured 4.0 ms\n"),
            std::string::npos)
      << ToText(Judge(FromLanes(lanes + "  | 4")));
  EXPECT_NE(ToText(Judge(FromLanes(lanes))).find("; measured 4.0 ms\n"), std::string::npos)
      << ToText(Judge(FromLanes(lanes)));
  History drawn = FromLanes(lanes + "  | 4");
  drawn.facts.faults.at(0).drawn_for = "pause";
  EXPECT_NE(ToText(Judge(drawn)).find("pause: drawn; took effect once; measured 4.0 ms\n"),
            std::string::npos)
      << ToText(Judge(drawn));
}

TEST(JudgeEnds, TheTextCountsTheViolationsOfAHoldThatItDoesNotDescribe) {
  std::string lanes = "c1: A-a==!" + std::string(50, '=') + "R-x\nc2:";
  for (int i = 0; i < 7; ++i) lanes += std::string(i == 0 ? 9 : 1, ' ') + "A-aR-r";
  const std::string text = ToText(Judge(FromLanes(lanes)));
  EXPECT_NE(text.find(" (6 more of the same hold)\n"), std::string::npos) << text;
}

TEST(JudgeEnds, WarnsOfAFaultThatTheRunsEndHealedAfterItOutlastedTheLease) {
  History history = FromLanes(R"(
    c1:             A-a=====R-r
    c2:                          A-a=R-r
    pause c3:          [------------------]
    final:                                  *  | 100/0
)");
  EXPECT_TRUE(Judge(history).warnings.empty()) << Judge(history).warnings[0];
  history.facts.faults[0].until = "client 2 reaches before-write";
  history.facts.duration = 23ms;
  EXPECT_TRUE(Judge(history).warnings.empty()) << "the event may have come";
  history.facts.duration = 20ms;
  EXPECT_EQ(Judge(history).warnings,
            std::vector<std::string>{"fault 'pause' was to last until client 2 reaches "
                                     "before-write, which did not happen: the run's end healed it "
                                     "after 19.0 ms"});
  history.facts.faults[0].until.clear();
  history.facts.faults[0].lasts = 19ms;
  EXPECT_TRUE(Judge(history).warnings.empty()) << "the fault ended by itself";
  history.facts.faults[0].lasts = 1s;
  EXPECT_EQ(Judge(history).warnings,
            std::vector<std::string>{
                "fault 'pause' was to last for 1s: the run's end healed it after 19.0 ms"});
}

TEST(JudgeEnds, ARunThatWasCutShortHasNoWarningsOfDrawnFaults) {
  History history = FromLanes("c1:   A-a=====R-r");
  history.facts.faults = {{.name = "pause-1", .kind = "pause", .drawn_for = "pause"},
                          {.name = "pause-2", .kind = "pause", .drawn_for = "pause"}};
  const auto warns = [&history] {
    return std::ranges::any_of(Judge(history).warnings, [](const std::string& warning) {
      return warning.ends_with("of kind pause found nothing to act on");
    });
  };
  EXPECT_TRUE(warns());
  history.facts.duration = 1s;
  EXPECT_FALSE(warns());
}

// The second thread of c1 holds another key for a while, during the hold of the first thread.
TEST(JudgeEnds, WarnsOfAStallInAHoldThatOutlastsALaterHold) {
  const auto warnings = [](const std::string& stall) {
    return Judge(FromLanes(R"(
      c1.1 item-0:    A-a=========================R-r
      c1.2 item-1:        A-a==R-r
)" + stall))
        .warnings.size();
  };
  EXPECT_EQ(warnings("      machine c1:                    (-------)"), 1U);
  EXPECT_EQ(warnings("      machine c1:                              (-----------)"), 1U);
  EXPECT_EQ(warnings("      machine c1:                                (-------)"), 1U)
      << "a stall that begins before the hold's end";
  EXPECT_EQ(warnings("      machine c1:                                 (-------)"), 0U)
      << "a stall that begins at the hold's end";
}

}  // namespace
}  // namespace doublehold
