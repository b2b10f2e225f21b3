#include "checker/claims/library/availability.h"

#include <gtest/gtest.h>

#include <algorithm>
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

LaneOptions AvailabilityLibrary(std::vector<std::string> can = {"lease"}, int nodes = 1) {
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
            "longest that a free key could not be acquired beyond lease and grace");
  EXPECT_EQ(verdict.margins.at(0).value, -8'000'000);
}

TEST(Availability, ASeriesOfLongRefusedCallsIsUnknown) {
  const std::string free = R"(
      c1:          A-a=R-r
      c2:                 A--------xA--------xA--------xA-a=R-r)";
  const std::string once = R"(
      c1:          A-a=R-r
      c2:                 A-----------xA-a=R-r)";
  for (const auto& [picture, options] : {std::pair{free, LaneOptions{.nodes = 3}},
                                         {free, AvailabilityLibrary({"lease"}, 5)},
                                         {once, AvailabilityLibrary()}}) {
    const ClaimVerdict verdict = VerdictOnAvailability(picture, options);
    EXPECT_EQ(verdict.outcome, Outcome::kUnknown);
    EXPECT_NE(verdict.reason.find("how often it asked within its calls is not known"),
              std::string::npos)
        << verdict.reason;
  }
  // The refusals last no longer than lease and grace.
  EXPECT_EQ(VerdictOnAvailability(R"(
      c1:          A-a=R-r
      c2:                 A--------xA-a=R-r)",
                                  {.nodes = 3})
                .outcome,
            Outcome::kValid);
  // There is a gap of more than a lease between the retries.
  EXPECT_EQ(VerdictOnAvailability(R"(
      c1:          A-a=R-r
      c2:                 A--------x       A--------xA-a=R-r)",
                                  {.nodes = 3})
                .outcome,
            Outcome::kValid);
}

TEST(Availability, TheMarginIsTheTimeLeftOfLeaseAndGrace) {
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
  // Another client may have held the key first.
  const std::string beside = before + "c2:                  A----------a\nc3:                    ";
  EXPECT_EQ(VerdictOnAvailability(beside + "A-a=R-r").outcome, Outcome::kValid);
  EXPECT_EQ(VerdictOnAvailability(beside + "A-x").outcome, Outcome::kUnknown);
  // The client was stalled for 2 ms of its wait.
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
      {"invoked exactly lease and grace after the release", R"(
      c1:          A-a=R-r
      c2:                          A-x)"},
      {"invoked 1 ms later", R"(
      c1:          A-a=R-r
      c2:                           A-x)",
       kAvailabilityViolated, 1},
      {"the release reported that the lock was not its own", R"(
      c1:          A-a=R-x
      c2:                           A-x)",
       kAvailabilityViolated, 1},
      {"the release is unanswered, but its lease has ended", R"(
      c1:          A-a=R-?
      c2:                             A-x)",
       kAvailabilityViolated, 1},
      {"the release is unanswered, and its lease ended only lease and grace ago", R"(
      c1:          A-a=R-?
      c2:                            A-x)"},
      {"the granted lease is longer than requested", R"(
      c1:          A-a=R-?   !
      c2:                             A-x)"},
      {"the hold was never released", R"(
      c1:          A-a==
      c2:                             A-x)",
       kAvailabilityViolated, 1},
      {"the hold was extended and never released", R"(
      c1:          A-a==E-e
      c2:                             A-x)"},
      {"the extended lease ended long ago", R"(
      c1:          A-a==E-e
      c2:                                   A-x)",
       kAvailabilityViolated, 1},
      {"an extension has an unknown outcome", R"(
      c1:          A-a==E-?
      c2:                                   A-x)"},
      {"an acquire of another client is unanswered", R"(
      c1:          A-?
      c2:                                   A-x)"},
      {"its own unanswered acquire was released", R"(
      c1:          A-?R-r                   A-x)",
       kAvailabilityViolated, 1},
      {"the release of its unanswered acquire was refused: a grant may follow", R"(
      c1:          A-?R-x                   A-x)"},
      {"two unanswered acquires and one release", R"(
      c1:          A-?A-?R-r                A-x)"},
      {"the release may have freed the earlier hold", R"(
      c1:          A-a=R-?A-?R-r            A-x)"},
      {"a re-entrant holder released one of its two holds", R"(
      c1:          A-a=A-a=R-r
      c2:                          A-x)"},
      {"a session may have re-entered and released only once", R"(
      c1:          A-a=R-?A-a=R-r
      c2:                                     A-x)"},
      {"another client was granted the key since", R"(
      c1:          A-a=R-?A-a=R-r
      c2:                         A-a=R-r                 A-x)",
       kAvailabilityViolated, 1},
      {"another reader was granted the key since", R"(
      c1:          A-a=R-?A-a=R-r
      c2:                         A-b=R-r                 A-x)"},
      {"a reader still holds the key", R"(
      c1:          A-b=R-r
      c2:             A-b=================R-r
      c3:                            A-x)"},
      {"another acquire is granted during the refused acquire", R"(
      c1:          A-a=R-r
      c2:                             A-a=R-r
      c3:                           A-x)",
       kAvailabilityValid, 1},
      {"the key was granted again before the refused acquire", R"(
      c1:          A-a=R-r
      c2:                         A-a==R-r
      c3:                           A-x)",
       kAvailabilityValid, 1},
      {"granted to a session that invoked its acquire before the release", R"(
      c1:          A-a=R-r
      c2:                 A--a=R-r
      c3:             A-------------a==R-r)"},
      {"the key was never granted", R"(
      c2 b:        A-x
      c1:                      A-x)",
       kAvailabilityViolated, 1},
      {"the referee probes the key", R"(
      c1:          A-a=R-r
      c2:                           A-x
      probe:                  P---p)"},
      {"two keys are judged separately", R"(
      c1 a:        A-a=R-r
      c2 b:                  A-a=====R-r
      c2 a:        A-x)",
       kAvailabilityValid, 1},
  });
}

