#include "checker/claims/lock/liveness.h"

#include <gtest/gtest.h>

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
  History longer = FromLanes(R"(
      c1:          A-a=====E-?
      probe:                  P-----------------------x)",
                             {.asked_lease = 10ms});
  for (Event& event : longer.events) {
    if (event.op == Op::kExtend && event.type == EventType::kInvoke) event.value[0] *= 3;
  }
  EXPECT_EQ(CheckLiveness(longer, {}).outcome, Outcome::kUnknown);
}

TEST(Liveness, AnAcquireOfUnknownOutcomeMayHaveTakenTheKey) {
  EXPECT_EQ(
      VerdictOnLiveness(R"(
      c1:                A---------------?
      probe:           P-----------------------x)")
          .reason,
      "item-0 could not be acquired by 0.024 s, but client 1 had asked for it at 0.002 s, and "
      "without an answer it may have had it until 0.028 s");
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
