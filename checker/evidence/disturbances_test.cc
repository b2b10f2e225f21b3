#include "checker/evidence/disturbances.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "checker/evidence/names.h"
#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

std::vector<std::string> UnplannedStalls(const std::string& picture) {
  const History history = FromLanes(picture);
  std::vector<std::string> stalls;
  for (const Stall& stall : Observe(history).stalls) {
    stalls.push_back(std::to_string(stall.client) + ":" +
                     std::to_string(stall.when.from_ns / 1'000'000) + "-" +
                     std::to_string(stall.when.to_ns / 1'000'000));
  }
  return stalls;
}

using StallTexts = std::vector<std::string>;

TEST(Disturbances, AStallIsUnplannedWhereNoPauseCoversIt) {
  EXPECT_EQ(UnplannedStalls("machine c1: (--)"), StallTexts{"1:0-3"});
  EXPECT_EQ(UnplannedStalls("machine c1: (---)\npause c2:   [---]"), StallTexts{"1:0-4"});
  EXPECT_EQ(UnplannedStalls("machine c1: (---)\ndelay c1:   [---]"), StallTexts{"1:0-4"});
  EXPECT_EQ(UnplannedStalls("machine c1: (------------------------------)\n"
                            "pause c1:   [------------------------------]"),
            StallTexts{});
  EXPECT_EQ(UnplannedStalls("machine c1:  (------------------------------)\n"
                            "pause c1:   [-----------]"),
            StallTexts{"1:12-32"});
  EXPECT_EQ(UnplannedStalls("machine c1: (------------------------------)\n"
                            "pause c1:             [-------]"),
            (StallTexts{"1:0-10", "1:18-31"}));
}

TEST(Disturbances, AStallOfNoLengthIsNone) {
  History history = FromLanes("machine c1: (--)");
  history.events.at(0).value[0] = 0;
  EXPECT_TRUE(Observe(history).stalls.empty());
}

TEST(Disturbances, AServerStallIsUnplannedWhereNoFaultStoppedTheServer) {
  const std::string n1 = std::to_string(OfServer(1));
  EXPECT_EQ(UnplannedStalls("machine n1: (--)"), StallTexts{n1 + ":0-3"});
  EXPECT_EQ(UnplannedStalls("machine n1: (---)\npause c1:   [---]"), StallTexts{n1 + ":0-4"});
  EXPECT_EQ(UnplannedStalls("machine n1: (---)\npause n2:   [---]"), StallTexts{n1 + ":0-4"});
  EXPECT_EQ(UnplannedStalls("machine n1: (---)\njump n1:    [---]"), StallTexts{n1 + ":0-4"});
  for (const std::string lane : {"pause n1:   ", "crash n1:   ", "restart n1: ", "snapshot n1: ",
                                 "flush n1:   ", "evict n1:   "}) {
    EXPECT_EQ(UnplannedStalls(lane + "[---]\nmachine n1: (---)"), StallTexts{}) << lane;
  }
}

TEST(Disturbances, StallsOfTheSupervisorAndOfServersMayDelayEveryClient) {
  EXPECT_TRUE(CanDelay({.client = 2}, 2));
  EXPECT_FALSE(CanDelay({.client = 1}, 2));
  EXPECT_FALSE(CanDelay({.client = kReferee}, 2));
  EXPECT_TRUE(CanDelay({.client = kSupervisor}, 2));
  EXPECT_TRUE(CanDelay({.client = OfServer(1)}, 2));
  EXPECT_TRUE(CanDelay({.client = OfServer(0)}, 2)) << "clients write to the store";
}

TEST(Disturbances, AShortStallAtTheEdgeOfAPauseIsPlanned) {
  EXPECT_EQ(UnplannedStalls("machine c1: (------------------------------)\n"
                            "pause c1:        [------------------]"),
            StallTexts{});
}

