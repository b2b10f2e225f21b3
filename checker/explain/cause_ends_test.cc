// Tests causes at their bounds: a fault that is just long enough, or just too short or too late.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "checker/explain/cause.h"
#include "checker/judge.h"
#include "checker/testing/ascii_history.h"
#include "checker/testing/testing_causes.h"

namespace doublehold {
namespace {

using testing::ExpectCauses;
using testing::FirstOf;

// c1 is 4 ms late, and c2 is granted the key meanwhile.
const std::string kFourLate = R"(
      c1:          A-a=============!===R-x
      c2:                          A-a==R-r)";

TEST(CauseEnds, AFaultThatLastsAsLongAsTheLatenessIsTheCause) {
  ExpectCauses({
      {"exclusion", kFourLate + "\n      pause c1:         [---]", "stopped"},
      {"exclusion", kFourLate + "\n      pause c1:         [--]", "overran"},
  });
}

TEST(CauseEnds, AReleaseThatFreedItsOwnLockFreedNoOtherOwnersLock) {
  // c2 can only have been granted the key after c1's DEL had freed c1's own lock.
  const std::string before = R"(
      c1:                A-a=====R--f
      c2:                         A---a===========R-x
      c3:                                   A-a==R-x)";
  const std::string after = R"(
      c1:                A-a=====R------f
      c2:                         A---a===========R-x
      c3:                                   A-a==R-x)";
  for (const std::string& lanes : {before, after}) {
    std::string over = lanes;
    over.replace(over.find("=="), 2, "!=");
    ExpectCauses({
        {"lease-exclusion", lanes, "unexplained"},
        // In the other cases, c1's own lock may have been lost before its release.
        {"lease-exclusion", over, "foreign-release"},
        {"lease-exclusion", lanes + "\n      evict n1:              [-]", "foreign-release"},
        {"lease-exclusion", lanes + "\n      c4:          A-aR---------f", "foreign-release"},
        {"lease-exclusion", lanes, "foreign-release", {.nodes = 2}},
    });
    // c1's lease ends at the instant of the answer, or right before.
    History history = FromLanes(lanes, {.claims = {"lease-exclusion"}});
    const auto answer = std::ranges::find_if(history.events, [](const Event& event) {
      return event.op == Op::kRelease && event.type == EventType::kOk;
    });
    const auto grant = std::ranges::find_if(history.events, [](const Event& event) {
      return event.op == Op::kAcquire && event.type == EventType::kOk;
    });
    grant->value[0] = answer->at_ns;
    EXPECT_EQ(testing::CauseOf(history, "lease-exclusion"), "unexplained");
    grant->value[0] = answer->at_ns - 1;
    EXPECT_EQ(testing::CauseOf(history, "lease-exclusion"), "foreign-release");
  }
}

// c1 waits for the answer to its write from 5 to 18 ms, and is 12 ms late.
const std::string kCauseEndsLate = R"(
      c1:          A-a==W--!---------w=R-x       | 5>4
      c2:                       A-a==R-r)";

TEST(CauseEnds, TheDelayBySimultaneousFaultsIsCountedOnce) {
  ExpectCauses({{"exclusion",
                 kCauseEndsLate + "\n      hold c1:          [---]\n      delay c1:         [---]",
                 "overran"}});
}

TEST(CauseEnds, AClientWaitsForALostMessageAfterTheFaultEnds) {
  ExpectCauses({{"exclusion", kCauseEndsLate + "\n      drop c1:          [-]", "message-held"}});
}

TEST(CauseEnds, AStallExplainsAnExpiredLeaseOrAMissingAnswer) {
  const auto because = [](const std::string& claim, const std::string& lanes) {
    return FirstOf(FromLanes(lanes, {.write = "watch", .claims = {claim}}), claim).because;
  };
  EXPECT_EQ(because("exclusion", kFourLate + "\n      machine c1:       (---)"),
            "the lease would have lasted without that stall");
  EXPECT_EQ(because("stock", R"(
      c1:          A-a=g=W------?=g=W-w=R-r    | 5 5>4 4 4>3
      machine n0:        (----------)
      final:                               *   | 3/1)"),
            "the write would have been answered without that stall");
}

