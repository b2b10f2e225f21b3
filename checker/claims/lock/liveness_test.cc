#include "checker/claims/lock/liveness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

// Every lease and the grace take 10 ms: ten columns.
ClaimVerdict VerdictOnLiveness(const std::string& picture, LaneOptions options = {}) {
  options.asked_lease = 10ms;
  return CheckLiveness(FromLanes(picture, options), {});
}

TEST(Liveness, IsValidWhenTheProbeIsGranted) {
  const ClaimVerdict verdict = VerdictOnLiveness(R"(
      c1:    Q-A-aq=R-r  Q----A-aqR-r
      probe:                           P---p)");
  EXPECT_EQ(verdict.outcome, Outcome::kValid);
  EXPECT_EQ(verdict.reason,
            "1 key could be locked again in time; the longest wait was 8ms of client 1");
  EXPECT_EQ(verdict.margins.at(0).what, "least time left of a probe's budget");
  EXPECT_EQ(verdict.margins.at(0).value, 16'000'000);
}

TEST(Liveness, DescribesAClientThatWaitedAndWasNeverGrantedTheKey) {
  struct Case {
    std::string picture, wait;
  };
  const std::string others = R"(
      c2:       QA-aq==R-rQA-aq==R-r QA-aq=R-r
      probe:                                      P-p)";
  const std::string of_others = "; the longest of those granted 4ms of client 2";
  for (const Case& drawn : std::vector<Case>{
           {"c1: QA-x------------A-xx",
            "19ms of client 1, never granted: it gave up at 0.019 s" + of_others},
           {"c1: QA-x------------A-x",
            "29ms of client 1, never granted: it still had no answer at 0.029 s" + of_others},
           {"c1: QA-x\n      crash c1:           []",
            "10ms of client 1, never granted: it still had no answer at 0.010 s" + of_others},
           {"c1: QA-x\n      died c1:             *",
            "11ms of client 1, never granted: it still had no answer at 0.011 s" + of_others},
           {"c1:                          QA-xx", "4ms of client 2"},
           {"c1:                              QA", "4ms of client 2"},
       }) {
    const std::string mine = "\n      c1:       " + drawn.picture.substr(4);
    EXPECT_EQ(VerdictOnLiveness(mine + others).reason,
              "1 key could be locked again in time; the longest wait was " + drawn.wait)
        << mine;
  }
  EXPECT_EQ(VerdictOnLiveness("c1:    QA-x--A-x-x\nprobe:              P-p").reason,
            "1 key could be locked again in time; the longest wait was 10ms of client 1, never "
            "granted: it gave up at 0.010 s");
}

// Each of the stalled acquires may have been sent twice. A copy has the key for one lease.
TEST(Liveness, SecondCopiesMayHaveTheKeyWhileItIsProbed) {
  const LaneOptions options{.asked_lease = 10ms};
  const auto outcome = [&](const std::string& stalls) {
    return VerdictOnLiveness(R"(
      c1:         A--------a=R-rA--------a=R-r
      probe:                                     P-----------------------x
      machine n1: )" + stalls,
                             options)
        .outcome;
  };
  EXPECT_EQ(outcome("  (-----)"), Outcome::kViolated);
  EXPECT_EQ(outcome("  (-----)       (-----)"), Outcome::kUnknown);
}

TEST(Liveness, ANestedAcquireMaySetALongerLeaseForAllEntries) {
  History history = FromLanes(R"(
      c1:         A-aA-aR-r
      probe:                              P-----------------------x)",
                              {.asked_lease = 10ms});
  history.facts.lock_traits = LockTraits{LockTrait::kReentry};
  EXPECT_EQ(CheckLiveness(history, {}).outcome, Outcome::kViolated);
  std::ranges::find_if(history.events, [](const Event& event) {
    return event.op == Op::kAcquire && event.at_ns == 3'000'000;
  })->value[0] = 60'000'000;
  EXPECT_EQ(CheckLiveness(history, {}).outcome, Outcome::kUnknown);
}

