#include "checker/claims/library/idle_traffic.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

// The lease is ten columns: a command in the first two columns of idle time may be in transit.
ClaimVerdict VerdictOnIdleTraffic(const std::string& picture) {
  return CheckIdleTraffic(FromLanes(picture), {});
}

TEST(IdleTraffic, IsViolatedByAClientThatStillSendsAfterItReleasedEverything) {
  const ClaimVerdict verdict = VerdictOnIdleTraffic(R"(
      c1:       A-a==R-rI---------i
      c2:                    A-a=R-rI---------i
      sent c1:          *  *  *                  | 1 3 2)");
  EXPECT_EQ(verdict.outcome, Outcome::kViolated);
  EXPECT_EQ(verdict.count, 1);
  EXPECT_EQ(verdict.opportunities, 2);
  EXPECT_EQ(verdict.unit, "clients");
  EXPECT_EQ(verdict.reason, "1 of 2 clients went on sending after all was released");
  EXPECT_EQ(verdict.violations.at(0).sentence,
            "client 1 had released all by 0.008 s, and went on to send 2 commands to servers of "
            "locks, the first to node 3 at 0.011 s");
  EXPECT_EQ(verdict.violations.at(0).first->hold, 101U);
  EXPECT_EQ(verdict.violations.at(0).from_ns, 11'000'000);
  EXPECT_EQ(verdict.violations.at(0).to_ns, 14'000'000);
}

struct IdleTrafficDrawn {
  std::string name;
  std::string picture;
  Outcome outcome = Outcome::kUnknown;
};

void ExpectEachIdleTraffic(const std::vector<IdleTrafficDrawn>& drawn) {
  for (const IdleTrafficDrawn& each : drawn) {
    const ClaimVerdict verdict = VerdictOnIdleTraffic(each.picture);
    EXPECT_EQ(verdict.outcome, each.outcome) << each.name << ": " << verdict.reason;
    EXPECT_EQ(verdict.count, each.outcome == Outcome::kViolated ? 1 : 0) << each.name;
  }
}

TEST(IdleTraffic, CountsFromAFifthOfALeaseOnAndWhileItIsIdle) {
  ExpectEachIdleTraffic({
      {"nothing", "c1: A-a=R-rI---------i", Outcome::kValid},
      {"before it is idle", "c1:      A-a=R-rI---------i\nsent c1: *-----*", Outcome::kValid},
      {"in the first fifth", "c1:      A-a=R-rI---------i\nsent c1:        *", Outcome::kValid},
      {"at its end", "c1:      A-a=R-rI---------i\nsent c1:          *", Outcome::kViolated},
      {"at the end", "c1:      A-a=R-rI---------i\nsent c1:                  *",
       Outcome::kViolated},
      {"after it", "c1:      A-a=R-rI---------i\nsent c1:                   *", Outcome::kValid},
      {"for half a lease", "c1:      A-a=R-rI----i\nsent c1:             *", Outcome::kViolated},
      {"for less", "c1:      A-a=R-rI---i\nsent c1:            *"},
      {"to no end", "c1:      A-a=R-rI----\nsent c1:            *"},
      {"never", "c1:      A-a=R-r\nsent c1:            *"},
      {"who had nothing", "c1:      A-xI---------i\nsent c1:      *"},
      {"who is none of the clients", "c1:      A-a=R-rI---------i\nsent c9:             *",
       Outcome::kValid},
  });
}

TEST(IdleTraffic, AClientIsIdleWhenAllOfItsSessionsAre) {
  ExpectEachIdleTraffic({
      {"both", R"(
      c1:        A-a=R-rI--------------i
      c1.2:              A-a=R-rI---------i
      sent c1:                     *)",
       Outcome::kViolated},
      {"not yet the other", R"(
      c1:        A-a=R-rI--------------i
      c1.2:              A-a=R-rI---------i
      sent c1:               *)",
       Outcome::kValid},
      {"never at once", R"(
      c1:        A-a=R-rI-----i
      c1.2:                      A-a=R-rI------i
      sent c1:                             *)"},
      {"the other was never", R"(
      c1:        A-a=R-rI-----------i
      c1.2:      A-x
      sent c1:                 *)"},
  });
}

TEST(IdleTraffic, TrafficWithAnotherExplanationDoesNotCount) {
  ExpectEachIdleTraffic({
      {"it has not released all", "c1:      A-a=   I---------i\nsent c1:             *"},
      {"it may have been granted more",
       "c1:      A-a=R-rA-?I---------i\nsent c1:                *"},
      {"its release was not answered", "c1:      A-a=R-?I---------i\nsent c1:             *"},
      {"an extension was not answered",
       "c1:      A-a=E-?=R-rI---------i\nsent c1:                 *"},
      {"one that was tried again was",
       "c1:      A-a=E-?=E-e=R-rI---------i\nsent c1:                     *", Outcome::kViolated},
      {"another's was not", R"(
      c1:       A-a=R-rI---------i
      c2:       A-?
      sent c1:              *)",
       Outcome::kViolated},
      {"the machine stalled it", R"(
      c1:             A-a=R-rI---------i
      machine c1:              (--)
      sent c1:                    *)"},
      {"the machine stalled another", R"(
      c1:             A-a=R-rI---------i
      c2:             A-x
      machine c2:              (--)
      sent c1:                    *)",
       Outcome::kViolated},
      {"a fault on another", R"(
      c1:             A-a=R-rI---------i
      c2:             A-x
      pause c2:              [--]
      sent c1:                    *)",
       Outcome::kViolated},
      {"a fault on a server", R"(
      c1:             A-a=R-rI---------i
      pause n1:              [--]
      sent c1:                    *)"},
      {"a fault when it had asked", R"(
      c1:             A---a=R-rI---------i
      delay c1:        [-]
      sent c1:                      *)"},
      {"a lease before", R"(
      c1:                        A-a=R-rI---------i
      delay c1:   [-]
      sent c1:                               *)",
       Outcome::kViolated},
      {"less than a lease before", R"(
      c1:                        A-a=R-rI---------i
      delay c1:       [-]
      sent c1:                               *)"},
      {"records were lost", R"(
      c1:             A-a=R-rI---------i
      lost c1:          *
      sent c1:                    *)"},
  });
}

