#include "checker/claims/lock/availability.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

// Lease and grace together are 10 ms. Leases that are not drawn are as long as the run's lease.
History Draw(const std::string& picture, LaneOptions options = {}) {
  options.lease = options.asked_lease = 6ms;
  options.grace = 4ms;
  return FromLanes(picture, options);
}

ClaimVerdict VerdictOnAvailability(const std::string& picture, const LaneOptions& options = {}) {
  return CheckAvailability(Draw(picture, options), {});
}

Outcome AvailabilityOf(const std::string& picture, const LaneOptions& options = {}) {
  return VerdictOnAvailability(picture, options).outcome;
}

// A lane of client 1, which has the key until 6 ms.
const std::string kC1HadTheKeyUntil6Ms = R"(
      c1:          A-a=R-r)";

LaneOptions AvailabilityLibrary(std::vector<std::string> can = {"lease"}, int nodes = 1) {
  LaneOptions options{.nodes = nodes};
  options.library = LibraryFact{"drawn", "1", std::move(can)};
  return options;
}

TEST(Availability, IsViolatedWhereAFreeKeyIsRefused) {
  const ClaimVerdict verdict = VerdictOnAvailability(R"(
      c1:          A-a=R-r
      c2:                            A-t   A-t)");
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
  const std::string free = kC1HadTheKeyUntil6Ms + R"(
      c2:                 A--------xA--------xA--------xA-a=R-r)";
  const std::string once = kC1HadTheKeyUntil6Ms + R"(
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
  const std::string brief = kC1HadTheKeyUntil6Ms + R"(
      c2:                 A--------xA-a=R-r)";
  EXPECT_EQ(AvailabilityOf(brief, {.nodes = 3}), Outcome::kValid)
      << "the refusals last no longer than lease and grace";
  const std::string gap = kC1HadTheKeyUntil6Ms + R"(
      c2:                 A--------x       A--------xA-a=R-r)";
  EXPECT_EQ(AvailabilityOf(gap, {.nodes = 3}), Outcome::kValid)
      << "there is a gap of more than a lease between the retries";
}

TEST(Availability, TheMarginIsTheTimeLeftOfLeaseAndGrace) {
  const ClaimVerdict verdict = VerdictOnAvailability(R"(
      c1:          A-a=R-r
      c2:             A-t A-t A-a=R-r)");
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
  EXPECT_EQ(AvailabilityOf(before + "c2:                  A---------a"), Outcome::kValid);
  // Another client may have held the key first.
  const std::string beside = before + "c2:                  A----------a\nc3:                    ";
  EXPECT_EQ(AvailabilityOf(beside + "A-a=R-r"), Outcome::kValid);
  EXPECT_EQ(VerdictOnAvailability(beside + "A-a=R-r").margins.at(0).value, 6'000'000);
  const ClaimVerdict after = VerdictOnAvailability(beside + "A-------------a=R-r");
  EXPECT_EQ(after.outcome, Outcome::kUnknown) << "nobody else can have held the key before";
  EXPECT_EQ(after.margins.at(0).value, -1'000'000);
  EXPECT_EQ(VerdictOnAvailability(before + "c2:                  A---------------a\n"
                                           "c3:                    A---------aR-r")
                .reason,
            "client 2 asked for the free key from 0.007 s on, and client 3 was granted it only at "
            "0.019 s, though perhaps in time");
  // After the other client's hold, the wait counts anew.
  const std::string long_wait =
      before + "c2:                  A-----------------a\nc3:                    ";
  EXPECT_EQ(AvailabilityOf(long_wait + "A-a=R-r"), Outcome::kValid);
  EXPECT_EQ(AvailabilityOf(long_wait + "A-aR-r"), Outcome::kUnknown);
  EXPECT_EQ(AvailabilityOf(long_wait + "A-aR-?"), Outcome::kValid);
  EXPECT_EQ(VerdictOnAvailability(long_wait + "A-aR-r").reason,
            "client 2 asked for the free key from 0.014 s on, and was granted it only at 0.025 s, "
            "though perhaps in time");
  EXPECT_EQ(AvailabilityOf(beside + "A-?"), Outcome::kUnknown);
  EXPECT_EQ(AvailabilityOf(beside + "A-t"), Outcome::kUnknown);
  // The client was stalled for 2 ms of its wait.
  const std::string stalled = before + "machine c2:             (-)\nc2:                  A";
  EXPECT_EQ(AvailabilityOf(stalled + "-----------a"), Outcome::kValid);
  EXPECT_EQ(AvailabilityOf(stalled + "------------a"), Outcome::kUnknown);
}