TEST(Liveness, IsViolatedWhenTheProbeGivesUp) {
  const ClaimVerdict verdict = VerdictOnLiveness(R"(
      c1:           A-a===
      c2 item-1:    A-a==R-r
      crash c1:           []
      probe:                   P-----------------------x
      probe item-1:            P-p)");
  EXPECT_EQ(verdict.outcome, Outcome::kViolated);
  EXPECT_EQ(verdict.count, 1);
  EXPECT_EQ(verdict.opportunities, 2);
  ASSERT_EQ(verdict.violations.size(), 1U);
  EXPECT_EQ(verdict.violations[0].key, "item-0");
  EXPECT_EQ(
      verdict.violations[0].sentence,
      "the key could not be acquired for 24ms after 0.011 s; client 1 was the last to be granted "
      "it, at 0.002 s, and never released it; before that, client 1 had been killed at 0.006 s");
}

TEST(Liveness, IsViolatedWhenAKeyNeverExpires) {
  const ClaimVerdict verdict = VerdictOnLiveness(R"(
      c1:     A-?
      expiry:        *  | -1)");
  EXPECT_EQ(verdict.outcome, Outcome::kViolated);
  EXPECT_EQ(
      verdict.violations.at(0).sentence,
      "at 0.007 s the key had no expiry: a holder that died would block it for ever; there was "
      "no fault before");
  EXPECT_EQ(VerdictOnLiveness("expiry: * | -2\nprobe:   P-p").outcome,
            Outcome::kValid);  // -2: no such key
  EXPECT_EQ(VerdictOnLiveness("expiry: * | 500\nprobe:   P-p").outcome, Outcome::kValid);
}

TEST(Liveness, IsViolatedWhenNoLeaseExplainsTheExpiryOfAKey) {
  const std::string held = R"(
      c1:     A-a==
      probe:          P------------x
      expiry:        *                             )";
  const ClaimVerdict verdict = VerdictOnLiveness(held + "| 3950000");
  EXPECT_EQ(verdict.outcome, Outcome::kViolated);
  EXPECT_EQ(verdict.reason,
            "1 of 1 key could not be locked again in time, or outlasted every lease");
  EXPECT_EQ(verdict.violations.at(0).sentence,
            "at 0.007 s the key was to expire only after 3950.000 s, though no lease was longer "
            "than 10.0 ms: a holder that died would block it for so long; client 1 was the last to "
            "be granted it, at 0.002 s, and never released it; there was no fault before");
  // Ten times lease and grace are 200 ms. Some services have a least lease, of ten seconds at most.
  EXPECT_EQ(VerdictOnLiveness(held + "| 10200").outcome, Outcome::kViolated);
  EXPECT_EQ(VerdictOnLiveness(held + "| 10199").outcome, Outcome::kUnknown);
  History extended = FromLanes(R"(
      c1:     A-aE-e
      probe:            P------------x
      expiry:         *                | 10200)");
  EXPECT_EQ(CheckLiveness(extended, {}).outcome, Outcome::kUnknown);
  for (Event& event : extended.events) {
    if (event.op == Op::kAcquire) event.value[0] = 10'000'000;
  }
  EXPECT_EQ(CheckLiveness(extended, {}).outcome, Outcome::kUnknown) << "extended for a second";
  const std::string far = held + "| 3950000";
  History for_years = FromLanes(held + "| 1000000000000");  // 31 years
  EXPECT_EQ(CheckLiveness(for_years, {}).outcome, Outcome::kViolated);
  for_years.events.at(0).value[0] = kForeverNs / 2;
  EXPECT_EQ(CheckLiveness(for_years, {}).outcome, Outcome::kUnknown) << "a lease of 73 years";
  EXPECT_EQ(VerdictOnLiveness(far + "\n      jump n1: []").outcome, Outcome::kUnknown)
      << "a moved clock explains any expiry";
  LaneOptions options;
  options.library = LibraryFact{"drawn", "1", {"lease"}};
  EXPECT_EQ(VerdictOnLiveness(far, options).outcome, Outcome::kViolated);
  options.library = LibraryFact{"drawn", "1", {}};
  EXPECT_EQ(VerdictOnLiveness(far, options).outcome, Outcome::kUnknown)
      << "the library decides how long a lease is";
  EXPECT_EQ(VerdictOnLiveness(R"(
      c1:     A-a=R-r
      expiry:         *     | 3950000
      probe:            P-p)")
                .outcome,
            Outcome::kValid)
      << "the only server keeps a key that blocks nobody";
}

