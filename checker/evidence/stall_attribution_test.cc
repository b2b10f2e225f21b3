// Tests which overlaps a stall of the machine explains, by the outcome of the claim `exclusion`.
#include "checker/evidence/stall_attribution.h"

#include <gtest/gtest.h>

#include "checker/claims/lock/exclusion.h"
#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

// The lane `machine` draws a stall. The lease of the run is 10 ms.
struct ExcuseCase {
  const char* what;
  const char* lanes;
  Outcome exclusion;
  int nodes = 1;
};

void ExpectExclusion(const std::vector<ExcuseCase>& cases) {
  for (const ExcuseCase& each : cases) {
    SCOPED_TRACE(each.what);
    const History history = FromLanes(each.lanes, {.nodes = each.nodes});
    EXPECT_EQ(Name(CheckExclusion(history, {}).outcome), Name(each.exclusion));
    EXPECT_EQ(Name(CheckLeaseExclusion(history, {}).outcome), Name(Outcome::kValid));
  }
}

TEST(StallAttribution, AStallThatMayHavePreventedAnExtensionExplainsTheExpiry) {
  ExpectExclusion({
      {"the client is stalled in the last lease",
       R"(
      c1:         A-a=E-e============!=================R-x
      c2:                              A-a=====R-r
      machine c1:          (--------)                      )",
       Outcome::kUnknown},
      {"an earlier extension was refused, and the client is stalled in the last lease",
       R"(
      c1:         A-a=E-e=E-x============!=================R-x
      c2:                                  A-a=====R-r
      machine c1:             (--------)                      )",
       Outcome::kUnknown},
      {"a server stall takes most of the wait for the last extension",
       R"(
      c1:         A-a=E-e=E---?=====!=================R-x
      c2:                             A-a=====R-r
      machine n1:         (---)                          )",
       Outcome::kUnknown},
      {"a short stall takes most of the short wait for the last extension",
       R"(
      c1:         A-a=E-e=E?========!=================R-x
      c2:                             A-a=====R-r
      machine n1:         ()                             )",
       Outcome::kUnknown},
      {"a short stall in a long wait explains nothing",
       R"(
      c1:         A-a=E-e=E---?=====!=================R-x
      c2:                             A-a=====R-r
      machine n1:          ()                            )",
       Outcome::kViolated},
      {"a later extension was answered",
       R"(
      c1:         A-a=E-e=E---?=E-e=======!=================R-x
      c2:                                   A-a=====R-r
      machine n1:         (---)                          )",
       Outcome::kViolated},
      {"only the store is stalled in the last lease",
       R"(
      c1:         A-a=E-e====W--------w===!=================R-x    | 5>4
      c2:                                   A-a=====R-r
      machine n0:              (------)                        )",
       Outcome::kUnknown},
  });
}

TEST(StallAttribution, AServerStallExplainsTheLatenessOfEverySession) {
  ExpectExclusion({
      {"another thread of the client waits for the stalled server",
       R"(
      c1:         A-a=====!==========R-r
      c1.2:          A---------------x
      c2:                   A-a===R-r
      machine n1:     (--------------)  )",
       Outcome::kUnknown},
      {"an earlier acquire of the session timed out during the server stall",
       R"(
      c1:         A--?  A-a=====!===========R-r
      c2:                         A-a===R-r
      machine n1:  (------------------------)  )",
       Outcome::kUnknown},
      {"the session waits for the lock server, but the store is stalled",
       R"(
      c1:         A-----------a=!====R-r
      c2:                         A-a===R-r
      machine n0:    (-------)              )",
       Outcome::kUnknown},
      {"the session waits for the stalled lock server",
       R"(
      c1:         A-----------a=!====R-r
      c2:                         A-a===R-r
      machine n1:    (-------)              )",
       Outcome::kUnknown},
      {"the session waits for the stalled store",
       R"(
      c1:         A-a=W-----w===!====R-r   | 5>4
      c2:                         A-a===R-r
      machine n0:    (-------)              )",
       Outcome::kUnknown},
  });
}