TEST(Availability, TimeDuringFaultsAndStallsDoesNotCount) {
  ExpectAll({
      {"a pause of another client ended lease and grace before the acquire", R"(
      pause c3:            [-]
      c1:          A-a=R-r
      c2:                              A-x)"},
      {"a pause of another client ended 1 ms earlier", R"(
      pause c3:            [-]
      c1:          A-a=R-r
      c2:                               A-x)",
       kAvailabilityViolated, 1},
      {"a clock was moved", R"(
      jump n1:       []
      c1:          A-a=R-r
      c2:                                A-x)"},
      {"a server restarted with older data", R"(
      restart n1:       []
      c1:          A-a=R-r
      c2:                                A-x)"},
      {"granted in time during a fault", R"(
      delay:            [------------]
      c1:          A-a=R-r
      c2:                   A-a=R-r)",
       Outcome::kValid, 1},
      {"granted too late during a fault", R"(
      delay:            [------------]
      c1:          A-a=R-r
      c2:                   A--------------a=R-r)"},
      {"a stall of the client ended lease and grace before the acquire", R"(
      machine c2:            (--)
      c1:          A-a=R-r
      c2:                                 A-x)"},
      {"a stall of the client ended 1 ms earlier", R"(
      machine c2:            (--)
      c1:          A-a=R-r
      c2:                                  A-x)",
       kAvailabilityViolated, 1},
      {"the server was stalled", R"(
      machine n1:            (--)
      c1:          A-a=R-r
      c2:                                 A-x)"},
      {"another client was stalled", R"(
      machine c1:            (--)
      c1:          A-a=R-r
      c2:                                  A-x)",
       kAvailabilityViolated, 1},
      {"a short stall is subtracted", R"(
      machine c2:            (-)
      c1:          A-a=R-r
      c2:                            A-x)"},
      {"refused for longer than lease, grace and the short stall", R"(
      machine c2:            (-)
      c1:          A-a=R-r
      c2:                             A-x)",
       kAvailabilityViolated, 1},
  });
  ExpectAll({{"a duplicated request may be in the queue", R"(
      duplicate c3:        [-]
      c1:          A-a=R-r
      c2:                                     A-x)"},
             {"a paused client sends nothing twice", R"(
      pause c3:            [-]
      c1:          A-a=R-r
      c2:                                     A-x)",
              kAvailabilityViolated, 1},
             {"a paused server may carry out a request later", R"(
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

TEST(Availability, ARefusalIsUnknownWithAnotherClientAheadInAQueue) {
  const ClaimVerdict verdict = VerdictOnAvailability(R"(
      c1:          A-a=R-r
      c2:                           A-x
      c3:            A-x)");
  EXPECT_EQ(verdict.outcome, Outcome::kUnknown);
  EXPECT_EQ(verdict.reason,
            "client 2 asked for the key at 0.017 s, which nobody had since 0.006 s, when client 1 "
            "was the last to have it, and was refused it at 0.019 s; that is right only if another "
            "session was ahead in a queue");
  ExpectAll({
      {"the other client was granted the key since", R"(
      c1:          A-a=R-r
      c2:                                   A-x
      c3:            A-x  A-a=R-r)",
       kAvailabilityViolated, 2},
      {"the other client acquired again after its grant", R"(
      c1:          A-a=R-r
      c2:                                     A-x
      c3:            A-x  A-a=R-rA-x)",
       Outcome::kUnknown, 1},
      {"the other client's acquire overlaps the refused one", R"(
      c1:          A-a=R-r
      c2:                                     A---x
      c3:                                       A-----x)"},
  });
}