// Lease and grace together are 4 ms, so clients may ask in vain for 12 ms.
ClaimVerdict VerdictOnClientsTime(const std::string& picture, LaneOptions options = {}) {
  options.lease = options.asked_lease = options.grace = 2ms;
  const std::string probe = "\nprobe:                                                    P-p";
  return CheckLiveness(FromLanes(picture + probe, options), {});
}

TEST(Liveness, IsViolatedWhereClientsAskInVainForAFreeKey) {
  const std::string free = R"(
      c1:    A-a=R-r
      c2:          )";
  const ClaimVerdict verdict = VerdictOnClientsTime(free + "A-xA-xA-xA-xA-xA-xA-x");
  EXPECT_EQ(verdict.outcome, Outcome::kViolated);
  EXPECT_EQ(verdict.reason, "1 of 1 key could not be locked again in time");
  EXPECT_EQ(verdict.violations.at(0).sentence,
            "client 2 asked for the key at 0.021 s, and asked in vain since 0.006 s, which nobody "
            "had since 0.004 s, when client 1 was the last to have it, and was refused it at 0.023 "
            "s; no fault was active");
  EXPECT_EQ(VerdictOnClientsTime(free + "A-xA-xA-xA-xA-x").outcome, Outcome::kUnknown)
      << "how often it asked within its last call is not known";
  EXPECT_EQ(VerdictOnClientsTime(free + "A-xA-xA-xA-x").outcome, Outcome::kValid);
  EXPECT_EQ(
      VerdictOnClientsTime(free + "A-xA-xA-xA-xA-xA-xA-x", {.nodes = 3}).reason,
      "client 2 asked for item-0 in vain for 20.0 ms until 0.026 s, longer than 3 times lease "
      "and grace; nobody was granted the key, but the key is not proved free; "
      "client 1 was the last to be granted it, at 0.002 s, and released it at 0.004 s");
}

TEST(Liveness, ClientsAskUntilTheFirstProbe) {
  const std::string reason =
      VerdictOnClientsTime("c1:               A-a=R-r\nc2:                     A").reason;
  EXPECT_NE(reason.find("in vain for 34.0 ms until 0.040 s"), std::string::npos) << reason;
}

