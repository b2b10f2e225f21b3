#include "checker/evidence/stall_propagation.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checker/claims/lock/exclusion.h"
#include "checker/claims/lock/release.h"
#include "checker/evidence/evidence.h"
#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

struct PropagationCase {
  const char* what;
  const char* lanes;
  Outcome exclusion;
  Outcome lease_exclusion;
};

// A lane's column is a millisecond. A lease ends at its `!`, or after a second if it has no `!`.
const PropagationCase kPropagationCases[] = {
    {"the DEL of a stalled holder frees the next holder's lock",
     R"(
      c1:         A-a==!=========R-f
      machine c1:    (---------)
      c2:                A-a==========R-f
      c3:                       A-a======R-f)",
     Outcome::kUnknown, Outcome::kUnknown},
    {"without the stall the same overlap is a violation",
     R"(
      c1:         A-a==!=========R-f
      c2:                A-a==========R-f
      c3:                       A-a======R-f)",
     Outcome::kViolated, Outcome::kViolated},
    {"each affected DEL frees the lock of a further holder",
     R"(
      c1:         A-a==!=========R-f
      machine c1:    (---------)
      c2:                A-a==========R-f
      c3:                       A-a==========R-f
      c4:                                A-a=========R-f)",
     Outcome::kUnknown, Outcome::kUnknown},
    {"an overlap after the last affected hold is a violation",
     R"(
      c1:         A-a==!=========R-f
      machine c1:    (---------)
      c2:                A-a=======R-f
      c3:                                A-a=========R-f
      c4:                                      A-a=======R-f)",
     Outcome::kViolated, Outcome::kViolated},
    {"an overlap that began before the expiry is a violation",
     R"(
      c1:         A-a======!=====R-f
      machine c1:        (-----)
      c2:           A-a===========R-f)",
     Outcome::kViolated, Outcome::kViolated},
    {"an overlap before the stalled holder's release is a violation",
     R"(
      c1:         A-a==!============R-f
      machine c1:    (------------)
      c2:              A-a==========R-f
      c3:                    A-a===R-f)",
     Outcome::kViolated, Outcome::kViolated},
    {"a refused release does not affect the key",
     R"(
      c1:         A-a==!=========R-x
      machine c1:    (---------)
      c2:                A-a==========R-f
      c3:                       A-a======R-f)",
     Outcome::kViolated, Outcome::kViolated},
    {"a holder that never releases does not affect the key",
     R"(
      c1:         A-a==!=========w                | 5>4
      machine c1:    (---------)
      c2:                A-a==========R-f
      c3:                       A-a======R-f)",
     Outcome::kViolated, Outcome::kViolated},
    {"a release that checks the owner frees only its own lock",
     R"(
      c1:         A-a==!=========R-r
      machine c1:    (---------)
      c2:                A-a==========R-f
      c3:                       A-a======R-f)",
     Outcome::kViolated, Outcome::kViolated},
    {"an expired lease excuses nothing long after the hold is live again",
     R"(
      c1:         A-a!.........E-e======================R-r
      machine c1: (------------)
      c2:                                          A-a==R-r)",
     Outcome::kViolated, Outcome::kViolated},
    {"an expired lease excuses an overlap until a lease after the hold is live again",
     R"(
      c1:         A-a!.........E-eR-r
      machine c1: (------------)
      c2:               A-a========R-r)",
     Outcome::kUnknown, Outcome::kUnknown},
    {"a release that is answered when the next acquire is invoked may free its lock",
     R"(
      c1:         A-a==!=========R---f
      machine c1:    (---------)
      c2:                            A-a=====R-f
      c3:                              A-a====R-f)",
     Outcome::kUnknown, Outcome::kUnknown},
    {"two clients are granted the key after one DEL, which explains only the first grant",
     R"(
      c1:         A-a==!=========R-f
      machine c1:    (---------)
      c2:                A-a=================R-f
      c3:                            A-a=======R-f
      c4:                                 A-a=R-f)",
     Outcome::kUnknown, Outcome::kUnknown},
    {"a stalled server serves an unanswered release when it continues",
     R"(
      c1:         A-a==R-?!
      machine n1:       (------------------------------)
      c2:                                           A--a====R-f
      c3:                                                A-a=R-f)",
     Outcome::kUnknown, Outcome::kUnknown},
    {"a stalled server serves the release of a killed client when it continues",
     R"(
      c1:         A-a==R--!
      crash c1:          []
      machine n1:       (------------------------------)
      c2:                                           A--a====R-f
      c3:                                                A-a=R-f)",
     Outcome::kUnknown, Outcome::kUnknown},
    {"a stall of a holder excuses nothing on another key",
     R"(
      c1 k1:      A-a==!=========R-f
      machine c1:    (---------)
      c2 k2:             A-a==========R-f
      c3 k2:                    A-a======R-f)",
     Outcome::kViolated, Outcome::kViolated},
    {"a lease expires during a stall of the store",
     R"(
      c1:         A-a=W--!-----wR-f                     | 5>4
      machine n0:    (---------)
      c2:                A-a==========R-f
      c3:                       A-a======R-f)",
     Outcome::kUnknown, Outcome::kUnknown},
    {"a server stall may delay any client: the history does not record who waited for the server",
     R"(
      c1:         A-a==!=========R-f
      machine n1:    (---------)
      c2:                A-a==========R-f
      c3:                       A-a======R-f)",
     Outcome::kUnknown, Outcome::kUnknown},
    {"a section that exceeds its lease by more than the store's stall is a violation",
     R"(
      c1:         A-a!W--w=======R-f                    | 5>4
      machine n0:    (---------)
      c2:                A-a==========R-f
      c3:                       A-a======R-f)",
     Outcome::kViolated, Outcome::kViolated},
    {"a planned pause of a server is no stall of the machine",
     R"(
      c1:         A-a==!=========R-f
      machine n1:    (---------)
      pause n1:      [---------]
      c2:                A-a==========R-f
      c3:                       A-a======R-f)",
     Outcome::kViolated, Outcome::kViolated},
    {"a release may free the lock of an acquire that is concurrent with it",
     R"(
      c1:         A-a==!=========R---f
      machine c1:    (---------)
      c2:                      A-----a=====R-f
      c3:                            A-a====R-f)",
     Outcome::kUnknown, Outcome::kUnknown},
    {"a concurrent acquire is affected although a later acquire is granted first",
     R"(
      c1:         A-a==!=========R-f
      machine c1:    (---------)
      c2:                A-a==============R-f
      c3:                               A----------a==R-f
      c4:                                    A-a=======R-f)",
     Outcome::kUnknown, Outcome::kUnknown},
    {"a release that is answered before the next acquire excuses nothing",
     R"(
      c1:         A-a==!=========R---f
      machine c1:    (---------)
      c2:                              A-a=====R-f
      c3:                                A-a====R-f)",
     Outcome::kViolated, Outcome::kViolated},
    {"a stalled server serves a release late, in the next holder's lease",
     R"(
      c1:         A-a==R-!----------f
      machine n1:       (----------)
      c2:                   A-a===========R-f
      c3:                              A-a===R-f)",
     Outcome::kUnknown, Outcome::kUnknown},
    {"a holder is affected by one stall, and its own lease expires by another",
     R"(
      c1:         A-a==!========R-f
      machine c1:    (---------)
      c2:                        A-a===!=========R---f
      machine c2:                    (---------)
      c3:                                       A---a===============R-f
      c4:                                          A---a======R-f)",
     Outcome::kUnknown, Outcome::kUnknown},
    {"a release times out after its lease while the server is stalled",
     R"(
      c1:         A-a==R--------!------?
      machine n1:       (----------------)
      c2:                   A---------------a====R-f
      c3:                                    A-a=R-f)",
     Outcome::kUnknown, Outcome::kUnknown},
    {"a release times out before its lease ends while the server is stalled",
     R"(
      c1:         A-a==R---?----!
      machine n1:       (----------------)
      c2:                   A---------------a====R-f
      c3:                                    A-a=R-f)",
     Outcome::kUnknown, Outcome::kUnknown},
    {"a fault delays messages during the second part of the server stall",
     R"(
      c1:         A-a==R---?----!
      machine n1:       (----------------)
      hold n1:              [------------]
      c2:                   A---------------a====R-f
      c3:                                    A-a=R-f)",
     Outcome::kUnknown, Outcome::kUnknown},
    {"a stall of the client is followed by a stall of the server",
     R"(
      c1:         A-a==R--------!------?
      machine c1:       (------)
      machine n1:               (--------)
      c2:                   A---------------a====R-f
      c3:                                    A-a=R-f)",
     Outcome::kUnknown, Outcome::kUnknown},
    {"a server stall that ends within the lease delays no release beyond the lease",
     R"(
      c1:         A-a==R----?  !
      machine n1:       (-)
      c2:                         A---a====R-f
      c3:                              A-a=R-f)",
     Outcome::kViolated, Outcome::kViolated},
    {"a server stall that ends with the lease delays no release beyond the lease",
     R"(
      c1:         A-a==R----?  !
      machine n1:       (------)
      c2:                         A---a====R-f
      c3:                              A-a=R-f)",
     Outcome::kViolated, Outcome::kViolated},
    {"a server stall that begins after the lease delays no release beyond the lease",
     R"(
      c1:         A-a==R--!------------?
      machine n1:             (----------)
      c2:                   A---------------a====R-f
      c3:                                    A-a=R-f)",
     Outcome::kViolated, Outcome::kViolated},
    {"a stall of the client after its timeout may delay its release",
     R"(
      c1:         A-a==R-?  !
      machine c1:        (----------)
      c2:                      A---a======R-f
      c3:                             A-a=R-f)",
     Outcome::kUnknown, Outcome::kUnknown},
    {"a stall of the store may delay a release",
     R"(
      c1:         A-a==R-?  !
      machine n0:      (------------)
      c2:                      A---a======R-f
      c3:                             A-a=R-f)",
     Outcome::kUnknown, Outcome::kUnknown},
    {"an unanswered release is harmless if the answered ones checked the owner",
     R"(
      c1:         A-a==R-?  !
      machine n1:      (------------)
      c2:                      A---a======R-r
      c3:                             A-a=R-r)",
     Outcome::kViolated, Outcome::kViolated},
    {"an unanswered release may be harmful if no answered one shows a check of the owner",
     R"(
      c1:         A-a==R-?  !
      machine n1:      (------------)
      c2:                      A---a======R-x
      c3:                             A-a=R-x)",
     Outcome::kUnknown, Outcome::kUnknown},
    {"the late release of an unanswered acquire frees the next holder's lock",
     R"(
      c1:         A-----?R-------------f
      machine c1:         (----------)
      c2:                       A-a==========R-f
      c3:                                 A-a==R-f)",
     Outcome::kUnknown, Outcome::kUnknown},
    {"the same late release without a stall is a violation",
     R"(
      c1:         A-----?R-------------f
      c2:                       A-a==========R-f
      c3:                                 A-a==R-f)",
     Outcome::kViolated, Outcome::kViolated},
    {"a stall of an unrelated client does not excuse the late release",
     R"(
      c1:         A-----?R-------------f
      machine c9:         (----------)
      c2:                       A-a==========R-f
      c3:                                 A-a==R-f)",
     Outcome::kViolated, Outcome::kViolated},
    {"a stall excuses the late release even if a fault delays it as well",
     R"(
      c1:         A-----?R-------------f
      machine c1:         (----------)
      stall c1:             [--------]
      c2:                       A-a==========R-f
      c3:                                 A-a==R-f)",
     Outcome::kUnknown, Outcome::kUnknown},
    {"a refused release of an unanswered acquire frees nothing",
     R"(
      c1:         A-----?R-------------x
      machine c1:         (----------)
      c2:                       A-a==========R-f
      c3:                                 A-a==R-f)",
     Outcome::kViolated, Outcome::kViolated},
    {"neither acquire nor release is answered, and the server is stalled",
     R"(
      c1:         A-----?R-------------?
      machine n1:         (------------)
      c2:                       A-------a====R-f
      c3:                                 A-a==R-f)",
     Outcome::kUnknown, Outcome::kUnknown},
    {"the late release of an unanswered acquire affects a chain of holders",
     R"(
      c1:         A-----?R-------------f
      machine c1:         (----------)
      c2:                       A-a==========R-f
      c3:                                 A-a===========R-f
      c4:                                            A-a===R-f)",
     Outcome::kUnknown, Outcome::kUnknown},
};

