#include "checker/claims/library/idle_traffic.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

// The lease is 10 columns, so a command in the first 2 columns of idle time may be in transit.
ClaimVerdict VerdictOnIdleTraffic(const std::string& picture) {
  return CheckIdleTraffic(FromLanes(picture), {});
}

TEST(IdleTraffic, IsViolatedByAClientThatStillSendsCommandsAfterItsLastRelease) {
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
            "client 1 had released all by 0.008 s, and went on to send 2 commands to lock "
            "servers, the first to node 3 at 0.011 s");
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

TEST(IdleTraffic, ACommandCountsFromAFifthOfALeaseAfterTheIdleTimeBegan) {
  ExpectEachIdleTraffic({
      {"no command", "c1: A-a=R-rI---------i", Outcome::kValid},
      {"commands before the idle time", "c1:      A-a=R-rI---------i\nsent c1: *-----*",
       Outcome::kValid},
      {"a command in the first fifth of a lease", "c1:      A-a=R-rI---------i\nsent c1:        *",
       Outcome::kValid},
      {"a command at the end of the first fifth",
       "c1:      A-a=R-rI---------i\nsent c1:          *", Outcome::kViolated},
      {"a command at the end of the idle time",
       "c1:      A-a=R-rI---------i\nsent c1:                  *", Outcome::kViolated},
      {"a command after the idle time", "c1:      A-a=R-rI---------i\nsent c1:                   *",
       Outcome::kValid},
      {"idle for half a lease", "c1:      A-a=R-rI----i\nsent c1:             *",
       Outcome::kViolated},
      {"idle for less than half a lease", "c1:      A-a=R-rI---i\nsent c1:            *"},
      {"an idle time without an end", "c1:      A-a=R-rI----\nsent c1:            *"},
      {"never idle", "c1:      A-a=R-r\nsent c1:            *"},
      {"a client without a grant", "c1:      A-xI---------i\nsent c1:      *"},
      {"a command of an unknown client", "c1:      A-a=R-rI---------i\nsent c9:             *",
       Outcome::kValid},
  });
}

TEST(IdleTraffic, AClientIsIdleWhenAllOfItsSessionsAreIdle) {
  ExpectEachIdleTraffic({
      {"both sessions are idle", R"(
      c1:        A-a=R-rI--------------i
      c1.2:              A-a=R-rI---------i
      sent c1:                     *)",
       Outcome::kViolated},
      {"one session is not idle yet", R"(
      c1:        A-a=R-rI--------------i
      c1.2:              A-a=R-rI---------i
      sent c1:               *)",
       Outcome::kValid},
      {"the idle times of the sessions do not overlap", R"(
      c1:        A-a=R-rI-----i
      c1.2:                      A-a=R-rI------i
      sent c1:                             *)"},
      {"one session was never idle", R"(
      c1:        A-a=R-rI-----------i
      c1.2:      A-x
      sent c1:                 *)"},
  });
}

TEST(IdleTraffic, TrafficWithAnotherExplanationDoesNotCount) {
  ExpectEachIdleTraffic({
      {"a hold is unreleased", "c1:      A-a=   I---------i\nsent c1:             *"},
      {"an acquire is unanswered", "c1:      A-a=R-rA-?I---------i\nsent c1:                *"},
      {"a release is unanswered", "c1:      A-a=R-?I---------i\nsent c1:             *"},
      {"the last extension is unanswered",
       "c1:      A-a=E-?=R-rI---------i\nsent c1:                 *"},
      {"a later extension was answered",
       "c1:      A-a=E-?=E-e=R-rI---------i\nsent c1:                     *", Outcome::kViolated},
      {"another client's acquire is unanswered", R"(
      c1:       A-a=R-rI---------i
      c2:       A-?
      sent c1:              *)",
       Outcome::kViolated},
      {"the client was stalled", R"(
      c1:             A-a=R-rI---------i
      machine c1:              (--)
      sent c1:                    *)"},
      {"another client was stalled", R"(
      c1:             A-a=R-rI---------i
      c2:             A-x
      machine c2:              (--)
      sent c1:                    *)",
       Outcome::kViolated},
      {"a fault acted on another client", R"(
      c1:             A-a=R-rI---------i
      c2:             A-x
      pause c2:              [--]
      sent c1:                    *)",
       Outcome::kViolated},
      {"a fault acted on a server", R"(
      c1:             A-a=R-rI---------i
      pause n1:              [--]
      sent c1:                    *)"},
      {"a fault ended during the acquire", R"(
      c1:             A---a=R-rI---------i
      delay c1:        [-]
      sent c1:                      *)"},
      {"a fault ended more than a lease before the acquire", R"(
      c1:                        A-a=R-rI---------i
      delay c1:   [-]
      sent c1:                               *)",
       Outcome::kViolated},
      {"a fault ended less than a lease before the acquire", R"(
      c1:                        A-a=R-rI---------i
      delay c1:       [-]
      sent c1:                               *)"},
      {"another client's write of unknown outcome, from a stock of 1", R"(
      c1:             A-a=R-rI---------i
      c2:                     A-aW-?R-r           | 1>0)",
       Outcome::kValid},
      {"not all commands were recorded", R"(
      c1:             A-a=R-rI---------i
      sent c1:                           #)"},
      {"records were lost", R"(
      c1:             A-a=R-rI---------i
      lost c1:          *
      sent c1:                    *)"},
  });
}