struct AvailabilityDrawn {
  std::string name;
  Outcome outcome = Outcome::kUnknown;
  int64_t opportunities = 0;
  std::string picture;
};

void ExpectAll(const std::vector<AvailabilityDrawn>& drawn, const LaneOptions& options = {}) {
  for (const auto& [name, outcome, opportunities, picture] : drawn) {
    const ClaimVerdict verdict = VerdictOnAvailability(picture, options);
    EXPECT_EQ(Name(verdict.outcome), Name(outcome)) << name << ": " << verdict.reason;
    EXPECT_EQ(verdict.opportunities, opportunities) << name;
  }
}

// As ExpectAll, with kC1HadTheKeyUntil6Ms in front of each picture.
void ExpectAllAfterC1HadTheKey(std::vector<AvailabilityDrawn> drawn,
                               const LaneOptions& options = {}) {
  for (AvailabilityDrawn& each : drawn) each.picture.insert(0, kC1HadTheKeyUntil6Ms);
  ExpectAll(drawn, options);
}

TEST(Availability, IsViolatedAfterTheKeyWasFreeForLongerThanLeaseAndGrace) {
  using enum Outcome;
  ExpectAllAfterC1HadTheKey({
      {"invoked exactly lease and grace after the release", kUnknown, 0, R"(
      c2:                          A-t)"},
      {"invoked 1 ms later", kViolated, 1, R"(
      c2:                           A-t)"},
      {"another acquire is granted during the refused acquire", kValid, 1, R"(
      c2:                             A-a=R-r
      c3:                           A-t)"},
      {"the key was granted again before the refused acquire", kValid, 1, R"(
      c2:                         A-a==R-r
      c3:                           A-t)"},
      {"granted to a session that invoked its acquire before the release", kUnknown, 0, R"(
      c2:                 A--a=R-r
      c3:             A-------------a==R-r)"},
      {"the referee probes the key", kUnknown, 0, R"(
      c2:                           A-t
      probe:                  P---p)"},
  });
  ExpectAll({
      {"the release reported that the lock was not its own", kViolated, 1, R"(
      c1:          A-a=R-x
      c2:                           A-t)"},
      {"the release is unanswered, but its lease has ended", kViolated, 1, R"(
      c1:          A-a=R-?
      c2:                             A-t)"},
      {"the release is unanswered, and its lease ended only lease and grace ago", kUnknown, 0, R"(
      c1:          A-a=R-?
      c2:                            A-t)"},
      {"the granted lease is longer than requested", kUnknown, 0, R"(
      c1:          A-a=R-?   !
      c2:                             A-t)"},
      {"the hold was never released", kViolated, 1, R"(
      c1:          A-a==
      c2:                             A-t)"},
      {"the hold was extended and never released", kUnknown, 0, R"(
      c1:          A-a==E-e
      c2:                             A-t)"},
      {"the extended lease ended long ago", kViolated, 1, R"(
      c1:          A-a==E-e
      c2:                                   A-t)"},
      {"an extension was never answered", kUnknown, 0, R"(
      c1:          A-a==E
      c2:                                   A-t)"},
      {"an extension has an unknown outcome", kUnknown, 0, R"(
      c1:          A-a==E-?
      c2:                                   A-t)"},
      {"an acquire of another client is unanswered", kUnknown, 0, R"(
      c1:          A-?
      c2:                                   A-t)"},
      {"its own unanswered acquire was released", kViolated, 1,
       "c1:          A-?R-r                   A-t"},
      {"the release of its unanswered acquire was refused: a grant may follow", kUnknown, 0,
       "c1:          A-?R-x                   A-t"},
      {"two unanswered acquires and one release", kUnknown, 0,
       "c1:          A-?A-?R-r                A-t"},
      {"the release may have freed the earlier hold", kUnknown, 0,
       "c1:          A-a=R-?A-?R-r            A-t"},
      {"the release may have freed the earlier hold, and another was granted the key", kUnknown, 0,
       R"(
      c1:          A-aR?A?R-r                              A-t
      c2:                          A-a=R-r)"},
      {"the lease of the earlier hold had ended", kViolated, 1,
       "c1:          A-a=R-?         A-?R-r             A-t"},
      {"a re-entrant holder released one of its two holds", kUnknown, 0, R"(
      c1:          A-a=A-a=R-r
      c2:                          A-t)"},
      {"a session may have re-entered and released only once", kUnknown, 0, R"(
      c1:          A-a=R-?A-a=R-r
      c2:                                     A-t)"},
      {"a session may have re-entered in the last instant of its lease", kUnknown, 0, R"(
      c1:          A-a=R-? A-a=R-r
      c2:                                     A-t)"},
      {"a session acquired after its lease", kViolated, 2, R"(
      c1:          A-a=R-?  A-a=R-r
      c2:                                     A-t)"},
      {"another client was granted the key since", kViolated, 1, R"(
      c1:          A-a=R-?A-a=R-r
      c2:                         A-a=R-r                 A-t)"},
      {"another reader was granted the key since", kUnknown, 0, R"(
      c1:          A-a=R-?A-a=R-r
      c2:                         A-b=R-r                 A-t)"},
      {"a reader still holds the key", kUnknown, 0, R"(
      c1:          A-b=R-r
      c2:             A-b=================R-r
      c3:                            A-t)"},
      {"the key was never granted", kViolated, 1, R"(
      c2 b:        A-t
      c1:                      A-t)"},
      {"two keys are judged separately", kValid, 1, R"(
      c1 a:        A-a=R-r
      c2 b:                  A-a=====R-r
      c2 a:        A-t)"},
  });
}

