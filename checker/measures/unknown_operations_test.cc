#include "checker/measures/unknown_operations.h"

#include <gtest/gtest.h>

#include <string>

#include "checker/judge.h"
#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

BlindSpots BlindSpotsIn(const History& history) { return Judge(history).blind_spots.value(); }

struct BlindSpotsRow {
  std::string picture;
  int64_t unknown, could_hide;
  std::string claim = "exclusion";
};

void ExpectBlindSpots(const BlindSpotsRow& row, BlindCount BlindSpots::*kind) {
  const BlindSpots spots = BlindSpotsIn(FromLanes(row.picture, {.claims = {row.claim}}));
  EXPECT_EQ((spots.*kind).unknown, row.unknown) << row.picture;
  EXPECT_EQ((spots.*kind).could_hide, row.could_hide) << row.picture;
}

TEST(BlindSpots, AnUnansweredAcquireMayOverlapALaterHold) {
  for (const BlindSpotsRow& row : {BlindSpotsRow{R"(
      c1:     A-a=====R-r
      c2: A---?              )",
                                                 1, 1},
                                   {R"(
      c1: A-a=====R-r
      c2:     A---?          )",
                                    1, 1},
                                   {R"(
      c1: A-a=====R-r
      c2:         A---?      )",
                                    1, 1},
                                   {R"(
      c1: A-a=====R-r
      c2:             A---?  )",
                                    1, 0},
                                   {R"(
      c1: A-a=====R-r
      c2:           A---?    )",
                                    1, 1},
                                   {R"(
      c1 item-0: A-a=====R-r
      c2 item-1:     A---?   )",
                                    1, 0},
                                   {R"(
      c1: A---?  A-a=====R-r )",
                                    1, 0},
                                   {R"(
      c1: A-a=====R-r        A-a==R-r
      c2:             A---?           )",
                                    1, 1}}) {
    ExpectBlindSpots(row, &BlindSpots::acquires);
  }
}

TEST(BlindSpots, AnAcquireWithoutARecordedAnswerCountsAsUnanswered) {
  ExpectBlindSpots({R"(
      c1: A-a=====R-r
      c2:     A              )",
                    1, 1},
                   &BlindSpots::acquires);
}

// The acquire may be carried out again, or on another node, after its release.
TEST(BlindSpots, AReleaseDoesNotEndAnUnansweredAcquire) {
  ExpectBlindSpots({R"(
      c1:              A-a=====R-r
      c2: A---?  R-r               )",
                    1, 1},
                   &BlindSpots::acquires);
}

TEST(BlindSpots, TwoUnansweredAcquiresMayBothHaveBeenGranted) {
  ExpectBlindSpots({R"(
      c1: A---?
      c2:        A---? )",
                    2, 2},
                   &BlindSpots::acquires);
}

TEST(BlindSpots, ForTokensAndQueuesAnAcquireConflictsWithEarlierHolds) {
  constexpr char kAfter[] = R"(
      c1: A-a=====R-r
      c2:             A---?  )";
  ExpectBlindSpots({kAfter, 1, 1, "fencing"}, &BlindSpots::acquires);
  ExpectBlindSpots({kAfter, 1, 1, "order"}, &BlindSpots::acquires);
  ExpectBlindSpots({"c1: A-x\nc2:       A---?", 1, 1, "order"}, &BlindSpots::acquires);
  ExpectBlindSpots({"c1: A-x\nc2:       A---?", 1, 0}, &BlindSpots::acquires);
  ExpectBlindSpots({"c1: A-a==A-?==R-r", 1, 1, "reentry"}, &BlindSpots::acquires);
}

TEST(BlindSpots, AnUnansweredReleaseMayFreeALaterHold) {
  ExpectBlindSpots({R"(
      c1: A-a===R---?
      c2:              A-a==R-r )",
                    1, 1},
                   &BlindSpots::releases);
  ExpectBlindSpots({R"(
      c1:              A-a==R---?
      c2: A-a===R-r              )",
                    1, 0},
                   &BlindSpots::releases);
}

TEST(BlindSpots, AnUnansweredExtensionMayConflictWithTheNextHold) {
  ExpectBlindSpots({R"(
      c1: A-a==E-?!==R-r
      c2:                 A-a==R-r )",
                    1, 1},
                   &BlindSpots::extends);
  ExpectBlindSpots({R"(
      c1:           A-a==E-?!==R-r
      c2: A-a==R-r                 )",
                    1, 0},
                   &BlindSpots::extends);
}

TEST(BlindSpots, AWriteConflictsWithWritesSinceItsHoldBegan) {
  for (const BlindSpotsRow& row : {BlindSpotsRow{R"(
      c1:     A-a=g=w=R-r                | 5 5>4
      c2: A-ag===========W-?=R-r         | 5 5>4  )",
                                                 1, 1},
                                   {R"(
      c1: A-a=g=w=R-r                    | 5 5>4
      c2:              A-ag=W-?=R-r      | 4 4>3  )",
                                    1, 0},
                                   {R"(
      c1: A-a=g=W-?=R-r                  | 5 5>4
      c2:                 A-a=g=R-r      | 5      )",
                                    1, 1},
                                   {R"(
      c1: A-a=g=W-?=W-w=R-r              | 5 5>4 5>4 )",
                                    1, 1},
                                   {R"(
      c1: A-a=g=W-?=R-r                  | 5 5>4  )",
                                    1, 0}}) {
    ExpectBlindSpots(row, &BlindSpots::writes);
  }
}