TEST(CauseEnds, ARenewalAnsweredAfterTheLeaseEndedHasFailed) {
  ExpectCauses({{"exclusion", R"(
      c1:          A-a=E===!------e====!=R-x
      c2:                    A-a==R-r)",
                 "renewal-failed"}});
}

TEST(CauseEnds, ARenewalRefusedAfterTheLeaseEndedDoesNotExplainTheEnd) {
  const auto because = [](const std::string& holder) {
    const RunVerdict verdict =
        Judge(FromLanes("c1:  " + holder + "\nc2:                  A-a==R-r"));
    return verdict.claims.at(0).violations.at(0).because;
  };
  EXPECT_EQ(because("A-a=E-x=!==========R-x"),
            "the renewal that client 1 sent at 0.004 s was refused at 0.006 s");
  EXPECT_EQ(
      because("A-a=E===!------x===R-x"),
      "the renewal that client 1 sent at 0.004 s was not answered before the lease was over at "
      "0.008 s, and refused at 0.015 s");
}

TEST(CauseEnds, ARenewalMayBeAnsweredWithAnError) {
  History history = FromLanes(R"(
      c1:          A-a=E===!-----?====R-x
      c2:                       A-a==R-r)");
  history.events.push_back(
      {.at_ns = 10'000'000, .client = 1, .op = Op::kDriverError, .value = {5'000'000, 2}});
  SortByTime(history.events);
  EXPECT_EQ(FirstOf(history, "exclusion").because,
            "the renewal that client 1 sent at 0.004 s was answered with an error");
}

TEST(CauseEnds, ExtendingALeaseDuringAnotherHoldIsNoDoubleGrant) {
  const Violation violation = FirstOf(FromLanes(R"(
      c1: A-a==!======E-e===R-r
      c2:       A-a=======R-r)",
                                                {.claims = {"lease-exclusion"}}),
                                      "lease-exclusion");
  EXPECT_EQ(violation.because, "a lease was extended while another client held the key");
}

TEST(CauseEnds, TheLastFaultThatLostTheTokenCounterIsTheCause) {
  const std::string back = R"(
      c1:          A-a===R-r                       | #5
      c2:                            A-a==R-r      | #1
      restart n1:)";
  const auto because = [&](const std::string& restarts) {
    return FirstOf(FromLanes(back + restarts, {.claims = {"fencing"}}), "fencing").because;
  };
  EXPECT_EQ(because("   []     []"), "node 1 had been restarted at 0.008 s");
  EXPECT_EQ(because("                              []"),
            "no fault is recorded that loses a counter");
}

TEST(CauseEnds, AFaultAfterTheProbeFoundTheKeyStuckIsNotTheCause) {
  ExpectCauses({{"liveness",
                 "c1:         A-a==R-r\nprobe:              P---------------x\n"
                 "crash n1:                                   []",
                 "unexplained"},
                {"liveness",
                 "c1:         A-a==R-r\nprobe:              P---------------x\n"
                 "crash n1:           []",
                 "node-down"}});
}

TEST(CauseEnds, AKeyThatIsLeftOverIsUnexplained) {
  const Violation left = FirstOf(FromLanes(R"(
      c1:         A-a=R-r
      drop c2:  []
      expiry:                     * | 280)",
                                           {.claims = {"key-leak"}}),
                                 "key-leak");
  EXPECT_EQ(left.because, "the record does not show what a server did with a key");
  EXPECT_TRUE(
      left.sentence.ends_with("; before that, client 2's messages were being lost "
                              "(0.000-0.001 s)"))
      << left.sentence;
  EXPECT_EQ(left.fault, 0);
}

// Both leases last a second.
const std::string kCauseEndsBoth = R"(
      c1:          A-a================R-r
      c2:                    A-a==R-r)";