TEST(StallPropagation, OnlyConsequencesOfAStallAreExcused) {
  for (const PropagationCase& each : kPropagationCases) {
    SCOPED_TRACE(each.what);
    const History history = FromLanes(each.lanes);
    EXPECT_EQ(CheckExclusion(history, {}).outcome, each.exclusion);
    EXPECT_EQ(CheckLeaseExclusion(history, {}).outcome, each.lease_exclusion);
  }
}

TEST(StallPropagation, TheNextReleaseThatFreesAnothersLockIsExcusedToo) {
  const std::string lanes = R"(
      c1:         A-a==!=========R-f
      c2:                A-a===============R-f
      c3:                            A-a========R-f)";
  EXPECT_EQ(CheckRelease(FromLanes(lanes), {}).outcome, Outcome::kViolated);
  const ClaimVerdict stalled =
      CheckRelease(FromLanes(lanes + "\n      machine c1:    (---------)"), {});
  EXPECT_EQ(stalled.outcome, Outcome::kUnknown) << stalled.reason;
  EXPECT_EQ(stalled.count, 2);
}

TEST(StallPropagation, AGrantWithAnExpiredLeaseIsExcusedIfItOverlapsATaintedHold) {
  const auto outcome = [](const std::string& release) {
    History history = FromLanes("      c1:         A-a==!=========R-" + release + R"(
      machine c1:    (---------)
      c2:               A-a==============================R-f
      c3:                          A----------a==R-f
      machine c3:                    (------))");
    for (Event& event : history.events) {  // c3's lease ends before c3 receives its grant
      if (event.op == Op::kAcquire && event.type == EventType::kOk && event.client == 3)
        event.value[0] = event.at_ns - 2'000'000;
    }
    return std::pair(CheckExclusion(history, {}).outcome, CheckExclusion(history, {}).reason);
  };
  const auto [late, why] = outcome("f");
  EXPECT_EQ(late, Outcome::kUnknown) << why;
  EXPECT_EQ(outcome("x").first, Outcome::kViolated)
      << "c1's refused release did not free c2's lock";
}