TEST(Availability, IsUnknownWhereAHoldWithoutAKnownEndMayHaveKeptTheKey) {
  using enum Outcome;
  const std::string judged = kC1HadTheKeyUntil6Ms + "A-a=R-r";
  ExpectAll({
      {"the lease of an unanswered acquire had ended long before", kUnknown, 1, judged + R"(
      c3:                         A-?
      c2:                                                A-t)"},
      {"its lease had ended just lease and grace before", kValid, 1, judged + R"(
      c3:                         A-?
      c2:                                           A-t)"},
      {"a session may have re-entered", kUnknown, 2, judged + R"(
      c3:                         A-a=R-?A-a=R-r
      c2:                                                    A-t)"},
  });
  EXPECT_EQ(VerdictOnAvailability(judged + R"(
      c3:                         A-?
      c2:                                                A-t)")
                .reason,
            "unless a hold whose end is not known kept the key, client 2 asked for the key at "
            "0.038 s, which nobody had since 0.023 s, and was refused it at 0.040 s; that is right "
            "only if another session was ahead in a queue");
  EXPECT_EQ(VerdictOnAvailability(judged + R"(
      c3:                         A-a=R-?A-a=R-r
      c2:                                                    A-t)")
                .reason,
            "unless a hold whose end is not known kept the key, client 2 asked for the key at "
            "0.042 s, which nobody had since 0.028 s, when client 3 was the last to have it, and "
            "was refused it at 0.044 s; no fault was active");
  const std::string refused = R"(
      c2:                                             A-xA-xA-xA-xA-xA-xA-x)";
  ExpectAll(
      {
          {"its client was killed", kUnknown, 2, judged + refused + R"(
      c3:                         A-a==
      crash c3:                       [])"},
          {"its client lives on", kValid, 2, judged + refused + R"(
      c3:                         A-a==)"},
          {"its release was not answered", kUnknown, 2, judged + refused + R"(
      c3:                         A-a=R-?)"},
      },
      AvailabilityLibrary({"lease", "watchdog"}));
}

TEST(Availability, AStallMayHaveDoubledAnAcquireWhoseLeaseHasNoEnd) {
  std::string stalled = R"(
      c1:         A------------a=R-r
      machine c1:   (--------)
      c2:                       )";
  for (int i = 0; i < 20; ++i) stalled += "   A-t";
  EXPECT_EQ(AvailabilityOf(stalled, AvailabilityLibrary({"lease", "watchdog"})), Outcome::kUnknown);
  EXPECT_EQ(AvailabilityOf(stalled, AvailabilityLibrary({"lease"})), Outcome::kViolated);
}