TEST(Availability, IfAllClientsInAQueueRetryOneMustBeGrantedTheKey) {
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
      {"one client has retried for too short a time", R"(
      c1:          A-a=R-r
      c2:                       A-x A-x A-x
      c3:            A-x A-x A-x A-x A-x A-x A-x)",
       kAvailabilityViolated, 1},
      {"another client made a break of a lease", R"(
      c1:          A-a=R-r
      c2:            A-x     A-x A-x A-x A-x
      c3:              A-x A-x A-x A-x A-x)",
       kAvailabilityViolated, 2},
      {"another client made a break of more than a lease", R"(
      c1:          A-a=R-r
      c2:            A-x      A-xA-x A-x
      c3:              A-x A-x A-x A-x A-x)"},
      {"after its break another client retried for longer than lease and grace", R"(
      c1:          A-a=R-r
      c2:            A-x      A-xA-x A-x A-x
      c3:              A-x A-x A-x A-x A-x A-x)",
       kAvailabilityViolated, 2},
      {"another client gave up", R"(
      c1:          A-a=R-r
      c2:            A-xA-x A-x
      c3:              A-x A-x A-x A-x A-x)"},
      {"another client joined later and still retries", R"(
      c1:          A-a=R-r
      c2:                             A-xA-x
      c3:              A-x A-x A-x A-x A-x)",
       kAvailabilityViolated, 1},
  });
}

TEST(Availability, OnSeveralNodesOnlyRetriesForLongerThanLeaseAndGraceProveAViolation) {
  const LaneOptions nodes{.nodes = 3};
  ExpectAll(
      {
          {"one acquire", R"(
      c1:          A-a=R-r
      c2:                           A-x)"},
          {"retries throughout", R"(
      c1:          A-a=R-r
      c2:                 A-x  A-x  A-x  A-x)",
           kAvailabilityViolated, 1},
          {"slow refusals", R"(
      c1:          A-a=R-r
      c2:                 A----x  A----x  A----x  A----x)"},
          {"the last refusal is slow", R"(
      c1:          A-a=R-r
      c2:                 A-x  A-x  A-x  A----x)"},
          {"the first refusal is slow, and the series after it is too short", R"(
      c1:          A-a=R-r
      c2:                 A----x  A-x  A-x  A-x)"},
          {"the series lasts exactly lease and grace", R"(
      c1:          A-a=R-r
      c2:                 A-x  A-x A-x)"},
          {"a gap of a lease between retries", R"(
      c1:          A-a=R-r
      c2:                 A-x     A-x A-x)",
           kAvailabilityViolated, 1},
          {"a gap of more than a lease between retries", R"(
      c1:          A-a=R-r
      c2:                 A-x      A-x A-x)"},
          {"two clients block each other", R"(
      c1:          A-x A-x A-x A-x
      c2:          A-x  A-x A-x A-x)",
           kAvailabilityViolated, 2},
          {"a third client is granted the key", R"(
      c1:          A-x A-x A-x A-x
      c2:          A-x  A-x A-x A-x
      c3:                     A----a=R-r)",
           kAvailabilityValid, 1},
          {"a refused release may leave keys on some nodes", R"(
      c1:          A-a=R-x
      c2:                 A-x  A-x   A-x)"},
          {"a refused release leaves keys for at most a lease", R"(
      c1:          A-a=R-x
      c2:                 A-x  A-x  A-x  A-x)",
           kAvailabilityViolated, 1},
          {"an unanswered acquire may be granted later", R"(
      c1:          A-?R-r
      c2:                 A-x  A-x  A-x  A-x)"},
          {"one node of three is paused", R"(
      pause n1:             [--------------]
      c1:          A-a=R-r
      c2:                 A-x  A-x  A-x  A-x)",
           kAvailabilityViolated, 1},
          {"two nodes of three are paused", R"(
      pause n1:             [--------------]
      pause n2:             [--------------]
      c1:          A-a=R-r
      c2:                 A-x  A-x  A-x  A-x)"},
          {"the refused client is paused", R"(
      pause c2:             [-----]
      c1:          A-a=R-r
      c2:                 A-x  A-x  A-x  A-x)"},
          {"another client is stalled and may hold some nodes", R"(
      machine c1:             (--)
      c1:          A-a=R-r
      c2:                 A-x  A-x  A-x  A-x)"},
      },
      nodes);
}

