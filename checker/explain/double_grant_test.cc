// Tests the causes of double grants during a valid lease, and of commands that ran twice.
#include "checker/explain/double_grant.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "checker/testing/ascii_history.h"
#include "checker/testing/testing_causes.h"

namespace doublehold {
namespace {

using testing::CauseOf;
using testing::ExpectCauses;
using testing::kBoth;

TEST(DoubleGrant, AFaultThatRemovedTheKeyExplainsTwoValidLeases) {
  const std::string jump = "\n      jump n1:           [--------------]   | ";
  const std::string restart = "\n      restart n1:        [-]";
  const std::string flush = "\n      flush n1:          [-]";
  ExpectCauses({
      {"lease-exclusion", kBoth + jump + "2000", "server-clock"},
      {"lease-exclusion", kBoth + jump + "3", "unexplained"},  // less than the rest of the lease
      {"lease-exclusion", kBoth + jump + "-2000", "unexplained"},  // the key expires later
      {"lease-exclusion", kBoth + "\n      jump n1: [------------]   | -2000", "server-clock"},
      // The clock moved back and forth after the key was set.
      {"lease-exclusion", kBoth + "\n      jump n1:         [---]   | -2000", "unexplained"},
      {"lease-exclusion", kBoth + restart, "node-restarted"},
      // The node may be the master, or a replica, whose restart frees no key.
      {"lease-exclusion", kBoth + restart, "unexplained", {.nodes = 2}},
      {"lease-exclusion", kBoth + jump + "2000", "unexplained", {.nodes = 2}},
      {"lease-exclusion", kBoth + "\n      promote n2:        [-]", "failover", {.nodes = 2}},
      {"lease-exclusion", kBoth + "\n      restart n0:        [-]",
       "unexplained"},  // node 0 is the store, which has no lock keys
      {"lease-exclusion", kBoth + "\n      promote n2:        [-]", "failover"},
      {"lease-exclusion", kBoth + "\n      evict n1:          [-]", "key-removed"},
      {"lease-exclusion", kBoth + flush, "key-removed"},
      {"lease-exclusion", kBoth + "\n      flush n1:                    [-]",
       "unexplained"},                                              // after the grant
      {"lease-exclusion", kBoth + restart + flush, "unexplained"},  // either fault explains it
      {"lease-exclusion", kBoth, "unexplained"},
  });
  EXPECT_EQ(
      testing::FirstOf(FromLanes(kBoth + restart, {.nodes = 2, .claims = {"lease-exclusion"}}),
                       "lease-exclusion")
          .because,
      "node 1 had been restarted at 0.006 s, and which server had the key, or took it over, "
      "is not recorded");
  // Both clients were granted the key at the same instant.
  ExpectCauses({{"lease-exclusion", R"(
      c1:        A---a=========R-r
      c2:        A---a=========R-x
      jump n1:     [-----------------]   | 2000)",
                 "server-clock"}});
  // One fault moves the clocks of a client and of a node.
  History both = FromLanes(kBoth + "\n      jump c2:           [--------------]   | 2000",
                           {.claims = {"lease-exclusion"}});
  EXPECT_EQ(CauseOf(both, "lease-exclusion"), "unexplained");
  both.facts.faults[0].nodes = {1};
  for (Event& event : both.events) {
    if (event.op == Op::kFault) event.value[3] = 1;
  }
  EXPECT_EQ(CauseOf(both, "lease-exclusion"), "server-clock");
  both.facts.faults[0].kind = "delay";  // acts on the link between client and node
  EXPECT_EQ(CauseOf(both, "lease-exclusion"), "unexplained");
  History kept = FromLanes(kBoth + restart, {.claims = {"lease-exclusion"}});
  kept.facts.faults[0].keeps_data = true;
  EXPECT_EQ(CauseOf(kept, "lease-exclusion"), "unexplained");
  History deleted =
      FromLanes(kBoth + "\ndelete-key n1:           [-]", {.claims = {"lease-exclusion"}});
  EXPECT_EQ(CauseOf(deleted, "lease-exclusion"), "key-removed");
  deleted.facts.keys.emplace_back("item-1");
  deleted.facts.faults[0].key = "item-1";
  EXPECT_EQ(testing::FirstOf(deleted, "lease-exclusion").fault, -1) << "of another lock";
  EXPECT_EQ(CauseOf(deleted, "lease-exclusion"), "unexplained");
  // This is not the key of a lock, but a library may keep further keys.
  deleted.facts.faults[0].key = "tokens";
  EXPECT_EQ(CauseOf(deleted, "lease-exclusion"), "unexplained");
  deleted.facts.library = LibraryFact{"drawn", "1", {"lease"}};
  EXPECT_EQ(CauseOf(deleted, "lease-exclusion"), "key-removed");
  History store = FromLanes(kBoth + "\nflush n1:           [-]", {.claims = {"lease-exclusion"}});
  EXPECT_EQ(CauseOf(store, "lease-exclusion"), "key-removed");
  store.facts.faults[0].nodes = {0};
  for (Event& event : store.events) {
    if (event.op == Op::kFault) event.value[3] = -1;
  }
  EXPECT_EQ(CauseOf(store, "lease-exclusion"), "unexplained");
  // A planned promotion loses no data, so the clock is the cause.
  History planned = FromLanes(kBoth + jump + "2000\n      promote n1:        [-]",
                              {.claims = {"lease-exclusion"}});
  EXPECT_EQ(CauseOf(planned, "lease-exclusion"), "unexplained");
  std::ranges::find(planned.facts.faults, "promote", &FaultFact::kind)->keeps_data = true;
  EXPECT_EQ(CauseOf(planned, "lease-exclusion"), "server-clock");
}

TEST(DoubleGrant, AServerThatTakesOverHasAClockOfItsOwn) {
  const std::string behind = kBoth + "\n      jump n1: [--------------------------]   | -2000";
  EXPECT_EQ(CauseOf(FromLanes(behind, {.claims = {"lease-exclusion"}}), "lease-exclusion"),
            "unexplained");
  History planned =
      FromLanes(behind + "\npromote n1:              [-]", {.claims = {"lease-exclusion"}});
  std::ranges::find(planned.facts.faults, "promote", &FaultFact::kind)->keeps_data = true;
  EXPECT_EQ(CauseOf(planned, "lease-exclusion"), "server-clock");
}

TEST(DoubleGrant, AClientClockThatWasAheadExplainsADoubleGrantIfTheLockUsesClientClocks) {
  const LaneOptions getset{.lock = "setnx-getset"};
  const std::string ahead = "\n      jump c2:     [---------------]   | 2000";
  const std::string behind = "\n      jump c1:     [---------------]   | -2000";
  const std::string kept = "\n      jump c1:     [---------------]   | 2000";
  ExpectCauses({
      {"lease-exclusion", kBoth + ahead, "client-clock", getset},
      {"lease-exclusion", kBoth + behind, "client-clock", getset},
      {"lease-exclusion", kBoth + kept, "unexplained", getset},
      {"lease-exclusion", kBoth + ahead + kept, "unexplained", getset},  // the clocks agree
      {"lease-exclusion", kBoth + ahead, "unexplained"},
      // The server's clock is not the cause either.
      {"lease-exclusion", kBoth + "\n      jump n1:           [---------]   | 2000", "unexplained",
       getset},
      // c1 was granted the key first, although c2, whose clock is ahead, was answered earlier.
      {"lease-exclusion", R"(
      c1:          A--------a=========R-x
      c2:            A----a======R-r
      jump c2:  [-------------]                | 2000)",
       "client-clock", getset},
      {"lease-exclusion", R"(
      c1:          A--------a=========R-x
      c2:            A----a======R-r
      jump c1:  [-------------]                | 2000)",
       "client-clock", getset},
      // c1's acquire was invoked after c2's grant was answered.
      {"lease-exclusion", R"(
      c1:                   A-a=======R-x
      c2:            A----a======R-r
      jump c2:  [-------------]                | 2000)",
       "unexplained", getset},
  });
}

