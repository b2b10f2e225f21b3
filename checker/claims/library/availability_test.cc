#include "checker/claims/library/availability.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

constexpr int64_t kLeaseNs = 6'000'000;

// Lease and grace together are 10 ms. Leases that are not drawn are as long as the run's lease.
History Draw(const std::string& picture, LaneOptions options = {}) {
  constexpr int64_t kUndrawnNs = 1'000'000'000;
  options.lease = Duration(kLeaseNs);
  options.grace = 4ms;
  History history = FromLanes(picture, options);
  for (Event& event : history.events) {
    const bool leases = event.op == Op::kAcquire || event.op == Op::kExtend;
    if (!leases || event.type == EventType::kFail || event.value[0] < kUndrawnNs) continue;
    event.value[0] -= kUndrawnNs - kLeaseNs;
  }
  return history;
}

ClaimVerdict VerdictOnAvailability(const std::string& picture, const LaneOptions& options = {}) {
  return CheckAvailability(Draw(picture, options), {});
}

LaneOptions OfLibraryAvailability(std::vector<std::string> can = {"lease"}, int nodes = 1) {
  LaneOptions options{.nodes = nodes};
  options.library = LibraryFact{"drawn", "1", std::move(can)};
  return options;
}

TEST(Availability, IsViolatedWhereAFreeKeyIsRefused) {
  const ClaimVerdict verdict = VerdictOnAvailability(R"(
      c1:          A-a=R-r
      c2:                            A-x   A-x)");
  EXPECT_EQ(verdict.outcome, Outcome::kViolated);
  EXPECT_EQ(verdict.count, 1);
  EXPECT_EQ(verdict.opportunities, 1);
  EXPECT_EQ(verdict.unit, "asks for a free key");
  EXPECT_EQ(verdict.reason, "1 of 1 ask for a free key had no grant within lease and grace");
  EXPECT_EQ(verdict.violations.at(0).sentence,
            "client 2 asked for the key at 0.018 s, which nobody had since 0.006 s, when client 1 "
            "was the last to have it, and was refused it at 0.020 s; no fault was active");
  EXPECT_EQ(verdict.violations.at(0).first->hold, 101U);
  EXPECT_FALSE(verdict.violations.at(0).second);
  EXPECT_EQ(verdict.margins.at(0).missed,
            "longest that a free key could not be had beyond lease and grace");
  EXPECT_EQ(verdict.margins.at(0).value, -8'000'000);
}

TEST(Availability, IsUnknownWhereLongCallsAreRefusedAFreeKeyAllTheTime) {
  const std::string free = R"(
      c1:          A-a=R-r
      c2:                 A--------xA--------xA--------xA-a=R-r)";
  const std::string once = R"(
      c1:          A-a=R-r
      c2:                 A-----------xA-a=R-r)";
  for (const auto& [picture, options] : {std::pair{free, LaneOptions{.nodes = 3}},
                                         {free, OfLibraryAvailability({"lease"}, 5)},
                                         {once, OfLibraryAvailability()}}) {
    const ClaimVerdict verdict = VerdictOnAvailability(picture, options);
    EXPECT_EQ(verdict.outcome, Outcome::kUnknown);
    EXPECT_NE(verdict.reason.find("how often it asked within its calls is not known"),
              std::string::npos)
        << verdict.reason;
  }
  // Refused for no longer than lease and grace.
  EXPECT_EQ(VerdictOnAvailability(R"(
      c1:          A-a=R-r
      c2:                 A--------xA-a=R-r)",
                                  {.nodes = 3})
                .outcome,
            Outcome::kValid);
  // It did not retry all the time.
  EXPECT_EQ(VerdictOnAvailability(R"(
      c1:          A-a=R-r
      c2:                 A--------x       A--------xA-a=R-r)",
                                  {.nodes = 3})
                .outcome,
            Outcome::kValid);
}

