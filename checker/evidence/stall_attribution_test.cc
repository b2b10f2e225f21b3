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
      {"but nobody would have extended it any more who was refused before",
       R"(
      c1:         A-a=E-e=E-x============!=================R-x
      c2:                                  A-a=====R-r
      machine c1:             (--------)                      )",
       kBlameViolated},
      {"the server did not answer, and no watchdog tried again",
       R"(
      c1:         A-a=E-e=E---?=====!=================R-x
      c2:                             A-a=====R-r
      machine n1:         (---)                          )",
       kBlameUnknown},
      {"but for most of the time that it was not answered it was not the machine's",
       R"(
      c1:         A-a=E-e=E------?==!=================R-x
      c2:                             A-a=====R-r
      machine n1:         (--)                           )",
       kBlameViolated},
      {"it tried again, and was answered",
       R"(
      c1:         A-a=E-e=E---?=E-e=======!=================R-x
      c2:                                   A-a=====R-r
      machine n1:         (---)                          )",
       kBlameViolated},
      {"the store stood still, for which its session waited, and not its watchdog",
       R"(
      c1:         A-a=E-e====W--------w===!=================R-x    | 5>4
      c2:                                   A-a=====R-r
      machine n0:              (------)                        )",
       kBlameViolated},
  });
}

TEST(Blame, AServerStallExcusesOnlySessionsThatWaitForIt) {
  ExpectBlame({
      {"another thread does",
       R"(
      c1:         A-a=====!==========R-r
      c1.2:          A---------------x
      c2:                   A-a===R-r
      machine n1:     (--------------)  )",
       kBlameViolated},
      {"it did, and gave up before",
       R"(
      c1:         A--?  A-a=====!===========R-r
      c2:                         A-a===R-r
      machine n1:  (------------------------)  )",
       kBlameViolated},
      {"it waited for another server than the store",
       R"(
      c1:         A-----------a=!====R-r
      c2:                         A-a===R-r
      machine n0:    (-------)              )",
       kBlameViolated},
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

TEST(Blame, TheFaultsPartOfAStallIsNotTheMachines) {
  ExpectBlame({
      {"each of its messages took 2 of the 10 for which it stood still: what is left suffices",
       R"(
      c1:            A-a======!======R-r
      c2:                        A-a===R-r
      delay c1:    [-----------------]       | 2
      machine c1:     (---------)            )",
       kBlameUnknown},
      {"they took 4: a message on its way as the stall began is as late by itself",
       R"(
      c1:            A-a======!======R-r
      c2:                        A-a===R-r
      delay c1:    [-----------------]       | 4
      machine c1:     (---------)            )",
       kBlameViolated},
      {"nobody waited for one",
       R"(
      c1:            A-a======!======R-r
      c2:                        A-a===R-r
      delay c1:    [-----------------]       | 9
      machine c1:        (------)            )",
       kBlameUnknown},
      {"one was sent when the messages stood still already, and takes its time after",
       R"(
      c1:                   A-a=====W!-----w=R-r     | 5>4
      c2:                               A-a===R-r
      delay c1:           [--------------------]     | 9
      machine supervisor:       (---------)           )",
       kBlameUnknown},
      {"those from the store are not waited for",
       R"(
      c1:            A-a======!======R-r
      c2:                        A-a===R-r
      delay n0:    [-----------------]       | 9
      machine c1:     (---------)            )",
       kBlameUnknown},
      {"those of another client are not its own",
       R"(
      c1:            A-a======!======R-r
      c2:                        A-a===R-r
      delay c2:    [-----------------]       | 9
      machine c1:     (---------)            )",
       kBlameUnknown},
      {"those of the only server that keeps locks are",
       R"(
      c1:            A-a======!======R-r
      c2:                        A-a===R-r
      delay n1:    [-----------------]       | 9
      machine c1:     (---------)            )",
       kBlameViolated},
      {"two slow networks add up",
       R"(
      c1:            A-a======!======R-r
      c2:                        A-a===R-r
      delay c1:    [-----------------]       | 2
      delay c1:      [-----------------]     | 2
      machine c1:     (---------)            )",
       kBlameViolated},
      {"what is sent twice keeps nobody waiting",
       R"(
      c1:              A-a======!======R-r
      c2:                          A-a===R-r
      duplicate c1:  [-----------------]
      machine c1:       (---------)            )",
       kBlameUnknown},
      {"stopped for 2 of the 10",
       R"(
      c1:                   A-a======!======R-r
      c2:                               A-a===R-r
      pause c1:                  [-]
      machine supervisor:    (---------)           )",
       kBlameUnknown},
      {"for 4",
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
      {"which its watchdog is not",
       R"(
      c1:         A-a=E-e============!=================R-x
      c2:                              A-a=====R-r
      slow c1:         [------------]
      machine c1:          (--------)                      )",
       kBlameUnknown},
      {"what a fault of an unknown kind keeps may be waited for long after",
       R"(
      c1:            A-a=W----!---?==R-r     | 5>4
      c2:                        A-a===R-r
      volcano c1:         []
      machine c1:     (---------)            )",
       kBlameViolated},
      {"a message that was lost is waited for long after",
       R"(
      c1:            A-a=W----!---?==R-r     | 5>4
      c2:                        A-a===R-r
      drop c1:            []
      machine c1:     (---------)            )",
       kBlameViolated},
      {"when nobody waits nothing is lost",
       R"(
      c1:            A-a======!======R-r
      c2:                        A-a===R-r
      drop c1:            []
      machine c1:     (---------)            )",
       kBlameUnknown},
      {"what was lost before the grant was waited for until then",
       R"(
      c1:         A------a======!====R-r
      c2:                         A-a===R-r
      drop c1:     []
      machine c1:   (----)                  )",
       kBlameViolated},
      {"and without a loss that was the machine's",
       R"(
      c1:         A------a======!====R-r
      c2:                         A-a===R-r
      machine c1:   (----)                  )",
       kBlameUnknown},
      {"a renewal that was lost is waited for long after",
       R"(
      c1:         A-a=E-e=E-------?==!=================R-x
      c2:                              A-a=====R-r
      drop n1:             []
      machine n1:         (--------)                      )",
       kBlameViolated},
      {"of five servers one is not missed",
       R"(
      c1:         A-a=E-e=E-------?==!=================R-x
      c2:                              A-a=====R-r
      drop n1:             []
      machine n1:         (--------)                      )",
       kBlameUnknown, 5},
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
  const Scene scene = Observe(history);
  const auto longest = [&](int64_t from_ms, int64_t to_ms) {
    const Stall* stall = LongestStall(scene, {1, 0}, {from_ms * 1'000'000, to_ms * 1'000'000});
    return stall == nullptr ? -1 : stall->when.from_ns / 1'000'000;
  };
  EXPECT_EQ(longest(0, 40), 10);
  EXPECT_EQ(longest(0, 5), 0);
  EXPECT_EQ(longest(20, 40), 22);
  EXPECT_EQ(longest(4, 9), -1);
}

}  // namespace
}  // namespace doublehold