TEST(Liveness, IsUnknownWhereNobodyWasGrantedAKeyThatClientsAskedFor) {
  using enum Outcome;
  LaneOptions watchdog;
  watchdog.library = LibraryFact{"drawn", "1", {"lease", "watchdog"}};
  LaneOptions in_order;
  in_order.lock = "redisson-fair";
  struct Case {
    std::string name, picture;
    Outcome outcome = kUnknown;
    LaneOptions options{};
  };
  const std::string released = "c1:               A-a=R-r\n";
  const std::string asks = "c2:                     A-xA-xA-xA-xA-xA-xA-x\n";
  for (const Case& drawn : std::vector<Case>{
           {"the release was not answered", "c1:               A-a=R-?\n" + asks, kUnknown,
            watchdog},
           {"the holder lives on", "c1:               A-a=\n" + asks, kValid, watchdog},
           {"the holder was killed", "c1:               A-a=\ncrash c1:            []\n" + asks,
            kUnknown, watchdog},
           {"an acquire was never answered", released + "c2:                     A"},
           {"an acquire was not answered in time",
            released + "c2:                     A-------------?"},
           {"each acquire was not answered", released + "c2:                     A---?A---?A---?"},
           {"granted late", released + "c2:                     A-------------aR-r"},
           {"granted in time", released + "c2:                     A-----------aR-r", kValid},
           {"another was granted the key",
            released + asks + "c3:                      A-------a=R-r", kValid},
           {"a break of more than a lease",
            released + "c2:                     A-xA-xA-x  A-xA-xA-x", kValid},
           {"a break of a lease", released + "c2:                     A-xA-xA-x A-xA-xA-x",
            kViolated},
           {"a fault ended too late", released + asks + "pause n1:                [-------]",
            kValid},
           {"a fault ended in time", released + asks + "delay c2:                [-]", kViolated},
           {"a client that never asked for the key was slow",
            released + asks + "slow c3:                  [-----------------]", kViolated},
           {"a client that never asked for the key was stopped",
            released + asks + "pause c3:                 [-----------------]", kViolated},
           {"a client was stopped that asked for the key only later", released + asks + R"(
pause c3:                 [-----------------]
c3:                                                 A-x)",
            kViolated, in_order},
           {"a client was stopped that had given the key back",
            released + asks + "pause c1:                 [-----------------]", kViolated, in_order},
           {"a client was stopped that may be ahead in the queue",
            "c3:                  A-x\n" + released + asks +
                "pause c3:                 [-----------------]",
            kValid, in_order},
           {"a fault waits for further messages until the end",
            released + asks + "reset c2:          [-------------------------]"},
           {"a fault cuts the client off until the end",
            released + asks + "partition c2:      [-------------------------]", kValid},
           {"the client was killed",
            released + "c2:                     A\ncrash c2:                       []", kValid},
           {"a long stall", released + asks + "machine c2:              (-------)", kValid}}) {
    const ClaimVerdict verdict = VerdictOnClientsTime(drawn.picture, drawn.options);
    EXPECT_EQ(Name(verdict.outcome), Name(drawn.outcome)) << drawn.name << ": " << verdict.reason;
  }
}

// The session keeps the lock until its client ends, so the probe is granted.
TEST(Liveness, IsUnknownWhereALivingSessionMayKeepAnUnansweredRelease) {
  LaneOptions options{.lease = 2ms, .grace = 2ms, .asked_lease = 2ms};
  History history = FromLanes(R"(
      c1:       A-a=R-?   A-x  A-x A-x A-x A-x A-x A-x
      c2:            A-x A-x A-x A-x A-x A-x A-x A-x
      reset c1:       [---------------------------------]
      probe:                                                P-p)",
                              options);
  for (Event& event : history.events) {
    const bool grant = event.op == Op::kAcquire && event.type == EventType::kOk;
    if (grant) event.value[0] = kForeverNs;
  }
  const ClaimVerdict verdict = CheckLiveness(history, {});
  EXPECT_EQ(verdict.outcome, Outcome::kUnknown);
  EXPECT_EQ(
      verdict.reason,
      "client 2 asked for item-0 in vain for 27.0 ms until 0.035 s, longer than 3 times lease "
      "and grace; nobody was granted the key, but the key is not proved free; "
      "client 1 was the last to be granted it, at 0.002 s, and called a release of unknown outcome "
      "at 0.004 s");
}

TEST(Liveness, NamesTheFaultThatPreventedTheAnswerOfTheLastCall) {
  const std::string unanswered = R"(
      c1:       A-------?
      c2:                  A-x
      slow c2:      [-----]
      expiry:                      *  | -1)";
  struct Case {
    std::string picture, named;
  };
  for (const Case& each : std::vector<Case>{
           {unanswered + "\n      drop c1:   []", "client 1's messages were being lost"},
           {unanswered + "\n      drop c1:   []\n      pause c2:            []",
            "client 1's messages were being lost"},
           // Among faults on other clients, the latest is named. A slow section is named only if
           // there is no other fault.
           {unanswered + "\n      drop c2:   []\n      pause c2:            []",
            "client 2 was stopped"},
           {unanswered + "\n      drop c2:   []", "client 2's messages were being lost"},
           {unanswered, "client 2's section was still at work"},
           // A server that was killed may have left the key so, whatever was paused later.
           {R"(
      c1:       A-a=R-r
      crash n1:         []
      pause n1:             []
      expiry:                 *  | -1)",
            "node 1 had been killed"},
           // A fault before the last grant is not named. The fault that killed the holder is named.
           {R"(
      c1:       A-------?
      drop c1:   []
      c2:                  A-a==
      crash c2:                []
      delay c1:                     []
      expiry:                          *  | -1)",
            "client 2 had been killed"},
       }) {
    const std::string sentence = VerdictOnLiveness(each.picture).violations.at(0).sentence;
    EXPECT_NE(sentence.find("; before that, " + each.named), std::string::npos) << sentence;
  }
}