TEST(BlindSpots, AWriteConflictsWithAWriteThatEndsWhenItsHoldBegins) {
  History history = FromLanes("c1: A-a=g=w=R-rA-ag=W-?=R-r | 5 5>4 4 4>3");
  for (Event& event : history.events) {
    if (event.op == Op::kWrite && event.type == EventType::kOk) event.at_ns = 13'000'000;
  }
  SortByTime(history.events);
  EXPECT_EQ(BlindSpotsIn(history).writes.could_hide, 1);
}

TEST(BlindSpots, AnUnansweredSaveConflictsWithEveryOtherSaveOfTheRun) {
  ExpectBlindSpots({R"(
      c1: A-a=S-k=R-r                    | 7
      c2:              A-a=S-?=R-r       | 7  )",
                    1, 1},
                   &BlindSpots::writes);
}

TEST(BlindSpots, TheSentenceNamesThePossibleConflict) {
  const BlindSpots spots = BlindSpotsIn(FromLanes(R"(
      c1: A-a=g=W-?=R---?            | 5 5>4
      c2:                   A-a==R-r )"));
  EXPECT_EQ(spots.CouldHide(), 2);
  EXPECT_EQ(spots.Unknown(), 2);
  ASSERT_EQ(spots.first.size(), 2U);
  EXPECT_EQ(spots.first[1].sentence,
            "client 1's release of item-0, called at 0.010 s, was not answered: done then or "
            "later, it may have met client 2's hold (0.020-0.023 s)");
}

TEST(BlindSpots, TheSentenceDistinguishesEarlierFromLaterConflicts) {
  const std::string before = R"(
      c1: A-a=====R-r
      c3:               A-a==R-r
      c2:                          A---?  )";
  const std::string after = "\n      c4:                                 A-a==R-r";
  struct DescriptionRow {
    std::string picture, claim, end;
  };
  for (const DescriptionRow& row :
       {DescriptionRow{before, "fencing",
                       "may be out of order with client 3's hold before it (0.016-0.019 s)"},
        DescriptionRow{before + after, "fencing", "may have met client 4's hold (0.034-0.037 s)"},
        DescriptionRow{before, "reentry", "may have met what the same client did"},
        // c1's release was invoked at the instant of c2's acquire.
        DescriptionRow{"c1: A-a===R-r\nc2:       A---?", "exclusion",
                       "may have met client 1's hold (0.002-0.006 s)"}}) {
    const BlindSpots spots = BlindSpotsIn(FromLanes(row.picture, {.claims = {row.claim}}));
    ASSERT_EQ(spots.first.size(), 1U) << row.picture;
    EXPECT_TRUE(spots.first[0].sentence.ends_with(row.end)) << spots.first[0].sentence;
  }
}

TEST(BlindSpots, AtMostFiveOperationsAreDescribedButAllAreCounted) {
  const BlindSpots spots = BlindSpotsIn(FromLanes(R"(
      c1:                                        A-a=====R-r
      c2: A-? A-? A-? A-? A-? A-? A-?              )"));
  EXPECT_EQ(spots.acquires.could_hide, 7);
  EXPECT_EQ(spots.first.size(), BlindSpots::kMostDescribed);
}

TEST(BlindSpots, HoldsWithoutALeaseAndStallsAreListed) {
  History history = FromLanes(R"(
      c1:          A-a=R-r
      c2:                        A-a==R-r
      machine c1:      (--)
      machine c2:                         (----)  )");
  for (Event& event : history.events) {
    if (event.client == 2 && event.type == EventType::kOk && event.op == Op::kAcquire)
      event.value[0] = INT64_MAX;
  }
  const BlindSpots spots = BlindSpotsIn(history);
  EXPECT_EQ(spots.without_lease, (std::map<int32_t, int64_t>{{2, 1}}));
  ASSERT_EQ(spots.stalls.size(), 2U);
  EXPECT_EQ(spots.stalls[0].client, 2);
}

TEST(BlindSpots, ARunWithoutALockThatViolatesNothingHasAWeakLoad) {
  const auto judge = [](std::string_view picture, const std::string& lock) {
    History history = FromLanes(picture, {.claims = {"exclusion"}});
    history.facts.lock = lock;
    return Judge(history);
  };
  constexpr std::string_view kApart = "c1: A-a==R-r\nc2:           A-a==R-r";
  constexpr std::string_view kTogether = "c1: A-a==R-r\nc2: A--a==R-r";
  EXPECT_TRUE(judge(kApart, "none").weak_control);
  EXPECT_EQ(judge(kApart, "none").claims[0].outcome, Outcome::kValid) << "the outcome stays";
  EXPECT_EQ(judge(kApart, "none").warnings.size(), 1U);
  EXPECT_FALSE(judge(kTogether, "none").weak_control);
  EXPECT_FALSE(judge(kApart, "redlock").weak_control);
}

TEST(BlindSpots, ARunWithoutALockThatSellsUnprotectedMustViolateStock) {
  const std::vector<ClaimVerdict> claims{{.claim = "exclusion", .outcome = Outcome::kViolated},
                                         {.claim = "stock", .outcome = Outcome::kValid}};
  EXPECT_TRUE(IsWeakControl({.lock = "none", .write = "check-then-decr"}, claims));
  EXPECT_FALSE(IsWeakControl({.lock = "none", .write = "atomic-script"}, claims));
}

}  // namespace
}  // namespace doublehold
