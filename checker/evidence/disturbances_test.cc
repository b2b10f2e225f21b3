#include "checker/evidence/disturbances.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checker/testing/ascii_history.h"

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

TEST(Scene, AStallDelaysItsOwnClientAndWhoeverIsBehindIt) {
  EXPECT_TRUE(CanDelay({.client = 2}, 2));
  EXPECT_FALSE(CanDelay({.client = 1}, 2));
  EXPECT_FALSE(CanDelay({.client = kReferee}, 2));
  EXPECT_TRUE(CanDelay({.client = kSupervisor}, 2));
  EXPECT_TRUE(CanDelay({.client = OfServer(1)}, 2));
  EXPECT_FALSE(CanDelay({.client = OfServer(0)}, 2)) << "the store is asked for no lock";
}

TEST(Scene, AServerStallDelaysOnlySidesThatWaitForIt) {
  struct Case {
    const char* lane;
    const char* server;
    std::vector<std::string> spans;
    Side side = Side::kSession;
    const char* stall = "     (--------)";
  };
  for (const Case& each : std::vector<Case>{
           {"A-a======W-----w=R-x     | 5>4", "n0", {"9-14"}},
           {"A-a=W------------w=R-x   | 5>4", "n0", {"5-14"}},
           {"A-a=W-w====W-w=R-x       | 5>4 4>3", "n0", {"5-6", "11-13"}},
           {"A-a=W------------w=R-x   | 5>4", "n1", {}},      // asked the store
           {"A----------a=============R-r", "n0", {}},        // asked another
           {"Q-A-x--A-x------A-aq=====R-r", "n1", {"5-14"}},  // waits between its attempts too
           {"A-a=============R-r", "n1", {}},                 // asked for nothing meanwhile
           {"A-a=E---e=======R-r", "n1", {"5-8"}, Side::kWatchdog},
           {"A-a=E---e=======R-r", "n1", {}},  // only its watchdog asked
           {"A-a==R-----r", "n1", {}, Side::kWatchdog},
           {"A-----?", "n1", {"5-6"}},                                // then it gave up
           {"A---?", "n1", {}},                                       // it had given up
           {"A-a==R", "n1", {"5-14"}},                                // it never gave up
           {"A---", "n1", {}, Side::kSession, "              (--)"},  // begun a lease later
           {"A-a===\nc2:          A-a=W-------w   | 5>4", "n0", {}},
           {"A-a===\nc1.2:        A-a=W-------w   | 5>4", "n0", {}}}) {  // c1's second thread
    const History history = FromLanes("c1:          " + std::string(each.lane) + "\nmachine " +
                                      each.server + ":  " + each.stall);
    const Scene scene = Observe(history);
    std::vector<std::string> spans;
    for (const Span& span : HeldUpBy(scene.stalls.at(0), {1, 0}, each.side, {0, INT64_MAX}))
      spans.push_back(fmt::format("{}-{}", span.from_ns / 1'000'000, span.to_ns / 1'000'000));
    EXPECT_EQ(spans, each.spans) << each.lane << " " << each.server;
  }
}

TEST(Scene, OnlyWaitsInsideTheSpanCount) {
  const History history = FromLanes(R"(
      c1:          A-a=W-w=W--w==W----w==W-w=R-r   | 5>4 4>3 3>2 2>1
      machine n0:    (-----------------------)     )");
  const Scene scene = Observe(history);
  std::vector<Span> spans;
  for (const Span& span :
       HeldUpBy(scene.stalls.at(0), {1, 0}, Side::kSession, {9'000'000, 15'000'000}))
    spans.push_back({span.from_ns / 1'000'000, span.to_ns / 1'000'000});
  EXPECT_EQ(spans, (std::vector<Span>{{9, 11}, {14, 15}}));
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

TEST(Scene, EpisodesOfOneFaultAreDistinguishedByTheirTarget) {
  const History history = FromLanes(R"(
      pause c1:  [-----]
      pause c2:    [-----])");
  const Scene scene = Observe(history);
  ASSERT_EQ(scene.episodes.size(), 2U);
  EXPECT_EQ(scene.episodes[0].to_ns, 6'000'000);
  EXPECT_EQ(scene.episodes[1].to_ns, 8'000'000);
}

TEST(Scene, TheEndOfAFaultClosesItsFirstOpenStart) {
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

TEST(Scene, WhichFaultsLoseDataOrKeysOrMoveClocks) {
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

TEST(Scene, AFaultDoesWhatItsHistorySays) {
  const FaultFact fault{.name = "f", .kind = "pause", .traits = FaultTraits{FaultTrait::kKills}};
  EXPECT_TRUE(IsCrash(fault));
  EXPECT_FALSE(Does(fault, FaultTrait::kStops));
  EXPECT_FALSE(IsCrash({.name = "f", .kind = "new", .traits = {}}));
}

// An unanswered request waits to the end of the stall, however long that is.
TEST(Scene, AnUnansweredRequestWaitsToTheEndOfTheStall) {
  const History answered = FromLanes(R"(
      c1:          A---------------------a
      machine n1:    (----------------------------))");
  const History open = FromLanes(R"(
      c1:          A
      machine n1:    (----------------------------))");
  for (const auto& [history, until_ms] : {std::pair(&answered, 22), std::pair(&open, 31)}) {
    const Scene scene = Observe(*history);
    ASSERT_EQ(scene.stalls.size(), 1U);
    ASSERT_EQ(scene.stalls[0].waiting.size(), 1U);
    EXPECT_EQ(scene.stalls[0].waiting[0].when.to_ns, until_ms * 1'000'000);
  }
}

// The lease of 10 ms was over at 5 ms: a pause after that is named for one lease only.
TEST(Scene, APauseOfAStaleClientAfterItsLeaseIsNamedForOneLeaseOnly) {
  const History history = FromLanes(R"(
      c1:        A-a==!=================================R-r
      pause c1:         [-])");
  const Scene scene = Observe(history);
  const int64_t healed_ns = scene.episodes.at(0).to_ns;
  const auto named = [&](int64_t at_ns) {
    return FaultsBehind(scene, {.at_ns = at_ns, .stale = 1, .lease_end_ns = 5'000'000}).size();
  };
  EXPECT_EQ(named(healed_ns + 10'000'000), 1U);
  EXPECT_EQ(named(healed_ns + 10'000'001), 0U);
}

}  // namespace
}  // namespace doublehold