TEST(CauseEnds, TheEndOfABackwardJumpMovesTheClockAhead) {
  ExpectCauses(
      {{"lease-exclusion", kCauseEndsBoth + "\n      jump n1: [--------]   | -2000",
        "server-clock"},
       {"lease-exclusion", kCauseEndsBoth + "\n      jump n1: [--------]   | 2000", "unexplained"},
       // The clock moves at the instant of a grant, forward or back.
       {"lease-exclusion", kCauseEndsBoth + "\n      jump n1:                 [--]  | 2000",
        "server-clock"},
       {"lease-exclusion", kCauseEndsBoth + "\n      jump n1:       [----]   | -2000",
        "server-clock"},
       // It is never set right again.
       {"lease-exclusion", kCauseEndsBoth + "\n      jump n1:           [   | 2000",
        "server-clock"}});
}

TEST(CauseEnds, AMajorityOfAnEvenNumberIsMoreThanHalf) {
  const LaneOptions four{.nodes = 4, .lock = "redlock"};
  const auto jump = [](int node) {
    return "\n      jump n" + std::to_string(node) + ":           [----------]   | 2000";
  };
  ExpectCauses(
      {{"lease-exclusion", kCauseEndsBoth + jump(1) + jump(2), "quorum-overlap", four},
       {"lease-exclusion", kCauseEndsBoth + jump(1) + jump(2) + jump(3), "server-clock", four},
       // It is not known which clocks moved.
       {"lease-exclusion", kCauseEndsBoth + "\n      jump:              [------]   | 2000",
        "unexplained", four}});
}

TEST(CauseEnds, AReleaseBeforeTheGrantOrByTheHolderIsNotTheCause) {
  ExpectCauses({{"lease-exclusion", kCauseEndsBoth + "\n      c3: A-aR-f", "unexplained"},
                {"lease-exclusion",
                 R"(
      c1:    A-a=R-?A-a================R-r
      c2:                    A-a==R-r)",
                 "unexplained",
                 {.lock = "set-nx-px-get-del"}}});
}

// Draws a history, and sets the lease end of every grant, except those of client `but`. A lane
// alone cannot draw a lease that is over at its grant.
History FromLanesWithLeaseEnd(const std::string& lanes, int64_t until_ns, int32_t but) {
  History history = FromLanes(lanes);
  for (Event& event : history.events) {
    const bool grant = event.op == Op::kAcquire && event.type == EventType::kOk;
    if (grant && event.client != but) event.value[0] = until_ns;
  }
  return history;
}

TEST(CauseEnds, ALeaseThatEndsAtTheInstantOfTheGrantIsOverAtTheGrant) {
  const std::string late = R"(
      c1:    A---------a===R-r
      c2:         A-a==========R-r)";
  const Violation violation = FirstOf(FromLanesWithLeaseEnd(late, 10'000'000, 2), "exclusion");
  EXPECT_EQ(Name(violation.cause), "over-at-grant");
  ASSERT_FALSE(violation.steps.empty());
  EXPECT_TRUE(std::ranges::any_of(violation.steps, [](const StoryStep& step) {
    return step.text ==
           "client 1 was granted the key, having asked at 0.000 s; its lease was certain only "
           "until 0.010 s";
  }));
}

TEST(CauseEnds, AMarkerOfAnotherSessionDoesNotExplainALateGrant) {
  const std::string another_left = R"(
      c3:    A-a=A-x
      c1:    A---------a===R-r
      c2:         A-a==========R-r)";
  EXPECT_EQ(Name(FirstOf(FromLanesWithLeaseEnd(another_left, 4'000'000, 2), "exclusion").cause),
            "over-at-grant");
}

TEST(CauseEnds, OnlyTheLastTwoUsesOfAHoldAreDescribed) {
  const Violation violation = FirstOf(FromLanes(R"(
      c1:          A-agg===!========W-w=R-x      | 9 8 8>7
      c2:                       A-a==R-r)"),
                                      "exclusion");
  std::string told;
  for (const StoryStep& step : violation.steps) told += step.text + "\n";
  EXPECT_EQ(told.find("client 1 read stock 9"), std::string::npos) << told;
  EXPECT_NE(told.find("client 1 read stock 8"), std::string::npos) << told;
  EXPECT_NE(told.find("client 1 wrote 7, having read 8;"), std::string::npos) << told;
}

}  // namespace
}  // namespace doublehold