TEST(Availability, ASingleRefusalByALibraryNeedsARetryHint) {
  const std::string once = R"(
      c1:          A-a=R-r
      c2:                           A-x)";
  EXPECT_EQ(VerdictOnAvailability(once, AvailabilityLibrary()).outcome, Outcome::kUnknown);
  ExpectAll({{"a refusal with a retry hint", R"(
      c1:          A-a=R-r
      c2:                           A-t)",
              kAvailabilityViolated, 1},
             {"retries throughout", R"(
      c1:          A-a=R-r
      c2:                 A-x  A-x  A-x  A-x)",
              kAvailabilityViolated, 1},
             {"the driver has an unanswered call", R"(
      c1:          A-a=R-r
      c2 b:        A-?
      c2:                 A-x  A-x  A-x  A-x)"},
             {"a later call of the driver was answered", R"(
      c1:          A-a=R-r
      c2 b:        A-?A-a
      c2:                 A-x  A-x  A-x  A-x)",
              kAvailabilityViolated, 1},
             {"a fault may have left a request in the queue", R"(
      drop c3:        []
      c1:          A-a=R-r
      c2:                           A-t)"},
             {"a client that was paused during its acquire retries afterwards", R"(
      pause c3:    [------]
      c1:          A-a=R-r
      c3:             A----x   A-x A-x A-x
      c2:                 A-x A-x A-x A-x)",
              kAvailabilityViolated, 2},
             {"a client that was paused during its acquire never retries", R"(
      pause c3:    [------]
      c1:          A-a=R-r
      c3:             A----x
      c2:                 A-x A-x A-x A-x)"}},
            AvailabilityLibrary());
  const std::string left = R"(
      c1:          A-a=R-?
      c2:                             A-t)";
  EXPECT_EQ(VerdictOnAvailability(left, AvailabilityLibrary()).outcome, Outcome::kViolated);
  EXPECT_EQ(VerdictOnAvailability(left, AvailabilityLibrary({"lease", "watchdog"})).outcome,
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
      << "as many late grants as grants in time";
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
      << "a fault lost the answers";
  EXPECT_EQ(VerdictOnAvailability(once + "A").reason,
            "only 1 of 3 asks for a free key could be judged");
  EXPECT_EQ(VerdictOnAvailability("c1:           A-?A-?").reason,
            "nobody asked for a key that was certainly free");
}

// The crash fault ends at once, but the killed servers do not return.
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

// Client 3 is the first in the queue, and the machine stalls client 3.
TEST(Availability, AStallOfAnotherClientMayDelayAQueue) {
  const std::string picture = R"(
      c1:               A-a=R-r
      c3:                   A---------------------------x
      c2:                       A-x A-x  A-x A-x A-x A-x
      machine c3:            (-------------------------))";
  EXPECT_EQ(VerdictOnAvailability(picture, {.lock = "redisson-fair"}).outcome, Outcome::kUnknown);
  EXPECT_EQ(VerdictOnAvailability(picture, AvailabilityLibrary()).outcome, Outcome::kUnknown);
}

TEST(Availability, AcquiresOfSeveralKeysAreNotJudged) {
  History history = Draw(R"(
      c1:          A-a=R-r
      c2:                            A-x   A-x)");
  for (Event& event : history.events) {
    if (event.op == Op::kAcquire && event.type == EventType::kInvoke) event.value[1] = 2;
  }
  EXPECT_EQ(CheckAvailability(history, {}).outcome, Outcome::kUnknown);
}

TEST(Availability, ARefusedAcquireOfSeveralKeysMayHaveHeldTheKeyUntilItsRefusal) {
  History history = Draw(R"(
      c1:          A-a=R-r
      c2:                  A-----------x A-x)");
  EXPECT_EQ(CheckAvailability(history, {}).outcome, Outcome::kViolated);
  const auto first = std::ranges::find_if(history.events, [](const Event& event) {
    return event.client == 2 && event.op == Op::kAcquire;
  });
  first->value[1] = 2;
  EXPECT_NE(CheckAvailability(history, {}).outcome, Outcome::kViolated);
}

}  // namespace
}  // namespace doublehold