// Some hold is always under way, but only the last two cores overlap.
TEST(StallPropagation, OnABusyKeyTheTaintEndsALeaseAfterTheLastStalledRelease) {
  History history = FromLanes(R"(
      c1:         A-a==!=========R-f
      machine c1:    (---------)
      c2:                      A---a==R---f
      c3:                                A---a==R---f
      c4:                                          A---a==R---f
      c5:                                                    A---a====R---f
      c6:                                                          A-a=R---f)");
  history.facts.lease = std::chrono::milliseconds(100);
  EXPECT_EQ(CheckExclusion(history, {}).outcome, Outcome::kUnknown);
  history.facts.lease = std::chrono::milliseconds(10);
  EXPECT_EQ(CheckExclusion(history, {}).outcome, Outcome::kViolated);
}

// Some hold is always under way. Two exclusive holds prove a violation. Two readers do not, and the
// release of what was perhaps granted does not.
TEST(StallPropagation, OnlyAProvenOverlapProlongsTheTaintOfABusyKey) {
  const auto outcome = [](const std::string& client3, const std::string& client4) {
    return CheckExclusion(FromLanes(R"(
      c1:         A-a==!=========R-f
      machine c1:    (---------)
      c2:                        A-a=R-f
      c3:                              )" +
                                    client3 + R"(
      c4:                               )" +
                                    client4 + R"(
      c5:                                     A-a=R-f
      c6:                                          A-a===R-f
      c7:                                           A-a=R-f)"),
                          {})
        .outcome;
  };
  EXPECT_EQ(outcome("A-a==R-f", "A-a==R-f"), Outcome::kUnknown);
  EXPECT_EQ(outcome("A-b==R-f", "A-b==R-f"), Outcome::kViolated);
  EXPECT_EQ(outcome("A-a==R-f", "A-?R-f"), Outcome::kViolated);
}

