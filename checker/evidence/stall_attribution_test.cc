// Which overlaps a stall of the machine excuses, tested by the outcome of claim `exclusion`.
#include "checker/evidence/stall_attribution.h"

#include <gtest/gtest.h>

#include "checker/claims/lock/exclusion.h"
#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

constexpr Outcome kBlameUnknown = Outcome::kUnknown;
constexpr Outcome kBlameViolated = Outcome::kViolated;

// The lane `machine` draws a stall. A lease that a watchdog renews is 10 ms.
struct BlameCase {
  const char* what;
  const char* lanes;
  Outcome exclusion;
  int nodes = 1;
};

void ExpectBlame(const std::vector<BlameCase>& cases) {
  for (const BlameCase& each : cases) {
    SCOPED_TRACE(each.what);
    const History history = FromLanes(each.lanes, {.nodes = each.nodes});
    EXPECT_EQ(Name(CheckExclusion(history, {}).outcome), Name(each.exclusion));
    EXPECT_EQ(Name(CheckLeaseExclusion(history, {}).outcome), Name(Outcome::kValid));
  }
}

TEST(Blame, AStallThatKeptTheWatchdogFromExtendingExplainsTheExpiry) {
  ExpectBlame({
      {"its client stood still when it was time",
       R"(
      c1:         A-a=E-e============!=================R-x
      c2:                              A-a=====R-r
      machine c1:          (--------)                      )",
       kBlameUnknown},
      {"also where it was refused before",
       R"(
      c1:         A-a=E-e=E-x============!=================R-x
      c2:                                  A-a=====R-r
      machine c1:             (--------)                      )",
       kBlameUnknown},
      {"the server did not answer, and no watchdog tried again",
       R"(
      c1:         A-a=E-e=E---?=====!=================R-x
      c2:                             A-a=====R-r
      machine n1:         (---)                          )",
       kBlameUnknown},
      {"nor after a short stall that took most of a short wait",
       R"(
      c1:         A-a=E-e=E?========!=================R-x
      c2:                             A-a=====R-r
      machine n1:         ()                             )",
       kBlameUnknown},
      {"a short stall in a long wait explains nothing",
       R"(
      c1:         A-a=E-e=E---?=====!=================R-x
      c2:                             A-a=====R-r
      machine n1:          ()                            )",
       kBlameViolated},
      {"it tried again, and was answered",
       R"(
      c1:         A-a=E-e=E---?=E-e=======!=================R-x
      c2:                                   A-a=====R-r
      machine n1:         (---)                          )",
       kBlameViolated},
      {"also where only the store stood still",
       R"(
      c1:         A-a=E-e====W--------w===!=================R-x    | 5>4
      c2:                                   A-a=====R-r
      machine n0:              (------)                        )",
       kBlameUnknown},
  });
}

TEST(Blame, AServerStallExcusesEverySession) {
  ExpectBlame({
      {"another thread waited for it",
       R"(
      c1:         A-a=====!==========R-r
      c1.2:          A---------------x
      c2:                   A-a===R-r
      machine n1:     (--------------)  )",
       kBlameUnknown},
      {"it did, and gave up before",
       R"(
      c1:         A--?  A-a=====!===========R-r
      c2:                         A-a===R-r
      machine n1:  (------------------------)  )",
       kBlameUnknown},
      {"it waited for another server than the store",
       R"(
      c1:         A-----------a=!====R-r
      c2:                         A-a===R-r
      machine n0:    (-------)              )",
       kBlameUnknown},
      {"that was this one",
       R"(
      c1:         A-----------a=!====R-r
      c2:                         A-a===R-r
      machine n1:    (-------)              )",
       kBlameUnknown},
      {"it waited for the store",
       R"(
      c1:         A-a=W-----w===!====R-r   | 5>4
      c2:                         A-a===R-r
      machine n0:    (-------)              )",
       kBlameUnknown},
      {"it was held up by nobody else: not by its clock",
       R"(
      c1:            A-a======!======R-r
      c2:                        A-a===R-r
      jump c1:     [-----------------]       | 5
      machine c1:       (-------)            )",
       kBlameUnknown},
  });
}

TEST(Blame, OnlyAFaultThatStopsTheClientTakesFromAStall) {
  ExpectBlame({
      {"each of its messages took 4 of the 10 for which it stood still as the stall began is as "
       "late by itself",
       R"(
      c1:            A-a======!======R-r
      c2:                        A-a===R-r
      delay c1:    [-----------------]       | 4
      machine c1:     (---------)            )",
       kBlameUnknown},
      {"a fault stopped it for 4 of the 10",
       R"(
      c1:                   A-a======!======R-r
      c2:                               A-a===R-r
      pause c1:                  [---]
      machine supervisor:    (---------)           )",
       kBlameViolated},
      {"kept at its work for most of the stall",
       R"(
      c1:            A-a======!======R-r
      c2:                        A-a===R-r
      slow c1:            [---]
      machine c1:     (---------)            )",
       kBlameViolated},
      {"a message was lost",
       R"(
      c1:            A-a=W----!---?==R-r     | 5>4
      c2:                        A-a===R-r
      drop c1:            []
      machine c1:     (---------)            )",
       kBlameUnknown},
      {"a renewal was lost",
       R"(
      c1:         A-a=E-e=E-------?==!=================R-x
      c2:                              A-a=====R-r
      drop n1:             []
      machine n1:         (--------)                      )",
       kBlameUnknown},
  });
}

// A fault on a server has client -1, which is also the number of the supervisor.
TEST(Blame, NoFaultStopsTheSupervisor) {
  ExpectBlame({{"a replica was stopped as long",
                R"(
      c1:                   A-a======!======R-r
      c2:                               A-a===R-r
      pause n2:              [---------]
      machine supervisor:    (---------)           )",
                kBlameUnknown}});
}

TEST(Blame, AStallDuringADelayedMessageIsNotPartOfTheDelay) {
  History history = FromLanes(R"(
      c1:            A-a======!======R-r
      c2:                        A-a===R-r
      delay c1:    [-----------------]       | 2
      machine c1:     (---------)            )");
  for (Event& event : history.events) {
    if (event.op == Op::kFault && event.type == EventType::kOk) event.value[1] = 900'000'000;
  }
  EXPECT_EQ(CheckExclusion(history, {}).outcome, kBlameUnknown);
}

// The lease was over at the grant, and was extended after the other hold had ended.
TEST(Blame, AStallAfterTheLeaseEndedDoesNotExplainIt) {
  History history = FromLanes(R"(
      c1:         A--------a==========E-e====R-r
      c2:                    A-a==R-r
      machine c1:                        ()      )");
  for (Event& event : history.events) {
    const bool granted = event.op == Op::kAcquire && event.type == EventType::kOk;
    if (granted && event.client == 1) event.value[0] = 5'000'000;
  }
  EXPECT_EQ(CheckExclusion(history, {}).outcome, kBlameViolated);
  EXPECT_EQ(CheckLeaseExclusion(history, {}).outcome, Outcome::kValid);
}

TEST(Blame, TheLongestStallThatDelayedTheSessionIsNamed) {
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