TEST(DoubleGrant, AnUncheckedReleaseExplainsADoubleGrant) {
  const std::string freed = R"(
      c1:    A-a==!========R-f
      c2:           A-a=============R-x
      c3:                     A-a==R-r)";
  std::string looks_first = freed;
  std::ranges::replace(looks_first, 'f', 'r');
  ExpectCauses({
      {"lease-exclusion", freed, "foreign-release"},
      {"release", freed, "foreign-release"},
      {"exclusion", freed, "overran"},  // the cause of the overlap of c1 and c2
      {"lease-exclusion", looks_first, "foreign-release", {.lock = "set-nx-px-get-del"}},
      {"lease-exclusion", looks_first, "unexplained", {.lock = "set-nx-px"}},
      // c2's lease is over, and its late DEL comes between the two commands of c1's acquire
      {"lease-exclusion", R"(
      c1:                A------a=====R-x
      c2:     A-a=====!=====R-f
      c3:                         A-a===R-r)",
       "foreign-release"},
      // The eviction explains c3's grant, as the eviction certainly came after c2's DEL.
      {"lease-exclusion", R"(
      c1:                     A------a=========R-x
      c2:          A-a=====!=====R-f
      c3:                                  A-a===R-r
      evict n1:                       [-])",
       "key-removed"},
      // c2 was granted the key after c1 had lost the key, so c2's release does not explain c3's
      // grant
      {"lease-exclusion", R"(
      c1:        A-a====================R-r
      c2:             A-a==R-f
      c3:                       A-a==R-r
      evict n1:   [-])",
       "key-removed"},
  });
}

