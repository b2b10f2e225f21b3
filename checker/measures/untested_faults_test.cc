#include "checker/measures/untested_faults.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "checker/judge.h"
#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

// A pause of client 1 that the end of a run of 19 ms heals. The lease is 10 ms.
constexpr char kCutPause[] = R"(
      c1:        A-a===!========R-r
      c2:                   A-x
      pause c1:              [------]   | 12)";

// The run's faults are planned to last `lasts`, and the run 19 ms.
History CutRun(const std::string& picture, Duration lasts = 12ms) {
  History history = FromLanes(picture);
  history.facts.duration = 19ms;
  for (FaultFact& fault : history.facts.faults) fault.lasts = lasts;
  return history;
}

FaultShortfalls ShortfallsIn(const History& history) {
  const Evidence evidence(history);
  return FindShortfalls(evidence, Count(evidence), /*cut_short=*/false);
}

using Sentences = std::vector<std::string>;

TEST(UntestedFaults, AJumpOfAClockActsAtOnce) {
  const History history = CutRun(R"(
      c1:        A-a===!========R-r
      c2:                   A-x
      jump n1:               [------]   | 12)");
  EXPECT_EQ(ShortfallsIn(history).untested, Sentences{});
}

TEST(UntestedFaults, ALongPauseThatTheRunsEndHealedWithinTheLeaseTestedNothing) {
  const RunVerdict verdict = Judge(CutRun(R"(
      c1:        A-a====!==R-r
      c2:                    A-a=====R-r
      pause c1:       [--------------]  | 24)",
                                          24ms));
  EXPECT_EQ(verdict.overall, Outcome::kValid) << "it outlasted the lease";
  EXPECT_TRUE(verdict.untested.empty());

  const RunVerdict cut = Judge(CutRun(R"(
      c1:        A-a=======R-r
      c2:                    A-a=====R-r
      pause c1:               [------]  | 12)"));
  EXPECT_EQ(cut.overall, Outcome::kUnknown);
  EXPECT_EQ(cut.untested,
            Sentences{"fault 'pause' was to last for 12ms: the run's end healed it after 7.0 ms, "
                      "before it outlasted the lease of 10ms; use --duration 1s"});
  EXPECT_EQ(ToJson(cut).at("untested"), nlohmann::json(cut.untested));
  EXPECT_NE(cut.claims[0].reason.find("; but fault 'pause' was to last for 12ms"),
            std::string::npos)
      << cut.claims[0].reason;
}

TEST(UntestedFaults, AStartThatActedAsPlannedTestsTheFault) {
  const std::string one_more = R"(
      pause c2:     [-----------]           | 12)";
  EXPECT_EQ(ShortfallsIn(CutRun(kCutPause)).untested.size(), 1U);
  const FaultShortfalls found = ShortfallsIn(CutRun(std::string(kCutPause) + one_more));
  EXPECT_EQ(found.untested, Sentences{});
  EXPECT_EQ(found.cut, Sentences{"fault 'pause' was to last for 12ms: the run's end healed it "
                                 "after 7.0 ms"});
}

TEST(UntestedFaults, AFaultShorterThanTheLeaseThatWasCutTestedNothing) {
  EXPECT_EQ(ShortfallsIn(CutRun(kCutPause, 8ms)).untested,
            Sentences{"fault 'pause' was to last for 8ms: the run's end healed it after 7.0 ms; "
                      "use --duration 1s"});
  EXPECT_EQ(ShortfallsIn(CutRun(kCutPause, 7ms)).untested, Sentences{}) << "it ended by itself";
  EXPECT_EQ(ShortfallsIn(CutRun(kCutPause, 10ms)).untested,
            Sentences{"fault 'pause' was to last for 10ms: the run's end healed it after 7.0 ms; "
                      "use --duration 1s"});
}

TEST(UntestedFaults, AnEventThatDidNotHappenLeavesAFaultUntestedUnlessItOutlastedTheLease) {
  History history = CutRun(kCutPause, Duration{});
  history.facts.faults[0].until = "client 2 reaches before-write";
  EXPECT_EQ(ShortfallsIn(history).untested,
            Sentences{"fault 'pause' was to last until client 2 reaches before-write, which did "
                      "not happen: the run's end healed it after 7.0 ms, before it outlasted the "
                      "lease of 10ms; use --duration 1s"});
  history.facts.lease = 6ms;
  EXPECT_EQ(ShortfallsIn(history).untested, Sentences{});
  EXPECT_EQ(ShortfallsIn(history).cut.size(), 1U);
}

TEST(UntestedFaults, APauseThatWasCutIsNotAlsoReportedAsTooShortForTheLease) {
  const std::vector<std::string> untested = ShortfallsIn(CutRun(R"(
      c1:        A-a===============R-r
      pause c1:            [--------]       | 12)"))
                                                .untested;
  ASSERT_EQ(untested.size(), 1U);
  EXPECT_NE(untested[0].find("the run's end healed it after 9.0 ms"), std::string::npos);
}

// The delay of each message is planned, but not the length of the fault.
TEST(UntestedFaults, ADelayOfMessagesUntilTheEndOfTheRunIsNotCut) {
  EXPECT_EQ(ShortfallsIn(CutRun(R"(
      c1:        A-a===!========R-r
      delay c1:              [------]       | 30)",
                                Duration{}))
                .untested,
            Sentences{});
}

// A stall of a link, planned for 30 ms, is active from 3 to 20 ms. It kept a message since 13 ms.
TEST(UntestedFaults, AStallActsForAsLongAsItKeptAMessage) {
  History history = CutRun(R"(
      c1:        A-a===!========R-r
      stall c1:     [----------------]      | 30)",
                           30ms);
  EXPECT_EQ(ShortfallsIn(history).untested, Sentences{});
  history.events.back().value[1] = ToNs(7ms);
  EXPECT_EQ(ShortfallsIn(history).untested,
            Sentences{"fault 'stall' was to last for 30ms: the run's end healed it after 7.0 ms, "
                      "before it outlasted the lease of 10ms; use --duration 1s"});
}

// The history records no length of a `hold`: each message has its own.
TEST(UntestedFaults, AHoldThatTheRunsEndReleasedWithinTheLeaseTestedNothing) {
  History history = CutRun(R"(
      c1:        A-a===!========R-r
      hold c1:      [----------------]      | 30)",
                           Duration{});
  EXPECT_EQ(ShortfallsIn(history).untested, Sentences{});
  history.events.back().value[1] = ToNs(7ms);
  EXPECT_EQ(ShortfallsIn(history).untested,
            Sentences{"fault 'hold' was to last for 30ms: the run's end healed it after 7.0 ms, "
                      "before it outlasted the lease of 10ms; use --duration 1s"});
}

}  // namespace
}  // namespace doublehold