// Each of the stalled acquires may have been sent twice. A copy has the key for one lease.
TEST(Availability, SecondCopiesMayHaveTheKeyOneAfterTheOther) {
  std::string refused(38, ' ');
  for (int i = 0; i < 6; ++i) refused += "  A-t";
  refused = "\n      c2:         " + refused;
  const std::string one = R"(
      c1:         A--------a=R-r
      machine n1:   (-----))";
  const std::string three = R"(
      c1:         A--------a=R-rA--------a=R-rA-------a=R-r
      machine n1:   (-----)       (-----)       (-----))";
  EXPECT_EQ(AvailabilityOf(one + refused, AvailabilityLibrary({"lease"})), Outcome::kViolated);
  EXPECT_EQ(AvailabilityOf(three + refused, AvailabilityLibrary({"lease"})), Outcome::kUnknown);
  // Without a queue, each copy has ended long before.
  History history = Draw(three + refused);
  history.facts.lock_traits = LockTraits{};
  EXPECT_EQ(CheckAvailability(history, {}).outcome, Outcome::kViolated);
}

TEST(Availability, TimeDuringFaultsAndStallsDoesNotCount) {
  using enum Outcome;
  ExpectAllAfterC1HadTheKey({
      {"another client was paused, and there is no queue", kViolated, 1, R"(
      pause c1:            [-]
      c2:                              A-t)"},
      {"a clock was moved", kUnknown, 0, R"(
      jump n1:       []
      c2:                                A-t)"},
      {"a server restarted with older data", kUnknown, 0, R"(
      restart n1:       []
      c2:                                A-t)"},
      {"the store restarted with older data", kViolated, 1, R"(
      restart n0:       []
      c2:                                A-t)"},
      {"granted in time during a fault", kValid, 1, R"(
      delay:            [------------]
      c2:                   A-a=R-r)"},
      {"granted too late during a fault", kUnknown, 0, R"(
      delay:            [------------]
      c2:                   A--------------a=R-r)"},
      {"a stall of the client ended lease and grace before the acquire", kUnknown, 0, R"(
      machine c2:            (--)
      c2:                                 A-t)"},
      {"a stall of the client ended 1 ms earlier", kViolated, 1, R"(
      machine c2:            (--)
      c2:                                  A-t)"},
      {"the server was stalled", kUnknown, 0, R"(
      machine n1:            (--)
      c2:                                 A-t)"},
      {"another client was stalled", kViolated, 1, R"(
      machine c1:            (--)
      c2:                                  A-t)"},
      {"asked for exactly lease and grace after a pause, in two calls", kValid, 1, R"(
      pause c2:                    [-]
      c2:                         A-t     A----t
      c3:                                       A-a=R-r)"},
      {"asked for 1 ms longer", kUnknown, 1, R"(
      pause c2:                    [-]
      c2:                         A-t     A-----t
      c3:                                        A-a=R-r)"},
      {"a short stall is subtracted", kUnknown, 0, R"(
      machine c2:            (-)
      c2:                            A-t)"},
      {"refused for longer than lease, grace and the short stall", kViolated, 1, R"(
      machine c2:            (-)
      c2:                             A-t)"},
  });
  ExpectAllAfterC1HadTheKey({{"a duplicated request may be in the queue", kUnknown, 0, R"(
      duplicate c3:        [-]
      c2:                                     A-t)"},
                             {"a pause of c1 ended 1 ms too late", kUnknown, 0, R"(
      pause c1:         [----]
      c2:                              A-t)"},
                             {"a pause of c1 ended 1 ms earlier", kViolated, 1, R"(
      pause c1:         [----]
      c2:                               A-t)"},
                             {"a client that was paused never asked for the key", kViolated, 1, R"(
      pause c3:            [-]
      c2:                              A-t)"},
                             {"a paused client sends nothing twice", kViolated, 1, R"(
      pause c1:            [-]
      c2:                                     A-t)"},
                             {"a paused server may carry out a request later", kUnknown, 0, R"(
      pause n1:            [-]
      c2:                                     A-t)"}},
                            {.lock = "redisson-fair"});
  const std::string delayed = kC1HadTheKeyUntil6Ms + R"(
      delay:               [-]
      c2:                                     A-t)";
  EXPECT_EQ(
      VerdictOnAvailability(delayed, {.lock = "redisson-fair"}).reason,
      "client 2 asked for the key at 0.027 s, which nobody had since 0.006 s, when client 1 "
      "was the last to have it, and was refused it at 0.029 s; this may have been in its way: "
      "messages were held on the wire (0.008-0.010 s)");
}