// c1 stalls before it receives its grant, whose lease has ended then.
TEST(StallPropagation, AHoldWhoseLeaseAStallEndedBeforeItsGrantTaintsTheKey) {
  const auto outcome = [](const std::string& stall) {
    History history = FromLanes(R"(
      c1:         A------------a==R-f
      c2:               A-a==============R-f
      c3:                          A-a===R-f)" +
                                stall);
    for (Event& event : history.events) {
      if (event.op == Op::kAcquire && event.type == EventType::kOk && event.client == 1)
        event.value[0] = 5'000'000;
    }
    return CheckLeaseExclusion(history, {}).outcome;
  };
  EXPECT_EQ(outcome("\n      machine c1: (------------)"), Outcome::kUnknown);
  EXPECT_EQ(outcome(""), Outcome::kViolated);
}

// All happens at the start of the run, but c1's late release, which comes 1 ns later.
TEST(StallPropagation, AHoldThatWasOverBeforeTheFirstEffectOfAStallIsNotTainted) {
  History history = FromLanes(R"(
      c2:         A-a
      c1:          A-aR-f
      machine c1:    ())");
  for (Event& event : history.events) {
    const bool late = event.op == Op::kRelease || event.op == Op::kStall;
    event.at_ns = late ? 1 : 0;
    if (event.op == Op::kStall) event.value[0] = 1;
    if (event.op == Op::kAcquire && event.client == 1) event.value[0] = 0;  // the end of its lease
  }
  const Evidence evidence(history);
  EXPECT_EQ(evidence.holds().Find(101)->tainted_from_ns, 1);
  EXPECT_EQ(evidence.holds().Find(201)->tainted_from_ns, kForeverNs);
}

