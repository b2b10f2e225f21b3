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

struct AftermathCase {
  const char* what;
  const char* lanes;
  Outcome exclusion;
  Outcome lease_exclusion;
};

// A `!` ends the lease. A lane's column is a millisecond; without a `!` the lease of FromLanes is a
// second.
const AftermathCase kCases[] = {
    {"the DEL of a stalled holder frees the next one's lock",
     R"(
      c1:         A-a==!=========R-f
      machine c1:    (---------)
      c2:                A-a==========R-f
      c3:                       A-a======R-f)",
     Outcome::kUnknown, Outcome::kUnknown},
    {"without the stall it is the lock's own",
     R"(
      c1:         A-a==!=========R-f
      c2:                A-a==========R-f
      c3:                       A-a======R-f)",
     Outcome::kViolated, Outcome::kViolated},
    {"what comes of that frees the next, and so on",
     R"(
      c1:         A-a==!=========R-f
      machine c1:    (---------)
      c2:                A-a==========R-f
      c3:                       A-a==========R-f
      c4:                                A-a=========R-f)",
     Outcome::kUnknown, Outcome::kUnknown},
    {"a chain that ended excuses nothing later",
     R"(
      c1:         A-a==!=========R-f
      machine c1:    (---------)
      c2:                A-a=======R-f
      c3:                                A-a=========R-f
      c4:                                      A-a=======R-f)",
     Outcome::kViolated, Outcome::kViolated},
    {"nothing that was wrong before the lease ended is excused",
     R"(
      c1:         A-a======!=====R-f
      machine c1:        (-----)
      c2:           A-a===========R-f)",
     Outcome::kViolated, Outcome::kViolated},
    {"one that has done nothing yet is to blame for nothing",
     R"(
      c1:         A-a==!============R-f
      machine c1:    (------------)
      c2:              A-a==========R-f
      c3:                    A-a===R-f)",
     Outcome::kViolated, Outcome::kViolated},
    {"a release that was refused did nothing to the key",
     R"(
      c1:         A-a==!=========R-x
      machine c1:    (---------)
      c2:                A-a==========R-f
      c3:                       A-a======R-f)",
     Outcome::kViolated, Outcome::kViolated},
    {"one that never released did nothing to the key",
     R"(
      c1:         A-a==!=========w                | 5>4
      machine c1:    (---------)
      c2:                A-a==========R-f
      c3:                       A-a======R-f)",
     Outcome::kViolated, Outcome::kViolated},
    {"a release that looked freed its own lock alone",
     R"(
      c1:         A-a==!=========R-r
      machine c1:    (---------)
      c2:                A-a==========R-f
      c3:                       A-a======R-f)",
     Outcome::kViolated, Outcome::kViolated},
    {"long after it was live again its lapse excuses nothing",
     R"(
      c1:         A-a!.........E-e======================R-r
      machine c1:   (---------)
      c2:                                          A-a==R-r)",
     Outcome::kViolated, Outcome::kViolated},
    {"one DEL makes room for one, and where another came as well nobody knows why",
     R"(
      c1:         A-a==!=========R-f
      machine c1:    (---------)
      c2:                A-a=================R-f
      c3:                            A-a=======R-f
      c4:                                 A-a=R-f)",
     Outcome::kUnknown, Outcome::kUnknown},
    {"a release without an answer reaches a server that stood still when that goes on",
     R"(
      c1:         A-a==R-?!
      machine n1:       (------------------------------)
      c2:                                           A--a====R-f
      c3:                                                A-a=R-f)",
     Outcome::kUnknown, Outcome::kUnknown},
    {"nor does its client have to live to see that",
     R"(
      c1:         A-a==R--!
      crash c1:          []
      machine n1:       (------------------------------)
      c2:                                           A--a====R-f
      c3:                                                A-a=R-f)",
     Outcome::kUnknown, Outcome::kUnknown},
    {"the stall of another key's holder excuses nothing here",
     R"(
      c1 k1:      A-a==!=========R-f
      machine c1:    (---------)
      c2 k2:             A-a==========R-f
      c3 k2:                    A-a======R-f)",
     Outcome::kViolated, Outcome::kViolated},
    {"a server that stood still ends leases as well",
     R"(
      c1:         A-a=W--!-----wR-f                     | 5>4
      machine n0:    (---------)
      c2:                A-a==========R-f
      c3:                       A-a======R-f)",
     Outcome::kUnknown, Outcome::kUnknown},
    {"the history does not say who asked it",
     R"(
      c1:         A-a==!=========R-f
      machine n1:    (---------)
      c2:                A-a==========R-f
      c3:                       A-a======R-f)",
     Outcome::kUnknown, Outcome::kUnknown},
    {"nor of one that had its answer before, and then took its time",
     R"(
      c1:         A-a!W--w=======R-f                    | 5>4
      machine n0:    (---------)
      c2:                A-a==========R-f
      c3:                       A-a======R-f)",
     Outcome::kViolated, Outcome::kViolated},
    {"a server that a fault stopped did not stand still by the machine",
     R"(
      c1:         A-a==!=========R-f
      machine n1:    (---------)
      pause n1:      [---------]
      c2:                A-a==========R-f
      c3:                       A-a======R-f)",
     Outcome::kViolated, Outcome::kViolated},
    {"the release and the next grant were under way together, so that it may free that one's",
     R"(
      c1:         A-a==!=========R---f
      machine c1:    (---------)
      c2:                      A-----a=====R-f
      c3:                            A-a====R-f)",
     Outcome::kUnknown, Outcome::kUnknown},
    {"so it may where another, asked for later, was granted first",
     R"(
      c1:         A-a==!=========R-f
      machine c1:    (---------)
      c2:                A-a==============R-f
      c3:                               A----------a==R-f
      c4:                                    A-a=======R-f)",
     Outcome::kUnknown, Outcome::kUnknown},
    {"a release that was over before excuses nothing",
     R"(
      c1:         A-a==!=========R---f
      machine c1:    (---------)
      c2:                              A-a=====R-f
      c3:                                A-a====R-f)",
     Outcome::kViolated, Outcome::kViolated},
    {"its release lands late, in another's lease",
     R"(
      c1:         A-a==R-!----------f
      machine n1:       (----------)
      c2:                   A-a===========R-f
      c3:                              A-a===R-f)",
     Outcome::kUnknown, Outcome::kUnknown},
    {"one that an earlier stall harmed and that lapsed itself as well does what either would",
     R"(
      c1:         A-a==!========R-f
      machine c1:    (---------)
      c2:                        A-a===!=========R---f
      machine c2:                    (---------)
      c3:                                       A---a===============R-f
      c4:                                          A---a======R-f)",
     Outcome::kUnknown, Outcome::kUnknown},
    {"a release without an answer may have waited for its server, whatever comes after that",
     R"(
      c1:         A-a==R--------!------?
      machine n1:       (----------------)
      c2:                   A---------------a====R-f
      c3:                                    A-a=R-f)",
     Outcome::kUnknown, Outcome::kUnknown},
    {"so it may when its client has given up",
     R"(
      c1:         A-a==R---?----!
      machine n1:       (----------------)
      c2:                   A---------------a====R-f
      c3:                                    A-a=R-f)",
     Outcome::kUnknown, Outcome::kUnknown},
    {"also when a fault held it from then on",
     R"(
      c1:         A-a==R---?----!
      machine n1:       (----------------)
      hold n1:              [------------]
      c2:                   A---------------a====R-f
      c3:                                    A-a=R-f)",
     Outcome::kUnknown, Outcome::kUnknown},
    {"first its client stood still and then the server",
     R"(
      c1:         A-a==R--------!------?
      machine c1:       (------)
      machine n1:               (--------)
      c2:                   A---------------a====R-f
      c3:                                    A-a=R-f)",
     Outcome::kUnknown, Outcome::kUnknown},
    {"a server that only stood still within the lease delayed no release beyond it",
     R"(
      c1:         A-a==R----?  !
      machine n1:       (-)
      c2:                         A---a====R-f
      c3:                              A-a=R-f)",
     Outcome::kViolated, Outcome::kViolated},
    {"a server that only stood still after the lease delayed no release beyond it",
     R"(
      c1:         A-a==R--!------------?
      machine n1:             (----------)
      c2:                   A---------------a====R-f
      c3:                                    A-a=R-f)",
     Outcome::kViolated, Outcome::kViolated},
    {"also where only its client stood still, after it had given up",
     R"(
      c1:         A-a==R-?  !
      machine c1:        (----------)
      c2:                      A---a======R-f
      c3:                             A-a=R-f)",
     Outcome::kUnknown, Outcome::kUnknown},
    {"or only the store",
     R"(
      c1:         A-a==R-?  !
      machine n0:      (------------)
      c2:                      A---a======R-f
      c3:                             A-a=R-f)",
     Outcome::kUnknown, Outcome::kUnknown},
    {"one of a lock that looks whose it frees harms nobody, with or without an answer",
     R"(
      c1:         A-a==R-?  !
      machine n1:      (------------)
      c2:                      A---a======R-r
      c3:                             A-a=R-r)",
     Outcome::kViolated, Outcome::kViolated},
    {"where nobody knows whether it looks it may not",
     R"(
      c1:         A-a==R-?  !
      machine n1:      (------------)
      c2:                      A---a======R-x
      c3:                             A-a=R-x)",
     Outcome::kUnknown, Outcome::kUnknown},
    {"of an acquire without an answer the release comes late, and frees the next one's",
     R"(
      c1:         A-----?R-------------f
      machine c1:         (----------)
      c2:                       A-a==========R-f
      c3:                                 A-a==R-f)",
     Outcome::kUnknown, Outcome::kUnknown},
    {"without the stall that is the lock's own",
     R"(
      c1:         A-----?R-------------f
      c2:                       A-a==========R-f
      c3:                                 A-a==R-f)",
     Outcome::kViolated, Outcome::kViolated},
    {"so it is with a stall of a client that has nothing to do with it",
     R"(
      c1:         A-----?R-------------f
      machine c9:         (----------)
      c2:                       A-a==========R-f
      c3:                                 A-a==R-f)",
     Outcome::kViolated, Outcome::kViolated},
    {"also where a fault held it up as well",
     R"(
      c1:         A-----?R-------------f
      machine c1:         (----------)
      stall c1:             [--------]
      c2:                       A-a==========R-f
      c3:                                 A-a==R-f)",
     Outcome::kUnknown, Outcome::kUnknown},
    {"one that was refused freed nothing",
     R"(
      c1:         A-----?R-------------x
      machine c1:         (----------)
      c2:                       A-a==========R-f
      c3:                                 A-a==R-f)",
     Outcome::kViolated, Outcome::kViolated},
    {"one that is not answered either, as its server stood still",
     R"(
      c1:         A-----?R-------------?
      machine n1:         (------------)
      c2:                       A-------a====R-f
      c3:                                 A-a==R-f)",
     Outcome::kUnknown, Outcome::kUnknown},
    {"and what that one's frees, and so on",
     R"(
      c1:         A-----?R-------------f
      machine c1:         (----------)
      c2:                       A-a==========R-f
      c3:                                 A-a===========R-f
      c4:                                            A-a===R-f)",
     Outcome::kUnknown, Outcome::kUnknown},
};