// c4 invoked its release at the same instant, but was refused.
TEST(DoubleGrant, NamesTheReleaseThatFreedTheLock) {
  const History history = FromLanes(R"(
      c1:        A-a==!====R-f
      c2:             A-a=============R-x
      c3:                       A-a==R-r
      c4:  A-a!============R--x)",
                                    {.claims = {"lease-exclusion"}});
  EXPECT_EQ(testing::FirstOf(history, "lease-exclusion").because,
            "the release of client 1 (0.016-0.018 s) freed the lock of client 2");
}

// The driver does not report the release as unchecked, but it may not have checked the owner.
TEST(DoubleGrant, AReleaseThroughADriverMayExplainADoubleGrant) {
  History history = FromLanes(R"(
      c1:    A-a==!========R-r
      c2:           A-a=============R-x
      c3:                     A-a==R-r)",
                              {.claims = {"lease-exclusion"}, .lock = "driver"});
  EXPECT_TRUE(testing::FirstOf(history, "lease-exclusion").perhaps.empty());
  history.facts.library = LibraryFact{"drawn", "1", {"lease"}};
  const Violation violation = testing::FirstOf(history, "lease-exclusion");
  EXPECT_EQ(violation.cause, Cause::kUnexplained);
  EXPECT_EQ(violation.perhaps, std::vector<Cause>{Cause::kForeignRelease});
  EXPECT_EQ(violation.because,
            "client 1 released the key (0.014-0.016 s), and the driver may have deleted it without "
            "checking the owner");
}

