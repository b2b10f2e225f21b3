#include "checker/claims/lock/exclusion.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

struct ExclusionCase {
  std::string name;
  std::string picture;
};

constexpr Outcome kExclusionValid = Outcome::kValid;
constexpr Outcome kExclusionUnknown = Outcome::kUnknown;
constexpr Outcome kExclusionViolated = Outcome::kViolated;

// `strict` is the outcome of `exclusion`, `live` that of `lease-exclusion`.
void ExpectEach(Outcome strict, Outcome live, const std::vector<ExclusionCase>& cases) {
  for (const ExclusionCase& drawn : cases) {
    const History history = FromLanes(drawn.picture);
    EXPECT_EQ(Name(CheckExclusion(history, {}).outcome), Name(strict)) << drawn.name;
    EXPECT_EQ(Name(CheckLeaseExclusion(history, {}).outcome), Name(live)) << drawn.name;
  }
}

TEST(Exclusion, IsValidWhenEachHoldEndsBeforeTheNextBegins) {
  ExpectEach(kExclusionValid, kExclusionValid,
             {{"in turn", R"(
      c1: A-a===R-r
      c2:        A-a==R-r)"},
              {"an acquire invoked during the previous hold", R"(
      c1: A-a===R-----r
      c2:  A-----a==R-r)"},
              {"holds that touch", R"(
      c1: A-a===R-r
      c2:    A--a==R-r)"},
              {"different keys", R"(
      c1:        A-a=====R-r
      c2 item-1:  A-a==R-r
      c3:                   A-a=R-r)"},
              {"readers, and a writer", R"(
      c1:        A-b=====R-r
      c2:         A-b==R-r
      c3:                   A-a=R-r)"},
              {"unknown acquires", R"(
      c1: A-a=====R-r
      c2:   A-?   A-a=R-r)"},
              {"threads of one client", R"(
      c1:   A-a==R-r
      c1.2:         A-a=R-r)"},
              {"re-entry", R"(
      c1: A-a==A-a=R-r==R-r
      c2:                   A-a=R-r)"}});
}

TEST(Exclusion, IsViolatedWhenAHolderSleepsPastItsLease) {
  ExpectEach(kExclusionViolated, kExclusionValid,
             {{"a hold past its lease", R"(
      c1: A-a=====!=======R-r
      c2:           A-a===R-r)"},
              {"a lease that ended long before the next grant", R"(
      c1: A-a==!=============R-r
      c2:         A-a===R-r      )"}});
}

TEST(Exclusion, OnlyOverlappingLeasesViolateLeaseExclusion) {
  ExpectEach(kExclusionViolated, kExclusionViolated,
             {{"two valid leases", R"(
      c1: A-a===========!=R-r
      c2:       A-a==R-r)"},
              {"an extension while another client holds the key", R"(
      c1: A-a==!======E-e===R-r
      c2:       A-a=======R-r)"}});
  ExpectEach(kExclusionViolated, kExclusionValid,
             {{"a lease that begins as the other ends", R"(
      c1: A-a=====!====R-r
      c2:       A-a==R-r)"},
              {"in the gap of a late extension", R"(
      c1: A-a==!========E-e===R-r
      c2:       A-a==R-r)"}});
}

TEST(Exclusion, AKilledHoldersHoldEndsWithItsLastEvent) {
  ExpectEach(kExclusionValid, kExclusionValid, {{"a killed holder whose lease has ended", R"(
      c1: A-a==g=w !      | 5 5>4
      c2:            A-a==R-r)"}});
  // c1 no longer believes in its hold, but its lease was never released.
  ExpectEach(kExclusionValid, kExclusionViolated, {{"a killed holder whose lease still runs", R"(
      c1: A-a==g=w      | 5 5>4
      c2:          A-a==R-r)"}});
  ExpectEach(kExclusionValid, kExclusionUnknown,
             {{"a holder that left, and acquired again before the next grant", R"(
      c1: A-a==g=w A-x        | 5 5>4
      c2:               A-a==R-r)"}});
  ExpectEach(kExclusionViolated, kExclusionViolated,
             {{"a holder that still wrote when the next was granted the key", R"(
      c1: A-a==g=======w   | 5 5>4
      c2:        A-a==R-r)"}});
}

TEST(Exclusion, AReleaseEndsTheHoldWhateverItsOutcome) {
  for (const char outcome : {'r', 'x', '?', ' '}) {
    ExpectEach(kExclusionValid, kExclusionValid,
               {{std::string(1, outcome),
                 std::string("c1: A-a==R----") + outcome + "\nc2:      A-a==R-r"}});
  }
}

TEST(Exclusion, IsUnknownWhereMostHoldsCouldNotOverlap) {
  ExpectEach(kExclusionUnknown, kExclusionUnknown,
             {{"no hold", "c1: A-x A-x"},
              {"one client", "c1: A-a=R-r"},
              {"a key for each", R"(
      c1:        A-a=====R-r
      c2 item-1:  A-a==R-r)"},
              {"readers", R"(
      c1:        A-b=====R-r
      c2:         A-b==R-r)"},
              {"most holds on keys of one client", R"(
      c1:        A-a=R-r        A-a=R-r
      c2 item-1: A-a=R-rA-a=R-r
      c2 item-2: A-a=R-rA-a=R-r
      c3:               A-a=R-r)"}});
}

TEST(Exclusion, NamesWhyNoHoldsCouldHaveOverlapped) {
  const auto reason = [](const std::string& picture) {
    return CheckExclusion(FromLanes(picture), {}).reason;
  };
  EXPECT_EQ(reason("c1: A-a=R-r"), "only client 1 was granted the lock");
  const std::string apart = "c1:         A-a=R-r\nc2 item-1:  A-a=R-r A-a=R-r";
  EXPECT_EQ(reason(apart), "no key was held by two that exclude each other");
  EXPECT_EQ(reason(apart + "\nc2 item-2:         A-a=R-r\nc3:                 A-a=R-r"),
            "only 2 of 5 holds could be judged");
  EXPECT_EQ(reason(apart + "\nc3:                 A-a=R-r"),
            "none of 4 holds began while another client held the key");
}

TEST(Exclusion, EachHoldThatBeganDuringAnotherHoldCountsOnce) {
  const ClaimVerdict verdict = CheckExclusion(FromLanes(R"(
      c1: A-a==============R-r
      c2:    A-a====R-r
      c3:        A-a==R-r
      c4:                       A-a=R-r)"),
                                              {});
  EXPECT_EQ(verdict.count, 2);
  EXPECT_EQ(verdict.opportunities, 4);
  ASSERT_EQ(verdict.violations.size(), 2U);
  EXPECT_EQ(verdict.violations[1].first->client, 1);  // client 1's overlap is the longest
  EXPECT_NE(verdict.violations[1].sentence.find("1 further owner held it too"), std::string::npos);
}

TEST(Exclusion, ANestedHoldDoesNotCountAsAnotherOwner) {
  const ClaimVerdict verdict = CheckExclusion(FromLanes(R"(
      c1: A-a=A-a==========R-r=R-r
      c2:          A-a====R-r)"),
                                              {});
  ASSERT_EQ(verdict.violations.size(), 1U);
  EXPECT_EQ(verdict.violations[0].sentence.find("further"), std::string::npos)
      << verdict.violations[0].sentence;
}

TEST(Exclusion, TheFirstViolationsAreDescribedAndAllAreCounted) {
  std::string first = "c1: A-a", second = "c2:    ";
  for (int i = 0; i < 20; ++i) {
    first += "=======";
    second += "A-a=R-r";
  }
  const ClaimVerdict verdict =
      CheckExclusion(FromLanes(first + "R\n" + second), {.violations_told = 3});
  EXPECT_EQ(verdict.count, 20);
  EXPECT_EQ(verdict.violations.size(), 3U);
}

TEST(Exclusion, ReportsTheSmallestMargins) {
  const History history = FromLanes(R"(
      c1: A-a===!R-r        A-a=!R-r
      c2:           A-a==R-r          A-a=R-r)");
  const ClaimVerdict strict = CheckExclusion(history, {});
  ASSERT_TRUE(!strict.margins.empty());
  EXPECT_EQ(strict.margins[0].what, "shortest gap between two holds");
  EXPECT_EQ(strict.margins[0].value, 5'000'000);
  const ClaimVerdict live = CheckLeaseExclusion(history, {});
  ASSERT_TRUE(!live.margins.empty());
  EXPECT_EQ(live.margins[0].what, "least lease left at release");
  EXPECT_EQ(live.margins[0].value, -1'000'000);
}

TEST(Exclusion, AnUnreleasedHoldHasNoLeaseLeftAtRelease) {
  const ClaimVerdict verdict = CheckLeaseExclusion(FromLanes(R"(
      c1: A-a=!=g            | 5
      c2:          A-a==R-r)"),
                                                   {});
  EXPECT_EQ(verdict.margins[0].value, 995'000'000);  // c2's lease
}

TEST(Exclusion, AHistoryThatContradictsItselfIsNotJudged) {
  History history = FromLanes("c1: A-a====R-r\nc2:    A-a=R-r");
  for (Event& event : history.events) {
    if (event.op == Op::kAcquire && event.type == EventType::kOk) event.hold = 101;
  }
  const ClaimVerdict verdict = CheckExclusion(history, {});
  EXPECT_EQ(verdict.outcome, kExclusionUnknown);
  EXPECT_EQ(verdict.reason,
            "the history contradicts itself: at 0.005 s client 2 was granted hold 101, which was "
            "granted before");
}

TEST(Exclusion, AStallOfOneHolderDoesNotExcuseTheOverlapOfTwoOthers) {
  const ClaimVerdict verdict = CheckExclusion(FromLanes(R"(
      c1:         A-a=====!==========R-r
      c2:                      A-a===========R-r
      c3:                         A-a===R-r
      machine c1:       (----------)     )"),
                                              {});
  EXPECT_EQ(verdict.outcome, Outcome::kViolated) << verdict.reason;
}

TEST(Exclusion, IsUnknownWhereAStallExplainsTheOverlap) {
  ExpectEach(kExclusionUnknown, kExclusionValid,
             {{"stalled past its lease", R"(
      c1:         A-a=====!====R-r
      c2:                   A-a===R-r
      machine c1:       (------)     )"},
              {"stalled before the grant returned: the lease ran already", R"(
      c1:         A----------a=!==R-r
      c2:                    A--a===R-r
      machine c1:   (-------)           )"},
              {"a stall of the supervisor, which forwards the client's messages", R"(
      c1:                 A-a=====!====R-r
      c2:                           A-a===R-r
      machine supervisor:       (------)     )"},
              {"two stalls that together are as long as the lateness", R"(
      c1:         A-a=====!=======R-r
      c2:                   A-a===R-r
      machine c1:    (---) (---)     )"},
              {"stalled during a fault on a node that need not matter", R"(
      c1:         A-a=====!====R-r
      c2:                   A-a===R-r
      machine c1:       (------)
      pause n3:   [------------------])"}});
  ExpectEach(kExclusionViolated, kExclusionValid, {{"two stalls at once count once", R"(
      c1:                 A-a=====!=======R-r
      c2:                           A-a===R-r
      machine c1:              (---)
      machine supervisor:      (---)      )"}});
}

TEST(Exclusion, AStallDoesNotExcuseAnOverlapThatItDoesNotExplain) {
  ExpectEach(kExclusionViolated, kExclusionValid,
             {{"late by more than the stall", R"(
      c1:         A-a=====!=======R-r
      c2:                   A-a===R-r
      machine c1:   (--)             )"},
              {"a section longer than its lease", R"(
      c1:         A-a=======!==================R-r
      c2:                     A-a===R-r
      machine c1:       (-------)             )"},
              {"a planned pause during the stall", R"(
      c1:         A-a=====!====R-r
      c2:                   A-a===R-r
      machine c1:       (------)
      pause c1:         [------])"},
              {"another process stalled", R"(
      c1:         A-a=====!====R-r
      c2:                   A-a===R-r
      machine c2:       (------))"},
              {"a stall explains only the first of two overlaps", R"(
      c1:         A-a=====!====R-r         A-a==!====R-r
      c2:                   A-a===R-r             A-a==R-r
      machine c1:       (------)     )"},
              {"a stall explains only the second of two overlaps", R"(
      c1:         A-a==!====R-r            A-a=====!====R-r
      c2:              A-a==R-r                      A-a===R-r
      machine c1:                                (------))"}});
  ExpectEach(kExclusionViolated, kExclusionViolated, {{"two valid leases, and a stall", R"(
      c1:         A-a============!R-r
      c2:                A-a===R-r
      machine c1:       (------)     )"}});
}

TEST(Exclusion, AStalledWatchdogIsExcusedHoweverLongTheSectionTakes) {
  ExpectEach(kExclusionUnknown, kExclusionValid, {{"stalled for most of the last lease", R"(
      c1:         A-a==E-e======!===================R-r
      c2:                         A-a===R-r
      machine c1:         (--------)             )"}});
  ExpectEach(kExclusionViolated, kExclusionValid, {{"stalled for too little of the last lease", R"(
      c1:         A-a==E-e======!===================R-r
      c2:                         A-a===R-r
      machine c1:              (---)             )"}});
}

TEST(Exclusion, AFaultThatSlowsASectionDoesNotStopItsWatchdog) {
  ExpectEach(kExclusionUnknown, kExclusionValid,
             {{"a slow section, and a stall of the machine", R"(
      c1:         A-a==E-e======!===================R-r
      c2:                         A-a===R-r
      slow c1:      [                             ]
      machine c1:         (--------)             )"},
              {"a fault stalled the renewals on the wire", R"(
      c1:         A-a==E-e==E--------?!=============R-r
      c2:                              A-a===R-r
      stall c1:             [      ]
      machine n1:         (--------)             )"},
              {"a fault that was over before the last lease began", R"(
      c1:         A-a====E-e==E-e======!============R-r
      c2:                                A-a===R-r
      stall c1:      [ ]
      machine c1:                (--------)             )"}});
  ExpectEach(kExclusionViolated, kExclusionValid, {{"a slow section without a stall", R"(
      c1:         A-a==E-e======!===================R-r
      c2:                         A-a===R-r
      slow c1:      [                             ])"}});
}

TEST(Exclusion, AStallBeforeTheGrantDoesNotExcuseTheWatchdog) {
  ExpectEach(kExclusionViolated, kExclusionValid, {{"stalled during the acquire", R"(
      c1:         A--------a!E-x======R-r
      c2:                   A-a===R-r
      machine c1:  (------)           )"}});
}

TEST(Exclusion, UndescribedOverlapsAreStillCheckedForStalls) {
  const History history = FromLanes(R"(
      c1:         A-a=====!====R-r         A-a==!====R-r
      c2:                   A-a===R-r             A-a==R-r
      machine c1:       (------)     )");
  const ClaimVerdict verdict = CheckExclusion(history, {.violations_told = 1});
  const ClaimVerdict alone = CheckExclusion(history, {.violations_told = 0});
  EXPECT_EQ(alone.outcome, verdict.outcome);
  EXPECT_EQ(alone.count, verdict.count);
  EXPECT_TRUE(alone.violations.empty() && alone.margins.empty());
  EXPECT_FALSE(verdict.margins.empty());
  EXPECT_EQ(verdict.outcome, kExclusionViolated);
  EXPECT_EQ(verdict.violations.size(), 1U);
}

// A client that acquires a key again without a release may still be in its section.
TEST(Exclusion, IsUnknownWhereAClientWasKilledDuringAReentry) {
  const History history = FromLanes(R"(
      c1:       A-a====A---
      crash c1:            []
      c2:             A-a==R-r
      c3:                       A-a=R-r)");
  const ClaimVerdict held = CheckExclusion(history, {});
  EXPECT_EQ(held.outcome, kExclusionUnknown);
  EXPECT_EQ(held.reason,
            "client 2 was granted the key at 0.008 s, and client 1, which had been granted it at "
            "0.002 s, asked for it again without a release: whether it was still inside is not "
            "recorded");
  EXPECT_EQ(CheckLeaseExclusion(history, {}).outcome, kExclusionUnknown);
}

// A client that acquires several keys enters its section when it has all of them. In the first case
// c1 released item-0 without having entered.
TEST(Exclusion, AClientHoldsSeveralKeysOnlyOnceItHasAllOfThem) {
  const std::string other = "\n      c2 item-0:         A-a==R-r";
  const std::string first = R"(
      c1 item-0:  QA-a=!============R-r)";
  const History gave_up = FromLanes(first + "\n      c1 item-1:  Q    A-----------x" + other);
  EXPECT_EQ(CheckExclusion(gave_up, {}).outcome, kExclusionValid);
  const History entered = FromLanes(R"(
      c1 item-0:  QA-a=!==q=========R-r
      c1 item-1:  Q    A-a q========R-r)" +
                                    other);
  EXPECT_EQ(CheckExclusion(entered, {}).outcome, kExclusionViolated);
  const History late = FromLanes(R"(
      c1 item-0:  QA-a=!=============q==R-r
      c1 item-1:  Q    A------------aq==R-r)" +
                                 other);
  const ClaimVerdict in_turn = CheckExclusion(late, {});
  EXPECT_EQ(in_turn.outcome, kExclusionValid);
  ASSERT_EQ(in_turn.margins.size(), 1U);
  EXPECT_GT(in_turn.margins[0].value, 0) << "a margin counts from the entry, as the claim does";
  const ClaimVerdict after = CheckExclusion(FromLanes(R"(
      c1 item-0:  QA-a======q=!====R-r
      c1 item-1:  Q    A---aq======R-r
      c2 item-0:       A-a=======R-r)"),
                                            {});
  ASSERT_EQ(after.violations.size(), 1U);
  const std::string& sentence = after.violations[0].sentence;
  EXPECT_NE(sentence.find("client 1 entered its section at 0.010 s"), std::string::npos)
      << sentence;
  // c1 reads item-0 although its wait for item-1 failed.
  const History used = FromLanes(R"(
      c1 item-0:  QA-a=!===qg=======R-r        | 5
      c1 item-1:  Q    A-xx)" + other);
  EXPECT_EQ(CheckExclusion(used, {}).outcome, kExclusionViolated);
  // c1 acquires item-0 again, having never entered before.
  const History again = FromLanes(R"(
      c1 item-0:  QA-a=x              A-a=R-r
      c1 item-1:  Q A-x   x)" + other);
  EXPECT_EQ(CheckExclusion(again, {}).outcome, kExclusionValid) << CheckExclusion(again, {}).reason;
  const History one_key = FromLanes(R"(
      c1 item-0:  QA-a=!============R-r)" +
                                    other);
  EXPECT_EQ(CheckExclusion(one_key, {}).outcome, kExclusionViolated);
}

}  // namespace
}  // namespace doublehold