TEST(Liveness, AKeyWithoutExpiryThatBlocksNobodyIsNotStuck) {
  const auto check = [](const std::string& picture, int nodes) {
    return CheckLiveness(FromLanes(picture, {.nodes = nodes}), {});
  };
  const std::string granted = "expiry: *     | -1\nprobe:    P-p";
  EXPECT_EQ(check(granted, 1).outcome, Outcome::kValid);
  EXPECT_EQ(check(granted, 1).reason, "1 key could be locked again in time");
  // On several nodes, a majority may have been without the key.
  EXPECT_EQ(check(granted, 3).outcome, Outcome::kViolated);
  EXPECT_EQ(check(granted, 3).reason,
            "1 of 1 key could not be locked again in time, or had no expiry");
  EXPECT_EQ(check("expiry: *     | -2\nprobe:    P-p", 3).outcome, Outcome::kValid);
  EXPECT_EQ(check("expiry: *     | -1\nprobe:    P-x", 1).outcome, Outcome::kViolated);
  EXPECT_EQ(check("expiry:    *  | -1\nprobe:  P--p", 1).outcome, Outcome::kViolated);
  EXPECT_EQ(check("expiry:     * | -1\nprobe:  P-p", 1).outcome, Outcome::kViolated);
}

TEST(Liveness, IsUnknownWhenTheProbeIsGrantedAfterLeaseAndGrace) {
  const ClaimVerdict late = VerdictOnLiveness("probe: P--------------------p");
  EXPECT_EQ(late.outcome, Outcome::kUnknown);
  EXPECT_EQ(late.reason,
            "item-0 was had at 0.021 s, 1.0 ms after lease and grace, and perhaps in time");
  EXPECT_EQ(late.opportunities, 1);
  EXPECT_EQ(VerdictOnLiveness("probe: P-------------------p").outcome, Outcome::kValid);
  EXPECT_EQ(VerdictOnLiveness(
                "probe:        P--------------------p\nprobe item-1: P--------------------x")
                .outcome,
            Outcome::kViolated);
}

TEST(Liveness, ACallThatTheMachineCutShortMayExplainTheStuckKey) {
  struct Case {
    const char* what;
    const char* picture;
    Outcome outcome;
  };
  for (const Case& each :
       std::vector<Case>{{"an acquire stalled at the node may have set no expiry",
                          R"(
      c1:          A-----?
      machine n1:   (----)
      expiry:               *  | -1)",
                          Outcome::kUnknown},
                         {"the client of the acquire stalled",
                          R"(
      c1:          A-----?
      machine c1:   (----)
      probe:                P-----------------------x)",
                          Outcome::kUnknown},
                         {"a release stalled at the node",
                          R"(
      c1:          A-a==R-----?
      machine n1:        (-----)
      probe:                      P-----------------------x)",
                          Outcome::kUnknown},
                         {"the stall was too short",
                          R"(
      c1:          A-----?
      machine n1:   (-)
      expiry:               *  | -1)",
                          Outcome::kViolated},
                         {"the stall was before a later grant",
                          R"(
      c1:          A-----?
      machine n1:   (----)
      c2:                   A-a==R-r
      expiry:                         *  | -1)",
                          Outcome::kViolated},
                         {"another unanswered acquire had no stall",
                          R"(
      c1:          A-----?
      machine n1:   (----)
      c2:                  A--?
      expiry:                    *  | -1)",
                          Outcome::kViolated},
                         {"a stall and a fault may have cut the acquire short",
                          R"(
      c1:          A-----?
      machine n1:   (----)
      drop c1:        [-]
      expiry:               *  | -1)",
                          Outcome::kUnknown},
                         {"the last holder never released the key",
                          R"(
      c1:          A-a===
      c2:              A-----?
      machine n1:       (----)
      expiry:                    *  | -1)",
                          Outcome::kViolated}}) {
    const ClaimVerdict verdict = VerdictOnLiveness(each.picture);
    EXPECT_EQ(Name(verdict.outcome), Name(each.outcome)) << each.what << ": " << verdict.reason;
  }
}