TEST(DoubleGrant, AFaultOnAMinorityOfNodesExplainsTwoMajorities) {
  const LaneOptions redlock{.nodes = 5, .lock = "redlock"};
  const std::string of_three = "\n      jump n3:           [----------]   | 2000";
  ExpectCauses({
      {"lease-exclusion", kBoth + of_three, "quorum-overlap", redlock},
      {"lease-exclusion", kBoth + "\n      restart n3:        [-]", "quorum-overlap", redlock},
      {"lease-exclusion",
       kBoth + of_three + "\n      jump n1:           [----------]   | 2000" +
           "\n      jump n2:           [----------]   | 2000",
       "server-clock", redlock},
      {"lease-exclusion", kBoth, "unexplained", redlock},
      // It is not recorded on which nodes the fault acted.
      {"lease-exclusion", kBoth + "\n      flush:             [-]", "unexplained", redlock},
  });
  // One fault on several nodes.
  LaneOptions claimed = redlock;
  claimed.claims = {"lease-exclusion"};
  History several = FromLanes(kBoth + of_three, claimed);
  several.facts.faults[0].nodes = {3, 4};
  EXPECT_EQ(CauseOf(several, "lease-exclusion"), "quorum-overlap");
  several.facts.faults[0].nodes = {3, 4, 5};
  EXPECT_EQ(CauseOf(several, "lease-exclusion"), "server-clock");
  // Faults of two kinds.
  const History mixed = FromLanes(
      kBoth + of_three + "\n      flush n1:          [-]\n      flush n2:          [-]", claimed);
  EXPECT_EQ(testing::FirstOf(mixed, "lease-exclusion").perhaps,
            (std::vector<Cause>{Cause::kServerClock, Cause::kKeyRemoved}));
}

TEST(DoubleGrant, ALostReplyExplainsACommandThatRanTwice) {
  const std::string nested = R"(
      c1:              A-a===A-a===R----r===========R-r
      c2:                    A-x      A-a==R-r)";
  ExpectCauses({
      {"reentry", nested + "\n      drop c1:                      [-]", "resent"},
      {"reentry", nested + "\n      duplicate c1:                 [-]", "resent"},
      {"lease-exclusion", nested + "\n      drop c1:                      [-]", "resent"},
      {"reentry", nested + "\n      drop c2:                      [-]", "unexplained"},
      {"reentry",
       nested + "\n      drop c1:                      [-]",
       "unexplained",
       {.nodes = 2}},
      // No reply to c1 was lost, and c2's grant is not c1's.
      {"lease-exclusion", kBoth + "\n      drop c1:              [-]", "unexplained"},
      {"reentry", nested + "\n      drop c1:            [-]",
       "unexplained"},  // no call was pending then
      {"reentry", nested, "unexplained"},
  });
  History of_link =
      FromLanes(nested + "\n      drop c1:                      [-]", {.claims = {"reentry"}});
  for (Event& event : of_link.events) {
    if (event.op == Op::kFault) event.value[3] = 1;
  }
  EXPECT_EQ(CauseOf(of_link, "reentry"), "resent") << "on the link to the server of the lock";
  for (const std::string kind : {"hold", "reset"}) {
    const std::string kept = nested + "\n      " + kind + " c1:                      [---]";
    const Violation perhaps =
        Judge(FromLanes(kept, {.claims = {"reentry"}})).claims.at(0).violations.at(0);
    EXPECT_EQ(perhaps.cause, Cause::kUnexplained) << kind;
    EXPECT_EQ(perhaps.perhaps, std::vector<Cause>{Cause::kResent}) << kind;
  }
  // An acquire that ran twice does not free the key too early.
  for (const std::string kind : {"hold", "drop"}) {
    const std::string of_acquire = nested + "\n      " + kind + " c1:              [-]";
    const Violation other =
        Judge(FromLanes(of_acquire, {.claims = {"reentry"}})).claims.at(0).violations.at(0);
    EXPECT_EQ(other.cause, Cause::kUnexplained) << kind;
    EXPECT_TRUE(other.perhaps.empty()) << kind;
  }
}

// Either grant may have been the first, and the release may have freed either lock.
TEST(DoubleGrant, NamesAReleaseOnce) {
  const RunVerdict verdict = Judge(FromLanes(R"(
      c3:        A-a==!R--------f
      c1:               A-a=========R-x
      c2:              A----a===========R-x)",
                                             {.claims = {"lease-exclusion"}}));
  ASSERT_EQ(verdict.claims.at(0).outcome, Outcome::kViolated);
  const Violation& violation = verdict.claims.at(0).violations.at(0);
  EXPECT_EQ(violation.cause, Cause::kForeignRelease);
  EXPECT_EQ(violation.because.find("released"), violation.because.rfind("released"))
      << violation.because;
}

}  // namespace
}  // namespace doublehold