TEST(IdleTraffic, AClientIsNotJudgedIfItsCommandsMightBeUnrecorded) {
  ExpectEachIdleTraffic({
      {"the client was paused for too long", R"(
      c1:                 A-a=R-rI---------i
      pause c1:                   [-----])"},
      {"the client ran for half a lease", R"(
      c1:                 A-a=R-rI---------i
      pause c1:                   [----])",
       Outcome::kValid},
      {"a pause and a stall overlap", R"(
      c1:                 A-a=R-rI---------i
      pause c1:                   [----]
      machine c1:                  (--))",
       Outcome::kValid},
      {"most of the pause precedes the idle time", R"(
      c1:                 A-a=R-rI---------i
      pause c1:         [------------])",
       Outcome::kValid},
      {"the client was stalled", R"(
      c1:                 A-a=R-rI---------i
      machine c1:                 (-----))"},
      {"another client was stalled", R"(
      c1:                 A-a=R-rI---------i
      c2:                 A-x
      machine c2:                 (-----))",
       Outcome::kValid},
      {"the client's messages were lost", R"(
      c1:                 A-a=R-rI---------i
      black-hole c1:              [-----])"},
      {"another client's messages were lost", R"(
      c1:                 A-a=R-rI---------i
      c2:                 A-x
      black-hole c2:              [-----])",
       Outcome::kValid},
      {"the only server was paused", R"(
      c1:                 A-a=R-rI---------i
      pause n1:                   [-----])"},
      {"the only server was killed", R"(
      c1:                 A-a=R-rI---------i
      crash n1:                 [])"},
      {"a replica was promoted after the only server was killed", R"(
      c1:                 A-a=R-rI---------i
      crash n1:               []
      promote n1:               [-])",
       Outcome::kValid},
      {"a replica was promoted only before the server was killed", R"(
      c1:                 A-a=R-rI---------i
      crash n1:               []
      promote n1:         [-])"},
      {"the store was paused", R"(
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
      {"the kind of the fault is unknown", R"(
      c1:                 A-a=R-rI---------i
      volcano n1:                 [-----])"},
      {"another client could be judged", R"(
      c1:                 A-a=R-rI---------i
      c2:                         A-a=R-rI---------i
      pause c1:                   [-----])",
       Outcome::kValid},
  });
}

TEST(IdleTraffic, AServerThatWasStoppedTogetherWithAnotherClientHidesCommands) {
  const std::string idle = R"(
      c1:                 A-a=R-rI---------i
      c2:                 A-x
      pause c2:                   [-----])";
  const std::string sends = idle + "\n      sent c1:                             *";
  for (const auto& [picture, alone] :
       {std::pair(idle, Outcome::kValid), std::pair(sends, Outcome::kViolated)}) {
    EXPECT_EQ(VerdictOnIdleTraffic(picture).outcome, alone) << picture;
    History history = FromLanes(picture);
    for (Event& event : history.events) {
      if (event.op == Op::kFault) event.value[3] = 1;
    }
    EXPECT_EQ(CheckIdleTraffic(history, {}).outcome, Outcome::kUnknown) << picture;
  }
}

TEST(IdleTraffic, IsUnknownWhereCommandsOfMostIdleClientsMightBeUnrecorded) {
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

TEST(IdleTraffic, IsUnknownWhereMostClientsWereNotIdleForHalfALease) {
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

TEST(IdleTraffic, AClientIsJudgedIfOneOfSeveralServersCouldReceiveItsCommands) {
  const std::string picture = R"(
      c1:                 A-a=R-rI---------i
      pause n1:                   [-----])";
  EXPECT_EQ(CheckIdleTraffic(FromLanes(picture, {.nodes = 3}), {}).outcome, Outcome::kValid);
  EXPECT_EQ(CheckIdleTraffic(FromLanes(picture), {}).reason,
            "no client that was idle could have been seen to send for long enough");
}

// A client that sends nothing has no renewal that continues, whatever the outcomes of its calls.
TEST(IdleTraffic, AClientThatSendsNothingIsValid) {
  ExpectEachIdleTraffic({
      {"a hold is unreleased", "c1: A-a=   I---------i", Outcome::kValid},
      {"a release is unanswered", "c1: A-a=R-?I---------i", Outcome::kValid},
  });
}

}  // namespace
}  // namespace doublehold