TEST(Availability, ReportsHowMuchOfLeaseAndGraceWasLeft) {
  const ClaimVerdict verdict = VerdictOnAvailability(R"(
      c1:          A-a=R-r
      c2:             A-x A-x A-a=R-r)");
  EXPECT_EQ(verdict.outcome, Outcome::kValid);
  EXPECT_EQ(verdict.opportunities, 1);
  EXPECT_EQ(verdict.reason, "each of 1 ask for a free key had a grant within lease and grace");
  EXPECT_EQ(verdict.margins.at(0).value, 3'000'000);
  EXPECT_EQ(verdict.margins.at(0).nearest.at(0).sentence,
            "client 2 asked for the free key from 0.006 s on, and was granted it at 0.013 s, with "
            "3.0 ms of lease and grace left");
}

TEST(Availability, IsUnknownWhereAFreeKeyIsGrantedAfterLeaseAndGrace) {
  const std::string before = "c1:           A-a=R-r\n";
  const ClaimVerdict late = VerdictOnAvailability(before + "c2:                  A----------a");
  EXPECT_EQ(late.reason,
            "client 2 asked for the free key from 0.007 s on, and was granted it only at 0.018 s, "
            "though perhaps in time");
  EXPECT_EQ(late.outcome, Outcome::kUnknown);
  EXPECT_EQ(late.opportunities, 1);
  EXPECT_EQ(VerdictOnAvailability(before + "c2:                  A---------a").outcome,
            Outcome::kValid);
  // Another client may have held it first.
  const std::string beside = before + "c2:                  A----------a\nc3:                    ";
  EXPECT_EQ(VerdictOnAvailability(beside + "A-a=R-r").outcome, Outcome::kValid);
  EXPECT_EQ(VerdictOnAvailability(beside + "A-x").outcome, Outcome::kUnknown);
  // For 2 ms of these the client was stalled.
  const std::string stalled = before + "machine c2:             (-)\nc2:                  A";
  EXPECT_EQ(VerdictOnAvailability(stalled + "-----------a").outcome, Outcome::kValid);
  EXPECT_EQ(VerdictOnAvailability(stalled + "------------a").outcome, Outcome::kUnknown);
}

struct AvailabilityDrawn {
  std::string name;
  std::string picture;
  Outcome outcome = Outcome::kUnknown;
  int64_t opportunities = 0;
};

void ExpectAll(const std::vector<AvailabilityDrawn>& drawn, const LaneOptions& options = {}) {
  for (const auto& [name, picture, outcome, opportunities] : drawn) {
    const ClaimVerdict verdict = VerdictOnAvailability(picture, options);
    EXPECT_EQ(Name(verdict.outcome), Name(outcome)) << name << ": " << verdict.reason;
    EXPECT_EQ(verdict.opportunities, opportunities) << name;
  }
}

constexpr Outcome kAvailabilityViolated = Outcome::kViolated;
constexpr Outcome kAvailabilityValid = Outcome::kValid;