TEST(Liveness, IsUnknownWithoutAnAnsweredProbe) {
  EXPECT_EQ(VerdictOnLiveness("c1: A-a=R-r").reason, "no key was probed after the last fault");
  EXPECT_EQ(VerdictOnLiveness("c1:    A-a=R-r\nprobe:          P").reason, "1 probe had no answer");
  EXPECT_EQ(VerdictOnLiveness("c1:    A-a=R-r\nprobe:          P").outcome, Outcome::kUnknown);
}

TEST(Liveness, IsUnknownWhereAStallExplainsAFailedProbe) {
  EXPECT_EQ(VerdictOnLiveness(R"(
      probe:               P-----------------------x
      machine supervisor:     (--------------))")
                .outcome,
            Outcome::kUnknown);
}

TEST(Liveness, AShortStallExcusesNoFailedProbe) {
  EXPECT_EQ(VerdictOnLiveness(R"(
      probe:               P-----------------------x
      machine supervisor:     (---))")
                .outcome,
            Outcome::kViolated);
}

TEST(Liveness, ReportsInMillisecondsHowLongTheProbeTook) {
  History history = FromLanes("probe: P-----------------------x");
  history.events.back().at_ns += 12'345;
  history.events.back().value[0] += 12'345;
  EXPECT_TRUE(CheckLiveness(history, {})
                  .violations.at(0)
                  .sentence.starts_with("the key could not be acquired for 24ms after 0.000 s"));
}

TEST(Liveness, NamesTheLastClientThatWasGrantedTheKey) {
  const ClaimVerdict verdict = VerdictOnLiveness(R"(
      c1:      A-a==R-r
      c2:               A-a===
      probe:                     P-----------------------x)");
  EXPECT_EQ(
      verdict.violations.at(0).sentence,
      "the key could not be acquired for 24ms after 0.018 s; client 2 was the last to be granted "
      "it, at 0.011 s, and never released it; there was no fault before");
}

struct LivenessCase {
  std::string name, picture;
  Outcome outcome = Outcome::kUnknown;
};

void ExpectEachLiveness(const std::vector<LivenessCase>& drawn, const LaneOptions& options = {}) {
  for (const LivenessCase& each : drawn) {
    const ClaimVerdict verdict = VerdictOnLiveness(each.picture, options);
    EXPECT_EQ(Name(verdict.outcome), Name(each.outcome)) << each.name << ": " << verdict.reason;
  }
}

TEST(Liveness, IsUnknownWhileAClientLegitimatelyHoldsTheKey) {
  const std::string held = R"(
      c1:          A-a=============================!R-r
      probe:           P-----------------------x)";
  EXPECT_EQ(
      VerdictOnLiveness(held).reason,
      "item-0 could not be acquired by 0.028 s, but client 1 had been granted it at 0.002 s, and "
      "had it until 0.034 s");
  ExpectEachLiveness({
      {"the holder's lease runs on", held},
      {"a killed holder's lease runs on", R"(
      c1:          A-a=                            !
      crash c1:        []
      probe:             P-----------------------x)"},
      {"the lease ends half the grace before the probe gives up", R"(
      c1:          A-a=                 !
      probe:           P-----------------------x)",
       Outcome::kViolated},
      {"the lease ends less than half the grace before the probe gives up", R"(
      c1:          A-a=                  !
      probe:           P-----------------------x)"},
      {"the holder released the key before the probe", R"(
      c1:          A-a=R-r                         !
      probe:              P-----------------------x)",
       Outcome::kViolated},
      {"the holder's release was not answered", R"(
      c1:          A-a=R-?                         !
      probe:              P-----------------------x)"},
      {"the holder's lease was extended", R"(
      c1:          A-a=====E-e                     !
      probe:              P-----------------------x)"},
      {"a lease on another key", R"(
      c1 item-1:   A-a=                            !
      probe:           P-----------------------x)",
       Outcome::kViolated},
      {"a key without an expiry is a violation even while it is held", R"(
      c1:          A-a=============================!
      expiry:          *                             | -1
      probe:           P-----------------------x)",
       Outcome::kViolated},
      {"another key is stuck", R"(
      c1:             A-a=============================!
      c2 item-1:      A-a=R-r
      probe:              P-----------------------x
      probe item-1:           P-----------------------x)",
       Outcome::kViolated},
  });
}

