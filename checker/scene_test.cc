#include "checker/scene.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checker/lanes.h"

namespace doublehold {
namespace {

std::vector<std::string> Stalls(const std::string& picture) {
  const History history = FromLanes(picture);
  std::vector<std::string> stalls;
  for (const Stall& stall : Observe(history).stalls) {
    stalls.push_back(std::to_string(stall.client) + ":" +
                     std::to_string(stall.when.from_ns / 1'000'000) + "-" +
                     std::to_string(stall.when.to_ns / 1'000'000));
  }
  return stalls;
}

using Found = std::vector<std::string>;

TEST(Scene, AStallIsUnplannedWhereNoPauseCoversIt) {
  EXPECT_EQ(Stalls("machine c1: (--)"), Found{"1:0-3"});
  EXPECT_EQ(Stalls("machine c1: (---)\npause c2:   [---]"), Found{"1:0-4"});
  EXPECT_EQ(Stalls("machine c1: (---)\ndelay c1:   [---]"), Found{"1:0-4"});
  EXPECT_EQ(Stalls("machine c1: (------------------------------)\n"
                   "pause c1:   [------------------------------]"),
            Found{});
  EXPECT_EQ(Stalls("machine c1:  (------------------------------)\n"
                   "pause c1:   [-----------]"),
            Found{"1:12-32"});
  EXPECT_EQ(Stalls("machine c1: (------------------------------)\n"
                   "pause c1:             [-------]"),
            (Found{"1:0-10", "1:18-31"}));
}

TEST(Scene, AServerStoodStillByItselfWhereNoFaultHadStoppedIt) {
  const std::string of_n1 = std::to_string(OfServer(1));
  EXPECT_EQ(Stalls("machine n1: (--)"), Found{of_n1 + ":0-3"});
  EXPECT_EQ(Stalls("machine n1: (---)\npause c1:   [---]"), Found{of_n1 + ":0-4"});
  EXPECT_EQ(Stalls("machine n1: (---)\npause n2:   [---]"), Found{of_n1 + ":0-4"});
  EXPECT_EQ(Stalls("machine n1: (---)\njump n1:    [---]"), Found{of_n1 + ":0-4"});
  for (const std::string lane : {"pause n1:   ", "crash n1:   ", "restart n1: ", "snapshot n1: ",
                                 "flush n1:   ", "evict n1:   "}) {
    EXPECT_EQ(Stalls(lane + "[---]\nmachine n1: (---)"), Found{}) << lane;
  }
}

TEST(Scene, WhoseStallHoldsUpWhom) {
  EXPECT_TRUE(HoldsUp({.client = 2}, 2));
  EXPECT_FALSE(HoldsUp({.client = 1}, 2));
  EXPECT_FALSE(HoldsUp({.client = kReferee}, 2));
  EXPECT_TRUE(HoldsUp({.client = kSupervisor}, 2));
  EXPECT_TRUE(HoldsUp({.client = OfServer(0)}, 2));
}

TEST(Scene, AServerHoldsUpWhoWaitsForIt) {
  const auto held = [](const std::string& lane, const std::string& stall) {
    const History history = FromLanes("c1:          " + lane + "\nmachine n1:  " + stall);
    const Scene scene = Observe(history);
    std::vector<std::string> spans;
    for (const Span& span : HeldUpBy(scene.stalls.at(0), {1, 0}, {0, INT64_MAX}))
      spans.push_back(fmt::format("{}-{}", span.from_ns / 1'000'000, span.to_ns / 1'000'000));
    return spans;
  };
  const std::string stall = "     (--------)";
  struct Case {
    const char* lane;
    std::vector<std::string> spans;
  };
  for (const Case& each :
       std::vector<Case>{{"A-a======W-----w=R-x     | 5>4", {"9-14"}},
                         {"A-a=W------------w=R-x   | 5>4", {"5-14"}},
                         {"A-a=W-w====W-w=R-x       | 5>4 4>3", {"5-6", "6-6", "11-13", "13-13"}},
                         {"A-a=============R-r", {}},       // asked for nothing meanwhile
                         {"A-a=E---e=======R-r", {"5-8"}},  // its watchdog did
                         {"A---?", {"5-14"}},               // its request may still be there
                         {"A-a==R", {"5-14"}}}) {           // likewise
    EXPECT_EQ(held(each.lane, stall), each.spans) << each.lane;
  }
  EXPECT_EQ(held("A---?", "              (--)"), std::vector<std::string>{}) << "a lease later";
  EXPECT_EQ(held("A-a===\nc2:          A-a=W-------w   | 5>4", stall), std::vector<std::string>{});
  EXPECT_EQ(held("A-a===\nc1.2:        A-a=W-------w   | 5>4", stall), std::vector<std::string>{})
      << "another thread of it";
}

TEST(Scene, TheEdgesOfAPauseBelongToIt) {
  EXPECT_EQ(Stalls("machine c1: (------------------------------)\n"
                   "pause c1:        [------------------]"),
            Found{});
}

TEST(Scene, AFaultThatIsNeverHealedLastsToTheEnd) {
  const History history = FromLanes(R"(
      c1:       A-a====R-r
      jump n1:    [)");
  const Scene scene = Observe(history);
  ASSERT_EQ(scene.episodes.size(), 1U);
  EXPECT_EQ(scene.episodes[0].to_ns, 9'000'000);
}

TEST(Scene, AFaultThatActedOnFewerFramesThanAskedStillActed) {
  History history = FromLanes("delay c1: [--]");
  history.events[1].type = EventType::kFail;
  EXPECT_EQ(Observe(history).episodes.size(), 1U);
  history.events[1].value[1] = 0;
  EXPECT_TRUE(Observe(history).episodes.empty());
}

TEST(Scene, EpisodesOfOneFaultAreToldApartByTheirTarget) {
  const History history = FromLanes(R"(
      pause c1:  [-----]
      pause c2:    [-----])");
  const Scene scene = Observe(history);
  ASSERT_EQ(scene.episodes.size(), 2U);
  EXPECT_EQ(scene.episodes[0].to_ns, 6'000'000);
  EXPECT_EQ(scene.episodes[1].to_ns, 8'000'000);
}

TEST(Scene, TheEndOfAFaultIsThatOfItsFirstOpenStart) {
  const History history = FromLanes(R"(
      jump n1:  [--]
      jump n1:    [---])");
  const Scene scene = Observe(history);
  ASSERT_EQ(scene.episodes.size(), 2U);
  EXPECT_EQ(scene.episodes[0].to_ns, 3'000'000);
  EXPECT_EQ(scene.episodes[1].to_ns, 6'000'000);
}

TEST(Scene, AFaultIsActiveFromItsStartToItsEnd) {
  const History history = FromLanes("c1:       A-a=====R-r\njump n1:       [--]");
  const Scene scene = Observe(history);
  for (const auto& [from_ms, to_ms, active] :
       {std::tuple{0, 4, false}, {0, 5, true}, {6, 7, true}, {8, 9, true}, {9, 10, false}}) {
    const Span when{from_ms * 1'000'000, to_ms * 1'000'000};
    EXPECT_EQ(WasActive(scene, when, MovesAClock), active) << from_ms << "-" << to_ms;
    EXPECT_FALSE(WasActive(scene, when, LosesKeys));
  }
}

TEST(Scene, WhatAFaultMayTakeAway) {
  struct Row {
    const char* kind;
    bool moves_a_clock, loses_data, loses_keys, is_crash;
  };
  for (const Row& row : std::vector<Row>{{"jump", true, false, false, false},
                                         {"drift", true, false, false, false},
                                         {"strobe", true, false, false, false},
                                         {"restart", false, true, true, false},
                                         {"failover", false, true, true, false},
                                         {"promote", false, true, true, false},
                                         {"flush", false, false, true, false},
                                         {"delete-key", false, false, true, false},
                                         {"evict", false, false, true, false},
                                         {"crash", false, false, false, true},
                                         {"pause", false, false, false, false}}) {
    const FaultFact fault{.name = row.kind, .kind = row.kind, .what = ""};
    EXPECT_EQ(MovesAClock(fault), row.moves_a_clock) << row.kind;
    EXPECT_EQ(LosesData(fault), row.loses_data) << row.kind;
    EXPECT_EQ(LosesKeys(fault), row.loses_keys) << row.kind;
    EXPECT_EQ(IsCrash(fault), row.is_crash) << row.kind;
  }
}

TEST(Scene, OfStallsTheLongestThatHeldItUpIsTold) {
  const History history = FromLanes(R"(
      machine c1:  (--)      (-----)     (---)
      machine c2:     (--------------------------))");
  const Scene scene = Observe(history);
  const auto longest = [&](int64_t from_ms, int64_t to_ms) {
    const Stall* stall = LongestStall(scene, {1, 0}, {from_ms * 1'000'000, to_ms * 1'000'000});
    return stall == nullptr ? -1 : stall->when.from_ns / 1'000'000;
  };
  EXPECT_EQ(longest(0, 40), 10);
  EXPECT_EQ(longest(0, 5), 0);
  EXPECT_EQ(longest(20, 40), 22);
  EXPECT_EQ(longest(4, 9), -1);
}

}  // namespace
}  // namespace doublehold