TEST(Aftermath, OnlyConsequencesOfAStallAreExcused) {
  for (const AftermathCase& each : kCases) {
    SCOPED_TRACE(each.what);
    const History history = FromLanes(each.lanes);
    EXPECT_EQ(CheckExclusion(history, {}).outcome, each.exclusion);
    EXPECT_EQ(CheckLeaseExclusion(history, {}).outcome, each.lease_exclusion);
  }
}

TEST(Aftermath, WhoIsGrantedItLateBesideAHarmedOneIsNotToBlame) {
  const auto outcome = [](const std::string& harmer) {
    History history = FromLanes("      c1:         A-a==!=========R-" + harmer + R"(
      machine c1:    (---------)
      c2:               A-a==============================R-f
      c3:                          A----------a==R-f
      machine c3:                    (------))");
    for (Event& event : history.events) {  // c3's lease is over when it learns of its grant
      if (event.op == Op::kAcquire && event.type == EventType::kOk && event.client == 3)
        event.value[0] = event.at_ns - 2'000'000;
    }
    return std::pair(CheckExclusion(history, {}).outcome, CheckExclusion(history, {}).reason);
  };
  const auto [late, why] = outcome("f");
  EXPECT_EQ(late, Outcome::kUnknown) << why;
  EXPECT_EQ(outcome("x").first, Outcome::kViolated) << "nobody freed c2's";
}