TEST(Liveness, AnExtensionOfUnknownOutcomeTakesEffectBeforeTheProbeOrNever) {
  ExpectEachLiveness({
      {"an unanswered extension before the probe", R"(
      c1:          A-a=====E-?
      probe:                  P-----------------------x)",
       Outcome::kViolated},
      {"a second unanswered extension during the probe", R"(
      c1:          A-a=====E-?=============E-?
      probe:                  P-----------------------x)"},
      {"an earlier, answered extension lasts long enough", R"(
      c1:          A-a==E-e=E-?                      !
      probe:                  P-----------------------x)"},
  });
  History reentrant = FromLanes(R"(
      c1:          A-aE-?R-r
      probe:                  P-----------------------x)",
                                {.asked_lease = 30ms});
  EXPECT_EQ(CheckLiveness(reentrant, {}).outcome, Outcome::kUnknown) << "of a later entry";
  std::erase_if(reentrant.events, [](const Event& event) {
    return event.op == Op::kExtend && event.type == EventType::kInfo;
  });
  EXPECT_EQ(CheckLiveness(reentrant, {}).outcome, Outcome::kUnknown) << "still open";
  reentrant.facts.lock_traits = LockTraits{};
  EXPECT_EQ(CheckLiveness(reentrant, {}).outcome, Outcome::kViolated);
  History longer = FromLanes(R"(
      c1:          A-a=====E-?
      probe:                  P-----------------------x)",
                             {.asked_lease = 10ms});
  for (Event& event : longer.events) {
    if (event.op == Op::kExtend && event.type == EventType::kInvoke) event.value[0] *= 3;
  }
  EXPECT_EQ(CheckLiveness(longer, {}).outcome, Outcome::kUnknown);
}

TEST(Liveness, NamesTheEntryThatWasNeverReleased) {
  EXPECT_EQ(
      VerdictOnLiveness(R"(
      c1:          A-a==A-a=R-r
      crash c1:                []
      probe:                               P-----------------------x)")
          .violations.at(0)
          .sentence,
      "the key could not be acquired for 24ms after 0.024 s; client 1 was the last to be granted "
      "it, at 0.002 s, and never released it; before that, client 1 had been killed at 0.012 s");
}

TEST(Liveness, AnAcquireOfUnknownOutcomeMayHaveTakenTheKey) {
  EXPECT_EQ(VerdictOnLiveness(R"(
      c1:                A---------------?
      probe:           P-----------------------x)")
                .reason,
            "item-0 could not be acquired by 0.024 s, but client 1 had asked for it at 0.002 s, "
            "which was not answered, and may have had it until 0.028 s");
  ExpectEachLiveness({
      {"an acquire before the probe, for one lease", R"(
      c1:          A-?
      probe:           P-----------------------x)",
       Outcome::kViolated},
      {"an acquire whose client was killed before the probe", R"(
      c1:           A----
      crash c1:       []
      probe:            P-----------------------x)",
       Outcome::kViolated},
      {"an acquire whose client still waits", R"(
      c1:           A----
      probe:            P-----------------------x)"},
      {"a refused acquire", R"(
      c1:                A---------------x
      probe:           P-----------------------x)",
       Outcome::kViolated},
  });
}