TEST(Availability, IsViolatedAfterTheKeyWasFreeForLongerThanLeaseAndGrace) {
  ExpectAll({
      {"just in time", R"(
      c1:          A-a=R-r
      c2:                          A-x)"},
      {"just too late", R"(
      c1:          A-a=R-r
      c2:                           A-x)",
       kAvailabilityViolated, 1},
      {"the release says that it was not its own", R"(
      c1:          A-a=R-x
      c2:                           A-x)",
       kAvailabilityViolated, 1},
      {"the release is not answered, but its lease is over", R"(
      c1:          A-a=R-?
      c2:                             A-x)",
       kAvailabilityViolated, 1},
      {"and has just been over", R"(
      c1:          A-a=R-?
      c2:                            A-x)"},
      {"its lease is longer than was asked for", R"(
      c1:          A-a=R-?   !
      c2:                             A-x)"},
      {"nobody released it", R"(
      c1:          A-a==
      c2:                             A-x)",
       kAvailabilityViolated, 1},
      {"nobody released it, and it was extended", R"(
      c1:          A-a==E-e
      c2:                             A-x)"},
      {"it was extended, and long ago", R"(
      c1:          A-a==E-e
      c2:                                   A-x)",
       kAvailabilityViolated, 1},
      {"nobody knows whether it was extended", R"(
      c1:          A-a==E-?
      c2:                                   A-x)"},
      {"an acquire was not answered", R"(
      c1:          A-?
      c2:                                   A-x)"},
      {"that was released", R"(
      c1:          A-?R-r                   A-x)",
       kAvailabilityViolated, 1},
      {"that was not its own, and may come", R"(
      c1:          A-?R-x                   A-x)"},
      {"one of two of its own", R"(
      c1:          A-?A-?R-r                A-x)"},
      {"it was or what was there before", R"(
      c1:          A-a=R-?A-?R-r            A-x)"},
      {"another entry is left", R"(
      c1:          A-a=A-a=R-r
      c2:                          A-x)"},
      {"the session went in again, and perhaps out only once", R"(
      c1:          A-a=R-?A-a=R-r
      c2:                                     A-x)"},
      {"another had it since", R"(
      c1:          A-a=R-?A-a=R-r
      c2:                         A-a=R-r                 A-x)",
       kAvailabilityViolated, 1},
      {"a reader had it since", R"(
      c1:          A-a=R-?A-a=R-r
      c2:                         A-b=R-r                 A-x)"},
      {"a reader has it", R"(
      c1:          A-b=R-r
      c2:             A-b=================R-r
      c3:                            A-x)"},
      {"somebody asks meanwhile, and is granted it", R"(
      c1:          A-a=R-r
      c2:                             A-a=R-r
      c3:                           A-x)",
       kAvailabilityValid, 1},
      {"somebody was granted it and is refused", R"(
      c1:          A-a=R-r
      c2:                         A-a==R-r
      c3:                           A-x)",
       kAvailabilityValid, 1},
      {"it is granted to who asked before it was free", R"(
      c1:          A-a=R-r
      c2:                 A--a=R-r
      c3:             A-------------a==R-r)"},
      {"nobody ever had it", R"(
      c2 b:        A-x
      c1:                      A-x)",
       kAvailabilityViolated, 1},
      {"the referee asks", R"(
      c1:          A-a=R-r
      c2:                           A-x
      probe:                  P---p)"},
      {"two keys", R"(
      c1 a:        A-a=R-r
      c2 b:                  A-a=====R-r
      c2 a:        A-x)",
       kAvailabilityValid, 1},
  });
}

TEST(Availability, TimeDoesNotCountDuringFaultsAndStalls) {
  ExpectAll({
      {"somebody else is stopped", R"(
      pause c3:            [-]
      c1:          A-a=R-r
      c2:                              A-x)"},
      {"and was", R"(
      pause c3:            [-]
      c1:          A-a=R-r
      c2:                               A-x)",
       kAvailabilityViolated, 1},
      {"a clock was moved", R"(
      jump n1:       []
      c1:          A-a=R-r
      c2:                                A-x)"},
      {"data was lost", R"(
      restart n1:       []
      c1:          A-a=R-r
      c2:                                A-x)"},
      {"it was granted in time, under a fault", R"(
      delay:            [------------]
      c1:          A-a=R-r
      c2:                   A-a=R-r)",
       Outcome::kValid, 1},
      {"it was granted too late, under a fault", R"(
      delay:            [------------]
      c1:          A-a=R-r
      c2:                   A--------------a=R-r)"},
      {"the machine stalls who asks", R"(
      machine c2:            (--)
      c1:          A-a=R-r
      c2:                                 A-x)"},
      {"and did", R"(
      machine c2:            (--)
      c1:          A-a=R-r
      c2:                                  A-x)",
       kAvailabilityViolated, 1},
      {"the machine stalls the server", R"(
      machine n1:            (--)
      c1:          A-a=R-r
      c2:                                 A-x)"},
      {"the machine stalls another", R"(
      machine c1:            (--)
      c1:          A-a=R-r
      c2:                                  A-x)",
       kAvailabilityViolated, 1},
      {"the machine stalls it for short", R"(
      machine c2:            (-)
      c1:          A-a=R-r
      c2:                            A-x)"},
      {"and not for long enough", R"(
      machine c2:            (-)
      c1:          A-a=R-r
      c2:                             A-x)",
       kAvailabilityViolated, 1},
  });
  ExpectAll({{"what was sent twice may be in its queue", R"(
      duplicate c3:        [-]
      c1:          A-a=R-r
      c2:                                     A-x)"},
             {"who is only stopped sends nothing twice", R"(
      pause c3:            [-]
      c1:          A-a=R-r
      c2:                                     A-x)",
              kAvailabilityViolated, 1},
             {"a server that was may do what nobody waits for", R"(
      pause n1:            [-]
      c1:          A-a=R-r
      c2:                                     A-x)"}},
            {.lock = "redisson-fair"});
  EXPECT_EQ(VerdictOnAvailability(R"(
      delay:               [-]
      c1:          A-a=R-r
      c2:                                     A-x)",
                                  {.lock = "redisson-fair"})
                .reason,
            "client 2 asked for the key at 0.027 s, which nobody had since 0.006 s, when client 1 "
            "was the last to have it, and was refused it at 0.029 s; what a fault left behind may "
            "have been in its way");
}