// Holds follow each other without a gap, but none overlaps another until the end.
TEST(Aftermath, OnABusyKeyDoubtEndsALeaseAfterTheLastOverlap) {
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

TEST(Aftermath, SaysSinceWhenAndByWhichStall) {
  const ClaimVerdict verdict = CheckLeaseExclusion(FromLanes(kCases[0].lanes), {});
  EXPECT_EQ(
      verdict.reason,
      "only where the machine stalled a process: client 3 was granted the key at 0.016 s "
      "while client 2's lease was valid until 1.007 s; client 2 held it until 0.020 s; what befell "
      "the key since 0.015 s may come of a stall of the machine (client 1, 0.003-0.013 s)");
}

TEST(Aftermath, NamesTheLastEndedOfTheStallsThatHadBegun) {
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
  EXPECT_EQ(named(3), "") << "none had begun";
  EXPECT_EQ(named(4), "client 1");
  EXPECT_EQ(named(8), "client 1");
  EXPECT_EQ(named(9), "client 2") << "both under way";
  EXPECT_EQ(named(16), "client 2") << "client 3's ends before";
  EXPECT_EQ(named(25), "client 2") << "over that instant";
  EXPECT_EQ(named(30), "client 2") << "long over";
  EXPECT_EQ(named(31), "node 1");
}

}  // namespace
}  // namespace doublehold