TEST(Availability, ARefusalIsUnknownWithAnotherClientAheadInAQueue) {
  using enum Outcome;
  const ClaimVerdict verdict = VerdictOnAvailability(R"(
      c1:          A-a=R-r
      c2:                           A-t
      c3:            A-t)");
  EXPECT_EQ(verdict.outcome, Outcome::kUnknown);
  EXPECT_EQ(verdict.reason,
            "client 2 asked for the key at 0.017 s, which nobody had since 0.006 s, when client 1 "
            "was the last to have it, and was refused it at 0.019 s; that is right only if another "
            "session was ahead in a queue");
  ExpectAllAfterC1HadTheKey({
      {"the other client was granted the key since", kViolated, 2, R"(
      c2:                                   A-t
      c3:            A-t  A-a=R-r)"},
      {"the other client acquired again after its grant", kUnknown, 1, R"(
      c2:                                     A-t
      c3:            A-t  A-a=R-rA-t)"},
      {"the other client's acquire overlaps the refused one", kUnknown, 0, R"(
      c2:                                     A---x
      c3:                                       A-----x)"},
  });
}

TEST(Availability, IfAllClientsInAQueueRetryOneMustBeGrantedTheKey) {
  using enum Outcome;
  const ClaimVerdict verdict = VerdictOnAvailability(R"(
      c1:          A-a=R-r A-t  A-t A-t A-t
      c2:            A--x A-t A-t A-t A---x
      c3:            A-t A-t A-t A-t A-t)");
  EXPECT_EQ(verdict.outcome, Outcome::kViolated);
  EXPECT_EQ(verdict.violations.at(0).sentence,
            "client 3 asked for the key at 0.018 s, and asked in vain since 0.002 s, which nobody "
            "had since 0.006 s, when client 1 was the last to have it, and was refused it at 0.020 "
            "s; nor was client 1 or client 2 granted it, who asked too; no fault was active");
  ExpectAllAfterC1HadTheKey({
      {"one client has retried for too short a time", kViolated, 1, R"(
      c2:                       A-t A-t A-t
      c3:            A-t A-t A-t A-t A-t A-t A-t)"},
      {"another client made a break of a lease", kViolated, 2, R"(
      c2:            A-t     A-t A-t A-t A-t
      c3:              A-t A-t A-t A-t A-t)"},
      {"another client made a break of more than a lease", kUnknown, 0, R"(
      c2:            A-t      A-tA-t A-t
      c3:              A-t A-t A-t A-t A-t)"},
      {"after its break another client retried for longer than lease and grace", kViolated, 2, R"(
      c2:            A-t      A-tA-t A-t A-t
      c3:              A-t A-t A-t A-t A-t A-t)"},
      {"another client gave up", kUnknown, 0, R"(
      c2:            A-tA-t A-t
      c3:              A-t A-t A-t A-t A-t)"},
      {"another client joined later and still retries", kViolated, 1, R"(
      c2:                             A-tA-t
      c3:              A-t A-t A-t A-t A-t)"},
  });
}