TEST(Liveness, IsUnknownIfTheProbeGaveUpEarly) {
  EXPECT_EQ(VerdictOnLiveness("c1:     A-a=R-r\nprobe:            P-------------x").reason,
            "item-0 could not be acquired by 0.024 s, but the probe gave up after 14.0 ms");
  EXPECT_EQ(VerdictOnLiveness("c1:     A-a=R-r\nprobe:            P--------------x").outcome,
            Outcome::kViolated);
}

TEST(Liveness, ALeaseEndsWithoutRenewalsOnceItsClientIsGone) {
  const std::string held = R"(
      c1:          A-a=====
      probe:                  P-----------------------x)";
  LaneOptions options;
  options.library = LibraryFact{"drawn", "1", {"lease", "watchdog"}};
  ExpectEachLiveness(
      {
          {"the client's library may keep extending the lease", held},
          {"the client was killed", held + "\n      crash c1:            []", Outcome::kViolated},
          {"another client was killed", held + "\n      crash c2:            []"},
          {"the client ended by itself", held + "\n      died c1:              *",
           Outcome::kViolated},
      },
      options);
}

TEST(Liveness, IsUnknownWhereAFaultMayHaveBlockedTheProbe) {
  const std::string free = R"(
      c1:                   A-a=R-r
      probe:                            P-----------------------x)";
  EXPECT_EQ(VerdictOnLiveness(free + "\n      partition n1:                [--------]").reason,
            "item-0 could not be acquired by 0.036 s, but node 1 was cut off (0.007-0.016 s)");
  History deleted =
      FromLanes(free + "\n      delete-key n1:                [------]", {.asked_lease = 10ms});
  EXPECT_EQ(CheckLiveness(deleted, {}).outcome, Outcome::kUnknown);
  deleted.facts.faults[0].key = "tokens";
  EXPECT_EQ(CheckLiveness(deleted, {}).outcome, Outcome::kViolated);
  ExpectEachLiveness({
      {"a partition of a server", free + "\n      partition n1:                [--------]"},
      {"a partition of the store", free + "\n      partition n0:                [--------]",
       Outcome::kViolated},
      {"a pause to the end of the run", free + "\n      pause n1:                         ["},
      {"a partition before the probe", free + "\n      partition n1:                [---]",
       Outcome::kViolated},
      {"a partition after the probe",
       free + "\n      partition n1:                                             []",
       Outcome::kViolated},
      {"a pause of a client", free + "\n      pause c1:                    [--------]",
       Outcome::kViolated},
      {"a server killed before the probe", free + "\n      crash n1:                    [",
       Outcome::kViolated},
      {"a server killed as the probe began", free + "\n      crash n1:                         [",
       Outcome::kViolated},
      {"a server killed during the probe", free + "\n      crash n1:                            ["},
      {"replication cut before the probe", free + "\n      cut-replication n1:          [",
       Outcome::kViolated},
      {"a clock moved before the probe", free + "\n      jump n1:                     [--------]",
       Outcome::kViolated},
  });
}

TEST(Liveness, IsUnknownWhereMostKeysWereNotProbed) {
  const std::string two = R"(
      c1:             A-a=R-r
      c1 item-1:              A-a=R-r
      probe:                          P-p)";
  EXPECT_EQ(VerdictOnLiveness(two).outcome, Outcome::kValid);
  const std::string three = two + "\n      c2 item-2:     A-a=R-r";
  EXPECT_EQ(VerdictOnLiveness(three).outcome, Outcome::kUnknown);
  EXPECT_EQ(VerdictOnLiveness(three).reason, "only 1 of 3 keys could be judged");
  // A stuck key decides the claim. A key that was never granted does not count.
  EXPECT_EQ(VerdictOnLiveness(three + "\n      expiry item-1:                  * | -1").outcome,
            Outcome::kViolated);
  EXPECT_EQ(VerdictOnLiveness(two + "\n      c2 item-2:     A-x").outcome, Outcome::kValid);
}

TEST(Liveness, ALaterProbeDoesNotUndoAFailedProbe) {
  EXPECT_EQ(VerdictOnLiveness(R"(
      c1:     A-a=R-r
      probe:            P----------------------x  P-p)")
                .outcome,
            Outcome::kViolated);
}

}  // namespace
}  // namespace doublehold