TEST(Availability, ARefusalIsCertainOnlyWithoutAnotherClientAheadInAQueue) {
  const ClaimVerdict verdict = VerdictOnAvailability(R"(
      c1:          A-a=R-r
      c2:                           A-x
      c3:            A-x)");
  EXPECT_EQ(verdict.outcome, Outcome::kUnknown);
  EXPECT_EQ(verdict.reason,
            "client 2 asked for the key at 0.017 s, which nobody had since 0.006 s, when client 1 "
            "was the last to have it, and was refused it at 0.019 s; only if another stood before "
            "it in a queue is that right");
  ExpectAll({
      {"who was granted it stands there no more", R"(
      c1:          A-a=R-r
      c2:                                   A-x
      c3:            A-x  A-a=R-r)",
       kAvailabilityViolated, 2},
      {"but who asked since", R"(
      c1:          A-a=R-r
      c2:                                     A-x
      c3:            A-x  A-a=R-rA-x)",
       Outcome::kUnknown, 1},
      {"or at the same time", R"(
      c1:          A-a=R-r
      c2:                                     A---x
      c3:                                       A-----x)"},
  });
}

TEST(Availability, OfClientsThatRetryAllTheTimeOneMustBeGrantedTheKey) {
  const ClaimVerdict verdict = VerdictOnAvailability(R"(
      c1:          A-a=R-r A-x  A-x A-x A-x
      c2:            A--x A-x A-x A-x A---x
      c3:            A-x A-x A-x A-x A-x)");
  EXPECT_EQ(verdict.outcome, Outcome::kViolated);
  EXPECT_EQ(verdict.violations.at(0).sentence,
            "client 3 asked for the key at 0.018 s, and asked in vain since 0.002 s, which nobody "
            "had since 0.006 s, when client 1 was the last to have it, and was refused it at 0.020 "
            "s; nor was client 1 or client 2 granted it, who asked too; no fault was active");
  ExpectAll({
      {"it has not asked for so long", R"(
      c1:          A-a=R-r
      c2:                       A-x A-x A-x
      c3:            A-x A-x A-x A-x A-x A-x A-x)",
       kAvailabilityViolated, 1},
      {"another had gone, and was away for a lease", R"(
      c1:          A-a=R-r
      c2:            A-x     A-x A-x A-x A-x
      c3:              A-x A-x A-x A-x A-x)",
       kAvailabilityViolated, 2},
      {"for more than a lease", R"(
      c1:          A-a=R-r
      c2:            A-x      A-xA-x A-x
      c3:              A-x A-x A-x A-x A-x)"},
      {"and was back for long", R"(
      c1:          A-a=R-r
      c2:            A-x      A-xA-x A-x A-x
      c3:              A-x A-x A-x A-x A-x A-x)",
       kAvailabilityViolated, 2},
      {"another has gone", R"(
      c1:          A-a=R-r
      c2:            A-xA-x A-x
      c3:              A-x A-x A-x A-x A-x)"},
      {"another that came since has not", R"(
      c1:          A-a=R-r
      c2:                             A-xA-x
      c3:              A-x A-x A-x A-x A-x)",
       kAvailabilityViolated, 1},
  });
}