TEST(Availability, OnSeveralNodesOnlyRetriesForLongerThanLeaseAndGraceProveAViolation) {
  using enum Outcome;
  const LaneOptions nodes{.nodes = 3};
  ExpectAllAfterC1HadTheKey(
      {{"one acquire", kUnknown, 0, R"(
      c2:                           A-x)"},
       {"retries throughout", kViolated, 1, R"(
      c2:                 A-x  A-x  A-x  A-x)"},
       {"slow refusals", kUnknown, 0, R"(
      c2:                 A----x  A----x  A----x  A----x)"},
       {"the last refusal is slow", kUnknown, 0, R"(
      c2:                 A-x  A-x  A-x  A----x)"},
       {"the first refusal is slow, and the series after it is too short", kUnknown, 0, R"(
      c2:                 A----x  A-x  A-x  A-x)"},
       {"the series lasts exactly lease and grace", kUnknown, 0, R"(
      c2:                 A-x  A-x A-x)"},
       {"a gap of a lease between retries", kViolated, 1, R"(
      c2:                 A-x     A-x A-x)"},
       {"a gap of more than a lease between retries", kUnknown, 0, R"(
      c2:                 A-x      A-x A-x)"},
       {"one node of three is paused", kViolated, 1, R"(
      pause n1:             [--------------]
      c2:                 A-x  A-x  A-x  A-x)"},
       {"two nodes of three are paused", kUnknown, 0, R"(
      pause n1:             [--------------]
      pause n2:             [--------------]
      c2:                 A-x  A-x  A-x  A-x)"},
       {"the refused client is paused", kUnknown, 0, R"(
      pause c2:             [-----]
      c2:                 A-x  A-x  A-x  A-x)"},
       {"another client is stalled and may hold some nodes", kUnknown, 0, R"(
      machine c3:             (--)
      c3:                 A-x
      c2:                 A-x  A-x  A-x  A-x)"}},
      nodes);
  const ClaimVerdict both = VerdictOnAvailability(R"(
      c1:          A-x A-x A-x A-x
      c2:          A-x  A-x A-x A-x)",
                                                  nodes);
  EXPECT_EQ(both.violations.at(0).sentence.find("nor was"), std::string::npos)
      << "without a queue, each may have kept the other from a majority";
  ExpectAll({{"two clients block each other", kViolated, 2, R"(
      c1:          A-x A-x A-x A-x
      c2:          A-x  A-x A-x A-x)"},
             {"a third client is granted the key", kValid, 1, R"(
      c1:          A-x A-x A-x A-x
      c2:          A-x  A-x A-x A-x
      c3:                     A----a=R-r)"},
             {"a refused release may leave keys on some nodes", kUnknown, 0, R"(
      c1:          A-a=R-x
      c2:                 A-x  A-x   A-x)"},
             {"a refused release leaves keys for at most a lease", kViolated, 1, R"(
      c1:          A-a=R-x
      c2:                 A-x  A-x  A-x  A-x)"},
             {"an unanswered acquire may be granted later", kUnknown, 0, R"(
      c1:          A-?R-r
      c2:                 A-x  A-x  A-x  A-x)"}},
            nodes);
}

TEST(Availability, ASingleRefusalNeedsARetryHint) {
  using enum Outcome;
  const std::string once = kC1HadTheKeyUntil6Ms + R"(
      c2:                           A-x)";
  EXPECT_EQ(AvailabilityOf(once, AvailabilityLibrary()), Outcome::kUnknown);
  EXPECT_EQ(AvailabilityOf(once), Outcome::kUnknown) << "a built-in lock also refuses after errors";
  EXPECT_EQ(AvailabilityOf(kC1HadTheKeyUntil6Ms + R"(
      c2:                 A-x  A-x  A-x  A-x)"),
            Outcome::kViolated);
  ExpectAllAfterC1HadTheKey(
      {{"a refusal with a retry hint", kViolated, 1, R"(
      c2:                           A-t)"},
       {"retries throughout", kViolated, 1, R"(
      c2:                 A-x  A-x  A-x  A-x)"},
       {"the driver has an unanswered call", kUnknown, 0, R"(
      c2 b:        A-?
      c2:                 A-x  A-x  A-x  A-x)"},
       {"the driver has an unanswered release, and others were granted the key", kUnknown, 1, R"(
      c2:                 A-a=R-?    A-x   A-x   A-x   A-x   A-x)"},
       {"a later call of the driver was answered", kViolated, 1, R"(
      c2 b:        A-?A-a
      c2:                 A-x  A-x  A-x  A-x)"},
       {"a later call of the driver was refused with a retry hint", kViolated, 1, R"(
      c2 b:        A-?A-t
      c2:                 A-x  A-x  A-x  A-x)"},
       {"a fault may have left a request in the queue", kUnknown, 0, R"(
      drop c3:        []
      c2:                           A-t)"},
       {"a client that was paused during its acquire retries afterwards", kViolated, 2, R"(
      pause c3:    [------]
      c3:             A----x   A-x A-x A-x
      c2:                 A-x A-x A-x A-x)"},
       {"a client that was paused during its acquire never retries", kUnknown, 0, R"(
      pause c3:    [------]
      c3:             A----x
      c2:                 A-x A-x A-x A-x)"}},
      AvailabilityLibrary());
  const std::string left = R"(
      c1:          A-a=R-?
      c2:                             A-t)";
  EXPECT_EQ(AvailabilityOf(left, AvailabilityLibrary()), Outcome::kViolated);
  EXPECT_EQ(AvailabilityOf(left, AvailabilityLibrary({"lease", "watchdog"})), Outcome::kUnknown);
}