TEST(Disturbances, AFaultThatIsNeverHealedLastsToTheEndOfTheHistory) {
  const History history = FromLanes(R"(
      c1:       A-a====R-r
      jump n1:    [)");
  const Disturbances disturbances = Observe(history);
  ASSERT_EQ(disturbances.episodes.size(), 1U);
  EXPECT_EQ(disturbances.episodes[0].to_ns, 9'000'000);
}

TEST(Disturbances, AFaultThatReportsFailIsAnEpisodeIfItMeasuredSomething) {
  History history = FromLanes("delay c1: [--]");
  history.events[1].type = EventType::kFail;
  EXPECT_EQ(Observe(history).episodes.size(), 1U);
  history.events[1].value[1] = 0;
  EXPECT_TRUE(Observe(history).episodes.empty());
}

TEST(Disturbances, EpisodesOfOneFaultAreDistinguishedByTheirTarget) {
  const History history = FromLanes(R"(
      pause c1:  [-----]
      pause c2:    [-----])");
  const Disturbances disturbances = Observe(history);
  ASSERT_EQ(disturbances.episodes.size(), 2U);
  EXPECT_EQ(disturbances.episodes[0].to_ns, 6'000'000);
  EXPECT_EQ(disturbances.episodes[1].to_ns, 8'000'000);
}

TEST(Disturbances, TheEndOfAFaultClosesItsEarliestOpenEpisode) {
  const History history = FromLanes(R"(
      jump n1:  [--]
      jump n1:    [---])");
  const Disturbances disturbances = Observe(history);
  ASSERT_EQ(disturbances.episodes.size(), 2U);
  EXPECT_EQ(disturbances.episodes[0].to_ns, 3'000'000);
  EXPECT_EQ(disturbances.episodes[1].to_ns, 6'000'000);
}

TEST(Disturbances, AFaultIsActiveFromItsStartToItsEnd) {
  const History history = FromLanes("c1:       A-a=====R-r\njump n1:       [--]");
  const Disturbances disturbances = Observe(history);
  for (const auto& [from_ms, to_ms, active] :
       {std::tuple{0, 4, false}, {0, 5, true}, {6, 7, true}, {8, 9, true}, {9, 10, false}}) {
    const Span when{from_ms * int64_t{1'000'000}, to_ms * int64_t{1'000'000}};
    EXPECT_EQ(FindActive(disturbances, when, MovesAClock) != nullptr, active)
        << from_ms << "-" << to_ms;
    EXPECT_EQ(FindActive(disturbances, when, LosesKeys), nullptr);
  }
}

TEST(Disturbances, AFaultOnTheStoreAloneIsNotActiveForLocks) {
  for (const auto& [target, active] : {std::pair{"n0", false}, {"n1", true}}) {
    const std::string fault = std::string("restart ") + target + ":     [--]";
    const History history = FromLanes("c1:             A-a=====R-r\n" + fault);
    EXPECT_EQ(FindActive(Observe(history), {0, kForeverNs}, LosesData) != nullptr, active)
        << target;
  }
}

TEST(Disturbances, AFaultActsOnAllThatItNames) {
  struct Row {
    const char* kind;
    int32_t client;
    int32_t node;
    std::vector<int> nodes;
    bool store_alone, lock_servers, concerns_client_1, concerns_client_2;
    bool servers = lock_servers;
  };
  for (const Row& row : std::vector<Row>{
           {"pause", -1, 0, {0}, true, false, false, false, true},
           {"pause", -1, 0, {}, true, false, false, false, true},
           {"pause", -1, 0, {0, 1}, false, true, true, true},
           {"pause", -1, 1, {1, 0}, false, true, true, true},
           {"pause", -1, 1, {}, false, true, true, true},
           {"pause", 1, -1, {}, false, false, true, false},
           {"pause", 1, 0, {0}, false, false, true, false, true},
           {"pause", 1, 0, {}, false, false, true, false, true},
           {"pause", 1, 1, {1}, false, true, true, true},
           {"pause", 1, 0, {0, 1}, false, true, true, true},
           {"hold", 1, -1, {}, false, false, true, false},
           {"hold", 1, 0, {0}, true, false, false, false},
           {"hold", 1, 0, {0, 1}, false, false, true, false},
           {"hold", 1, 1, {1, 0}, false, false, true, false},
       }) {
    const FaultFact fault{.name = "f", .kind = row.kind, .what = "", .nodes = row.nodes};
    const FaultEpisode episode{.client = row.client, .node = row.node};
    SCOPED_TRACE(fmt::format("{} client {} node {} of {}", row.kind, row.client, row.node,
                             row.nodes.size()));
    EXPECT_EQ(ActsOnStoreAlone(episode, fault), row.store_alone);
    EXPECT_EQ(ActsOnServers(episode, fault), row.servers);
    EXPECT_EQ(ActsOnLockServers(episode, fault), row.lock_servers);
    EXPECT_EQ(ConcernsClient(episode, fault, 1), row.concerns_client_1);
    EXPECT_EQ(ConcernsClient(episode, fault, 2), row.concerns_client_2);
  }
}

TEST(Disturbances, AFaultLosesStoreDataIfTheStoreIsAmongItsServers) {
  for (const auto& [node, nodes, loses] : std::vector<std::tuple<int32_t, std::vector<int>, bool>>{
           {0, {}, true}, {1, {1, 0}, true}, {1, {}, false}, {1, {1, 2}, false}}) {
    FaultFact fault{.name = "f", .kind = "flush", .what = "", .nodes = nodes};
    EXPECT_EQ(LosesStoreData({.client = -1, .node = node}, fault), loses) << nodes.size();
    fault.keeps_data = true;
    EXPECT_FALSE(LosesStoreData({.client = -1, .node = node}, fault));
  }
}

TEST(Disturbances, AFaultWithoutRecordedTraitsHasTheTraitsOfItsKind) {
  struct Row {
    const char* kind;
    bool moves_a_clock, loses_data, loses_keys, is_crash;
  };
  for (const Row& row : std::vector<Row>{{"jump", true, false, false, false},
                                         {"drift", true, false, false, false},
                                         {"strobe", true, false, false, false},
                                         {"restart", false, true, true, false},
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

TEST(Disturbances, RecordedTraitsOverrideTheKindOfAFault) {
  const FaultFact fault{.name = "f", .kind = "pause", .traits = FaultTraits{FaultTrait::kKills}};
  EXPECT_TRUE(IsCrash(fault));
  EXPECT_FALSE(Does(fault, FaultTrait::kStops));
  EXPECT_FALSE(IsCrash({.name = "f", .kind = "new", .traits = {}}));
}

// c1's lease ends at 5 ms, and the pause comes later. The lease of the run is 10 ms.
TEST(Disturbances, APauseAfterTheLeaseOfAStaleClientIsNamedUntilOneLeaseAfterThePause) {
  const History history = FromLanes(R"(
      c1:        A-a==!=================================R-r
      pause c1:         [-])");
  const Disturbances disturbances = Observe(history);
  const int64_t healed_ns = disturbances.episodes.at(0).to_ns;
  const auto count_named = [&](int64_t at_ns) {
    return FaultsBehind(disturbances, {.at_ns = at_ns, .stale = 1, .lease_end_ns = 5'000'000})
        .size();
  };
  EXPECT_EQ(count_named(healed_ns + 10'000'000), 1U);
  EXPECT_EQ(count_named(healed_ns + 10'000'001), 0U);
}

TEST(Disturbances, LostMessagesAreNamedUntilOneLeaseBeforeTheLeaseOfAStaleClientEnds) {
  const History history = FromLanes("drop c1: []");
  const Disturbances disturbances = Observe(history);
  for (const auto& [lease_end_ms, named] : {std::pair{-1, 0U}, {0, 1U}, {11, 1U}, {12, 0U}}) {
    const int64_t end_ns = lease_end_ms * int64_t{1'000'000};
    EXPECT_EQ(FaultsBehind(disturbances, {.at_ns = 40'000'000, .stale = 1, .lease_end_ns = end_ns})
                  .size(),
              named)
        << lease_end_ms;
  }
}

TEST(Disturbances, TheLikelierOfTwoFaultsIsNamedEvenIfItCameEarlier) {
  struct Row {
    std::string lanes;
    int32_t stale;
    std::string named;
    int32_t other = 2;
  };
  for (const Row& row : std::vector<Row>{{"restart n1: []\ndrop c2:       []", 0, "restart"},
                                         {"pause c2:   []\nrestart n1:    []", 1, "pause"},
                                         {"restart n1: []\npause c3:      []", 1, "restart"},
                                         {"drop c3:    []\npause c1:      []", 0, "drop"},
                                         {"pause c1:   []\nrestart n1:    []", 2, "pause", 1},
                                         {"drift n1:   [---]\njump c1:      []", 1, "jump"}}) {
    const History history = FromLanes(row.lanes);
    const Disturbances disturbances = Observe(history);
    const auto named =
        FaultsBehind(disturbances, {.at_ns = 5'000'000, .stale = row.stale, .other = row.other});
    ASSERT_EQ(named.size(), 1U) << row.lanes;
    EXPECT_EQ(FaultFor(history.facts, *named[0]).kind, row.named) << row.lanes;
  }
}

TEST(Disturbances, TheRefereeIsNotNamedAsAClient) {
  EXPECT_EQ(ProcessName(kReferee), "the referee");
}

}  // namespace
}  // namespace doublehold