TEST(Availability, OnSeveralNodesAClientMustRetryForThatLong) {
  const LaneOptions nodes{.nodes = 3};
  ExpectAll(
      {
          {"it asked once", R"(
      c1:          A-a=R-r
      c2:                           A-x)"},
          {"it asked all the time", R"(
      c1:          A-a=R-r
      c2:                 A-x  A-x  A-x  A-x)",
           kAvailabilityViolated, 1},
          {"the nodes may have answered too late", R"(
      c1:          A-a=R-r
      c2:                 A----x  A----x  A----x  A----x)"},
          {"the last time", R"(
      c1:          A-a=R-r
      c2:                 A-x  A-x  A-x  A----x)"},
          {"before, which is another matter", R"(
      c1:          A-a=R-r
      c2:                 A----x  A-x  A-x  A-x)"},
          {"it was just not long enough", R"(
      c1:          A-a=R-r
      c2:                 A-x  A-x A-x)"},
          {"it let a lease go by", R"(
      c1:          A-a=R-r
      c2:                 A-x     A-x A-x)",
           kAvailabilityViolated, 1},
          {"it let more than a lease go by", R"(
      c1:          A-a=R-r
      c2:                 A-x      A-x A-x)"},
          {"two refuse each other", R"(
      c1:          A-x A-x A-x A-x
      c2:          A-x  A-x A-x A-x)",
           kAvailabilityViolated, 2},
          {"a third gets it", R"(
      c1:          A-x A-x A-x A-x
      c2:          A-x  A-x A-x A-x
      c3:                     A----a=R-r)",
           kAvailabilityValid, 1},
          {"its release may have left keys", R"(
      c1:          A-a=R-x
      c2:                 A-x  A-x   A-x)"},
          {"and for a lease", R"(
      c1:          A-a=R-x
      c2:                 A-x  A-x  A-x  A-x)",
           kAvailabilityViolated, 1},
          {"its acquire may come", R"(
      c1:          A-?R-r
      c2:                 A-x  A-x  A-x  A-x)"},
          {"a node is stopped", R"(
      pause n1:             [--------------]
      c1:          A-a=R-r
      c2:                 A-x  A-x  A-x  A-x)",
           kAvailabilityViolated, 1},
          {"two are", R"(
      pause n1:             [--------------]
      pause n2:             [--------------]
      c1:          A-a=R-r
      c2:                 A-x  A-x  A-x  A-x)"},
          {"who asks is stopped", R"(
      pause c2:             [-----]
      c1:          A-a=R-r
      c2:                 A-x  A-x  A-x  A-x)"},
          {"another is stalled, and may have a part", R"(
      machine c1:             (--)
      c1:          A-a=R-r
      c2:                 A-x  A-x  A-x  A-x)"},
      },
      nodes);
}

TEST(Availability, ALibraryMayHaveHadNoTimeToAsk) {
  const std::string once = R"(
      c1:          A-a=R-r
      c2:                           A-x)";
  EXPECT_EQ(VerdictOnAvailability(once, OfLibraryAvailability()).outcome, Outcome::kUnknown);
  ExpectAll({{"it says that the key is taken", R"(
      c1:          A-a=R-r
      c2:                           A-t)",
              kAvailabilityViolated, 1},
             {"it asked all the time", R"(
      c1:          A-a=R-r
      c2:                 A-x  A-x  A-x  A-x)",
              kAvailabilityViolated, 1},
             {"a call before is not answered", R"(
      c1:          A-a=R-r
      c2 b:        A-?
      c2:                 A-x  A-x  A-x  A-x)"},
             {"and was", R"(
      c1:          A-a=R-r
      c2 b:        A-?A-a
      c2:                 A-x  A-x  A-x  A-x)",
              kAvailabilityViolated, 1},
             {"a fault may have put something into its queue", R"(
      drop c3:        []
      c1:          A-a=R-r
      c2:                           A-t)"},
             {"who was stopped may be there, until it is back", R"(
      pause c3:    [------]
      c1:          A-a=R-r
      c3:             A----x   A-x A-x A-x
      c2:                 A-x A-x A-x A-x)",
              kAvailabilityViolated, 2},
             {"who was stopped does not come back", R"(
      pause c3:    [------]
      c1:          A-a=R-r
      c3:             A----x
      c2:                 A-x A-x A-x A-x)"}},
            OfLibraryAvailability());
  const std::string left = R"(
      c1:          A-a=R-?
      c2:                             A-t)";
  EXPECT_EQ(VerdictOnAvailability(left, OfLibraryAvailability()).outcome, Outcome::kViolated);
  EXPECT_EQ(VerdictOnAvailability(left, OfLibraryAvailability({"lease", "watchdog"})).outcome,
            Outcome::kUnknown);
}