TEST(StallAttribution, OnlyAFaultThatStopsOrSlowsTheClientShortensTheExcuse) {
  ExpectExclusion({
      {"a fault delays each message by 4 ms during a stall of 10 ms",
       R"(
      c1:            A-a======!======R-r
      c2:                        A-a===R-r
      delay c1:    [-----------------]       | 4
      machine c1:     (---------)            )",
       Outcome::kUnknown},
      {"a fault stops the client for 4 ms of a stall of 10 ms",
       R"(
      c1:                   A-a======!======R-r
      c2:                               A-a===R-r
      pause c1:                  [---]
      machine supervisor:    (---------)           )",
       Outcome::kViolated},
      {"a fault slows the section for 4 ms of a stall of 10 ms",
       R"(
      c1:            A-a======!======R-r
      c2:                        A-a===R-r
      slow c1:            [---]
      machine c1:     (---------)            )",
       Outcome::kViolated},
      {"a fault drops a message during the stall",
       R"(
      c1:            A-a=W----!---?==R-r     | 5>4
      c2:                        A-a===R-r
      drop c1:            []
      machine c1:     (---------)            )",
       Outcome::kUnknown},
      {"a fault moves the client's clock during the stall",
       R"(
      c1:            A-a======!======R-r
      c2:                        A-a===R-r
      jump c1:     [-----------------]       | 5
      machine c1:       (-------)            )",
       Outcome::kUnknown},
      {"a fault drops an extension during the stall",
       R"(
      c1:         A-a=E-e=E-------?==!=================R-x
      c2:                              A-a=====R-r
      drop n1:             []
      machine n1:         (--------)                      )",
       Outcome::kUnknown},
  });
}

// A fault on a server has client -1, which is also the number of the supervisor.
TEST(StallAttribution, NoFaultStopsTheSupervisor) {
  ExpectExclusion({{"a replica is paused as long as the supervisor is stalled",
                    R"(
      c1:                   A-a======!======R-r
      c2:                               A-a===R-r
      pause n2:              [---------]
      machine supervisor:    (---------)           )",
                    Outcome::kUnknown}});
}

TEST(StallAttribution, ALongMessageDelayDoesNotShortenTheExcuse) {
  History history = FromLanes(R"(
      c1:            A-a======!======R-r
      c2:                        A-a===R-r
      delay c1:    [-----------------]       | 2
      machine c1:     (---------)            )");
  for (Event& event : history.events) {
    if (event.op == Op::kFault && event.type == EventType::kOk) event.value[1] = 900'000'000;
  }
  EXPECT_EQ(CheckExclusion(history, {}).outcome, Outcome::kUnknown);
}

// c1's lease ends before its grant, and is extended after c2's hold ends.
TEST(StallAttribution, AStallAfterTheExpiryDoesNotExplainTheExpiry) {
  History history = FromLanes(R"(
      c1:         A--------a==========E-e====R-r
      c2:                    A-a==R-r
      machine c1:                        ()      )");
  for (Event& event : history.events) {
    const bool granted = event.op == Op::kAcquire && event.type == EventType::kOk;
    if (granted && event.client == 1) event.value[0] = 5'000'000;
  }
  EXPECT_EQ(CheckExclusion(history, {}).outcome, Outcome::kViolated);
  EXPECT_EQ(CheckLeaseExclusion(history, {}).outcome, Outcome::kValid);
}

TEST(StallAttribution, HalfOfATimeIsNotMostOfIt) {
  const History history = FromLanes("machine c1: (---)");
  const Disturbances disturbances = Observe(history);
  EXPECT_TRUE(StalledForMostOf(disturbances, 1, {0, 7'999'998}));
  EXPECT_FALSE(StalledForMostOf(disturbances, 1, {0, 8'000'000}));
}

TEST(StallAttribution, TheLongestStallIsOneThatMayDelayTheClient) {
  const History history = FromLanes(R"(
      machine c1:  (--)      (-----)     (---)
      machine c2:     (--------------------------))");
  const Disturbances disturbances = Observe(history);
  const auto longest = [&](int64_t from_ms, int64_t to_ms) {
    const Stall* stall = LongestStall(disturbances, 1, {from_ms * 1'000'000, to_ms * 1'000'000});
    return stall == nullptr ? -1 : stall->when.from_ns / 1'000'000;
  };
  EXPECT_EQ(longest(0, 40), 10);
  EXPECT_EQ(longest(0, 5), 0);
  EXPECT_EQ(longest(20, 40), 22);
  EXPECT_EQ(longest(4, 9), -1);
}

}  // namespace
}  // namespace doublehold