TEST(Availability, IsUnknownWhereRecordsAreMissing) {
  const ClaimVerdict verdict = VerdictOnAvailability(R"(
      lost c1:        *
      c1:          A-a=R-r
      c2:                           A-t)");
  EXPECT_EQ(verdict.reason, "records were lost: who had the key meanwhile is not known");
  EXPECT_EQ(VerdictOnAvailability("c1: A-a=R-r").reason,
            "nobody asked for a key that was certainly free");
}

TEST(Availability, IsUnknownWhereMostGrantsWereLateBecauseOfDisturbances) {
  const std::string late = R"(
      c2:                                      A--------------a=R-r   A--------------a=R-r
      delay:                                       [-]                    [-])";
  EXPECT_EQ(AvailabilityOf("c1:           A-a=R-r A-a=R-r A-a=R-r" + late), Outcome::kValid)
      << "as many late grants as grants in time";
  const ClaimVerdict verdict =
      VerdictOnAvailability("c1:           A-a=R-r         A-a=R-r" + late);
  EXPECT_EQ(verdict.outcome, Outcome::kUnknown);
  EXPECT_EQ(verdict.reason, "only 1 of 3 asks for a free key could be judged");
}

TEST(Availability, IsUnknownWhereMostAcquiresWereNotAnswered) {
  const std::string once = "c1:           A-a=R-r A-a=R-r\nc2:                           A--?";
  EXPECT_EQ(AvailabilityOf(once), Outcome::kValid);
  EXPECT_EQ(VerdictOnAvailability(once + "A--?").reason,
            "only 1 of 3 asks for a free key could be judged");
  EXPECT_EQ(AvailabilityOf(once + "A--?\ndrop c2:                      [----------]"),
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
  EXPECT_EQ(AvailabilityOf(one, {.nodes = 3}), Outcome::kViolated);
  EXPECT_EQ(AvailabilityOf(one), Outcome::kUnknown);
  EXPECT_EQ(AvailabilityOf(one + "\n      crash n2:  []", {.nodes = 3}), Outcome::kUnknown);
  const std::string stopped = one + R"(
      pause n2:             [------------------------------])";
  EXPECT_EQ(AvailabilityOf(stopped, {.nodes = 3}), Outcome::kValid)
      << "one node was killed and another is stopped, so no majority is left";
}

// Client 3 is the first in the queue, and the machine stalls client 3.
TEST(Availability, AStallOfAnotherClientMayDelayAQueue) {
  const std::string picture = R"(
      c1:               A-a=R-r
      c3:                   A---------------------------x
      c2:                       A-x A-x  A-x A-x A-x A-x
      machine c3:            (-------------------------))";
  EXPECT_EQ(AvailabilityOf(picture, {.lock = "redisson-fair"}), Outcome::kUnknown);
  EXPECT_EQ(AvailabilityOf(picture, AvailabilityLibrary()), Outcome::kUnknown);
}

TEST(Availability, AcquiresOfSeveralKeysAreNotJudged) {
  History history = Draw(R"(
      c1:          A-a=R-r
      c2:                            A-t   A-t)");
  for (Event& event : history.events) {
    if (event.op == Op::kAcquire && event.type == EventType::kInvoke) event.value[1] = 2;
  }
  EXPECT_EQ(CheckAvailability(history, {}).outcome, Outcome::kUnknown);
}

TEST(Availability, ARefusedAcquireOfSeveralKeysMayHaveHeldTheKeyUntilItsRefusal) {
  History history = Draw(R"(
      c1:          A-a=R-r
      c2:                  A-----------x A-t)");
  EXPECT_EQ(CheckAvailability(history, {}).outcome, Outcome::kViolated);
  const auto first = std::ranges::find_if(history.events, [](const Event& event) {
    return event.client == 2 && event.op == Op::kAcquire;
  });
  first->value[1] = 2;
  EXPECT_NE(CheckAvailability(history, {}).outcome, Outcome::kViolated);
}

}  // namespace
}  // namespace doublehold