TEST(Availability, IsUnknownWhereRecordsAreMissing) {
  const ClaimVerdict verdict = VerdictOnAvailability(R"(
      lost c1:        *
      c1:          A-a=R-r
      c2:                           A-x)");
  EXPECT_EQ(verdict.reason, "records were lost: who had the key meanwhile is not known");
  EXPECT_EQ(VerdictOnAvailability("c1: A-a=R-r").reason,
            "nobody asked for a key that was certainly free");
}

TEST(Availability, IsUnknownWhereMostGrantsWereLateBecauseOfDisturbances) {
  const std::string late = R"(
      c2:                                      A--------------a=R-r   A--------------a=R-r
      delay:                                       [-]                    [-])";
  EXPECT_EQ(VerdictOnAvailability("c1:           A-a=R-r A-a=R-r A-a=R-r" + late).outcome,
            Outcome::kValid)
      << "as many as came in time";
  const ClaimVerdict verdict =
      VerdictOnAvailability("c1:           A-a=R-r         A-a=R-r" + late);
  EXPECT_EQ(verdict.outcome, Outcome::kUnknown);
  EXPECT_EQ(verdict.reason, "only 1 of 3 asks for a free key could be judged");
}

TEST(Availability, IsUnknownWhereMostAcquiresWereNotAnswered) {
  const std::string once = "c1:           A-a=R-r A-a=R-r\nc2:                           A--?";
  EXPECT_EQ(VerdictOnAvailability(once).outcome, Outcome::kValid);
  EXPECT_EQ(VerdictOnAvailability(once + "A--?").reason,
            "only 1 of 3 asks for a free key could be judged");
  EXPECT_EQ(
      VerdictOnAvailability(once + "A--?\ndrop c2:                      [----------]").outcome,
      Outcome::kValid)
      << "a fault kept the answers";
  EXPECT_EQ(VerdictOnAvailability(once + "A").reason,
            "only 1 of 3 asks for a free key could be judged");
  EXPECT_EQ(VerdictOnAvailability("c1:           A-?A-?").reason,
            "nobody asked for a key that was certainly free");
}

// The crash fault ends at once, but the servers stay away.
TEST(Availability, NoGrantIsExpectedOnceAMajorityOfServersWasKilled) {
  const std::string one = R"(
      c1:            A-a=R-r
      c2:                    A-x A-x A-x A-x A-x A-x A-x
      crash n1:  [])";
  EXPECT_EQ(VerdictOnAvailability(one, {.nodes = 3}).outcome, Outcome::kViolated);
  EXPECT_EQ(VerdictOnAvailability(one).outcome, Outcome::kUnknown);
  EXPECT_EQ(VerdictOnAvailability(one + "\n      crash n2:  []", {.nodes = 3}).outcome,
            Outcome::kUnknown);
  const std::string stopped = one + R"(
      pause n2:             [------------------------------])";
  EXPECT_EQ(VerdictOnAvailability(stopped, {.nodes = 3}).outcome, Outcome::kValid)
      << "one node was killed and another is stopped, so no majority is left";
}

// The first client in the queue is stalled by the machine.
TEST(Availability, AStallOfAnotherClientDelaysAQueue) {
  const std::string picture = R"(
      c1:               A-a=R-r
      c3:                   A---------------------------x
      c2:                       A-x A-x  A-x A-x A-x A-x
      machine c3:            (-------------------------))";
  EXPECT_EQ(VerdictOnAvailability(picture, {.lock = "redisson-fair"}).outcome, Outcome::kUnknown);
  EXPECT_EQ(VerdictOnAvailability(picture, OfLibraryAvailability()).outcome, Outcome::kUnknown);
}

}  // namespace
}  // namespace doublehold