TEST(IdleTraffic, AClientThatMightHaveSentUnseenProvesNothing) {
  ExpectEachIdleTraffic({
      {"it was stopped", R"(
      c1:                 A-a=R-rI---------i
      pause c1:                   [-----])"},
      {"but not for half a lease", R"(
      c1:                 A-a=R-rI---------i
      pause c1:                   [----])",
       Outcome::kValid},
      {"or in two parts that overlap", R"(
      c1:                 A-a=R-rI---------i
      pause c1:                   [----]
      machine c1:                  (--))",
       Outcome::kValid},
      {"or not as long as it was idle", R"(
      c1:                 A-a=R-rI---------i
      pause c1:         [------------])",
       Outcome::kValid},
      {"the machine stalled it", R"(
      c1:                 A-a=R-rI---------i
      machine c1:                 (-----))"},
      {"the machine stalled another", R"(
      c1:                 A-a=R-rI---------i
      c2:                 A-x
      machine c2:                 (-----))",
       Outcome::kValid},
      {"its messages vanished", R"(
      c1:                 A-a=R-rI---------i
      black-hole c1:              [-----])"},
      {"those of another did", R"(
      c1:                 A-a=R-rI---------i
      c2:                 A-x
      black-hole c2:              [-----])",
       Outcome::kValid},
      {"the only server stood still", R"(
      c1:                 A-a=R-rI---------i
      pause n1:                   [-----])"},
      {"it had been killed for good", R"(
      c1:                 A-a=R-rI---------i
      crash n1:                 [])"},
      {"and another took over", R"(
      c1:                 A-a=R-rI---------i
      crash n1:               []
      promote n1:               [-])",
       Outcome::kValid},
      {"that had been there before", R"(
      c1:                 A-a=R-rI---------i
      crash n1:               []
      promote n1:         [-])"},
      {"the store did", R"(
      c1:                 A-a=R-rI---------i
      pause n0:                   [-----])",
       Outcome::kValid},
      {"a clock was moved", R"(
      c1:                 A-a=R-rI---------i
      jump c1:                    [-----])",
       Outcome::kValid},
      {"keys were removed", R"(
      c1:                 A-a=R-rI---------i
      flush n1:                   [-----])",
       Outcome::kValid},
      {"nobody knows what the fault does", R"(
      c1:                 A-a=R-rI---------i
      volcano n1:                 [-----])"},
      {"another was seen for long enough", R"(
      c1:                 A-a=R-rI---------i
      c2:                         A-a=R-rI---------i
      pause c1:                   [-----])",
       Outcome::kValid},
  });
}

TEST(IdleTraffic, IsUnknownWhereMostIdleClientsMightHaveSentUnseen) {
  EXPECT_EQ(CheckIdleTraffic(FromLanes(R"(
      c1:                 A-a=R-rI---------i
      c2:                         A-a=R-rI---------i
      c3:                                 A-a=R-rI---------i
      pause c1:                   [-----]
      pause c2:                           [-----])"),
                             {})
                .reason,
            "only 1 of 3 clients could be judged");
}

TEST(IdleTraffic, IsUnknownWhereMostWereNotIdleForLongEnough) {
  const std::string two = R"(
      c1:             A-a=R-rI---------i
      c2:                     A-a=R-rI--i)";
  EXPECT_EQ(VerdictOnIdleTraffic(two).outcome, Outcome::kValid);
  EXPECT_EQ(VerdictOnIdleTraffic(two + "\n      c3:                             A-x").outcome,
            Outcome::kValid);
  EXPECT_EQ(VerdictOnIdleTraffic(two + "\n      c3:                             A-a=R-r").reason,
            "only 1 of 3 clients could be judged");
  EXPECT_EQ(VerdictOnIdleTraffic(two + R"(
      c3:                             A-a=R-r
      sent c1:                      *)")
                .outcome,
            Outcome::kViolated);
}

TEST(IdleTraffic, OneOfSeveralServersIsEnoughToSeeTraffic) {
  const std::string picture = R"(
      c1:                 A-a=R-rI---------i
      pause n1:                   [-----])";
  EXPECT_EQ(CheckIdleTraffic(FromLanes(picture, {.nodes = 3}), {}).outcome, Outcome::kValid);
  EXPECT_EQ(CheckIdleTraffic(FromLanes(picture), {}).reason,
            "no client that was idle could have been seen to send for long enough");
}

// Nothing was sent: whatever the outcome of its calls, no renewal continues.
TEST(IdleTraffic, AClientThatSendsNothingIsValid) {
  ExpectEachIdleTraffic({
      {"though it has not released all", "c1: A-a=   I---------i", Outcome::kValid},
      {"though it was not answered", "c1: A-a=R-?I---------i", Outcome::kValid},
  });
}

}  // namespace
}  // namespace doublehold