TEST(StallPropagation, TheClauseNamesTheStartOfTheTaintAndTheStall) {
  const ClaimVerdict verdict = CheckLeaseExclusion(FromLanes(kPropagationCases[0].lanes), {});
  EXPECT_EQ(
      verdict.reason,
      "only where the machine stalled a process: client 3 was granted the key at 0.016 s "
      "while client 2's lease was valid until 1.007 s; client 2 held it until 0.020 s; what befell "
      "the key since 0.015 s may come of a stall of the machine (client 1, 0.003-0.013 s)");
}

TEST(StallPropagation, TheClauseNamesTheLatestEndingStallThatHadBegun) {
  const History history = FromLanes(R"(
      c1:             A
      machine c1:         (-----)
      machine c2:              (---------------)
      machine c3:                    (--)
      machine n1:                                    (--))");
  const Disturbances disturbances = Observe(history);
  const auto named = [&](int since_ms) {
    const Hold hold{.tainted_from_ns = since_ms * int64_t{1'000'000}};
    const std::string clause = AftermathClause(disturbances, &hold, nullptr, hold.tainted_from_ns);
    const size_t open = clause.find('(');
    return open == std::string::npos ? "" : clause.substr(open + 1, clause.find(',') - open - 1);
  };
  EXPECT_EQ(named(3), "") << "no stall had begun";
  EXPECT_EQ(named(4), "client 1");
  EXPECT_EQ(named(8), "client 1");
  EXPECT_EQ(named(9), "client 2") << "both stalls are under way";
  EXPECT_EQ(named(16), "client 2") << "the stall of client 3 ends earlier";
  EXPECT_EQ(named(25), "client 2") << "the stall ends at this instant";
  EXPECT_EQ(named(30), "client 2") << "the stall ended long before";
  EXPECT_EQ(named(31), "node 1");
}

}  // namespace
}  // namespace doublehold
