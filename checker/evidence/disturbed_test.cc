#include "checker/evidence/disturbed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "checker/evidence/evidence.h"
#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

// For each column of the picture, whether something may have happened in this millisecond.
using Question = bool (*)(const Disturbed& disturbed, const Span& when);

std::string Answers(const std::string& picture, Question question, const LaneOptions& options) {
  const History history = FromLanes(picture, options);
  const Evidence evidence(history);
  const int64_t end_ms = history.events.back().at_ns / 1'000'000;
  std::string answers;
  for (int64_t ms = 0; ms <= end_ms; ++ms) {
    const int64_t at_ns = ms * 1'000'000;
    answers += question(evidence.disturbed(), {at_ns, at_ns}) ? '=' : ' ';
  }
  return answers.substr(0, answers.find_last_not_of(' ') + 1);
}

struct Drawn {
  std::string fault;    // its kind, and on what it acts
  std::string answers;  // beneath an episode [--] from 3 to 6 ms
  LaneOptions options{};
};

void Expect(Question question, const std::vector<Drawn>& all) {
  for (const auto& [fault, answers, options] : all) {
    const std::string lane = fault + ":" + std::string(30 - fault.size(), ' ');
    const std::string picture =
        "\n      c1:" + std::string(28, ' ') + "A-a=======R-r\n      " + lane + "   [--]";
    EXPECT_EQ(Answers(picture, question, options), answers) << picture;
  }
}

TEST(Disturbed, AKeyMayBeGoneWhileAFaultRemovesKeysOrMovesTheClockOfAServer) {
  Expect([](const Disturbed& d, const Span& when) { return d.MayLoseKey(0, when).has_value(); },
         {{"flush n1", "   ===="},
          {"restart n1", "   ===="},
          {"jump n1", "   ===="},
          {"crash n1", "   =========="},
          {"mystery n1", "   ===="},
          {"flush n0", ""},
          {"crash c1", ""},
          {"jump c1", ""},
          {"pause n1", ""}});
}

TEST(Disturbed, AKeyMayComeBackOnlyWithLostData) {
  Expect([](const Disturbed& d, const Span& when) { return d.MayReturnKeys(when).has_value(); },
         {{"restart n1", "   ===="},
          {"promote n1", "   ===="},
          {"mystery n1", "   ===="},
          {"flush n1", ""},
          {"restart n0", ""}});
}

TEST(Disturbed, AMessageMayBeLateOrComeTwice) {
  Expect(
      [](const Disturbed& d, const Span& when) { return d.MayDelayMessages(1, when).has_value(); },
      {{"delay c1", "   ===="},
       {"drop c1", "   ===="},
       {"duplicate c1", "   ===="},
       {"mystery c1", "   ===="},
       {"pause c1", ""},
       {"delay n0", ""}});
  // From just after each ms until just before the next one.
  const auto between = [](const Disturbed& d, const Span& when) {
    return d.MayDelayMessages(1, {when.from_ns + 1, when.from_ns + 999'999}).has_value();
  };
  Expect(between, {{"delay c1", "   ==="}});
}

TEST(Disturbed, ACallMayBeDelayedByWhatActsOnItsClientOrOnALockServer) {
  const auto delayed = [](const Disturbed& d, const Span& when) {
    return d.DelayOf({.client = 1, .key = 0}, {when.from_ns, when.to_ns + 1}).has_value();
  };
  Expect(delayed, {{"pause c1", "   ==="},
                   {"delay c1", "   ==="},
                   {"pause n1", "   ==="},
                   {"mystery c1", "   ==="},
                   {"pause c2", ""},
                   {"pause n0", ""},
                   {"jump n1", ""}});
}

TEST(Disturbed, ACallMayBeDelayedByALongStallOfItsClientOrOfALockServer) {
  for (const auto& [stall, delays] :
       std::vector<std::pair<std::string, bool>>{{"machine c1: (------)", true},
                                                 {"machine n1: (------)", true},
                                                 {"machine c1: (---)", false},
                                                 {"machine c2: (------)", false},
                                                 {"machine n0: (------)", false}}) {
    const History history = FromLanes("c1:         A---a==R-r\n" + stall);
    const Evidence evidence(history);
    EXPECT_EQ(evidence.disturbed().DelayOf({.client = 1, .key = 0}, {0, 4'000'000}).has_value(),
              delays)
        << stall;
  }
}

TEST(Disturbed, AStallThatBeginsAfterTheLastRequestCostsNoPlace) {
  const History history = FromLanes(R"(
      c1:         A---t
      machine n1:        (------))");
  const Evidence evidence(history);
  EXPECT_TRUE(evidence.disturbed().MayCostPlace(1, {0, 7'000'000}));
  EXPECT_FALSE(evidence.disturbed().MayCostPlace(1, {0, 6'999'999}));
}

// The refusal may be due to another of the keys.
TEST(Disturbed, TheRefusalOfSeveralKeysDoesNotShowWhichWasTaken) {
  History history = FromLanes("c1: A-x");
  for (const auto& [keys, shows] : {std::pair{1, true}, {2, false}}) {
    history.events.at(0).value[1] = keys;
    const Evidence evidence(history);
    EXPECT_EQ(evidence.disturbed().ShowsTakenKey(evidence.calls().all.at(0)), shows) << keys;
  }
}

TEST(Disturbed, FaultsAreFoundByTimeAndByClientButNotOnTheStoreAlone) {
  Expect([](const Disturbed& d, const Span& when) { return d.FindFault(when).has_value(); },
         {{"pause c2", "   ===="}, {"flush n1", "   ===="}, {"pause n0", ""}});
  Expect(
      [](const Disturbed& d, const Span& when) { return d.FindDisturbanceOf(1, when).has_value(); },
      {{"pause c1", "   ===="},
       {"pause n1", "   ===="},
       {"jump c1", "   ===="},
       {"pause c2", ""},
       {"pause n0", ""}});
}

TEST(Disturbed, ALastingFaultThatBeganBeforeDoesNotExplainARefusal) {
  const auto refuses = [](const Disturbed& d, const Span& when) {
    return d.MayRefuseKey(0, {when.from_ns - 1'000'000, when.to_ns + 1}).has_value();
  };
  Expect(refuses, {{"pause n1", "   ===="},
                   {"mystery n1", "   ===="},
                   {"jump n1", "   ="},
                   {"crash n1", "   ="},
                   {"cut-replication n1", "   ="},
                   {"pause c1", ""},
                   {"pause n0", ""}});
}

TEST(Disturbed, AKilledServerDoesNotReturn) {
  Expect([](const Disturbed& d,
            const Span& when) { return d.FindServerKill(when.from_ns).has_value(); },
         {{"crash n1", "   =========="}, {"crash c1", ""}, {"crash n0", ""}, {"restart n1", ""}});
  Expect([](const Disturbed& d, const Span& when) { return d.FindKill(when.from_ns).has_value(); },
         {{"crash n1", "   =========="}, {"crash c1", "   =========="}, {"crash n0", ""}});
  Expect(
      [](const Disturbed& d, const Span& when) {
        return d.WasClientKilled(1, {when.from_ns, when.to_ns + 1});
      },
      {{"crash c1", "   ==="}, {"crash c2", ""}, {"crash n1", ""}, {"pause c1", ""}});
}

TEST(Disturbed, AKillAtTheStartOfTheRunCounts) {
  History history = FromLanes("c1:       A-a=R-r\ncrash c2: []");
  for (Event& event : history.events) {
    if (event.op == Op::kFault) event.at_ns = 0;
  }
  SortByTime(history.events);
  const Evidence evidence(history);
  EXPECT_TRUE(evidence.disturbed().FindKill(5'000'000));
}

TEST(Disturbed, NoRequestArrivesWhileAFaultActsOnTheClientOrAllLockServers) {
  const auto hides = [](const Disturbed& d, const Span& when) {
    return std::ranges::any_of(d.FindSpansWithoutRequests(1), [&](const Span& hidden) {
      return hidden.from_ns <= when.from_ns && when.from_ns <= hidden.to_ns;
    });
  };
  Expect(hides, {{"delay c1", "   ===="},
                 {"pause n1", "   ===="},
                 {"pause n1", "", {.nodes = 3}},
                 {"mystery c1", "   ===="},
                 {"crash n1", "   =========="},
                 {"crash c1", "   =========="},
                 {"delay c2", ""},
                 {"pause n0", ""},
                 {"jump n1", ""},
                 {"slow c1", ""}});
}

TEST(Disturbed, AKilledClientSendsNothingAfterATakeoverEither) {
  const History history = FromLanes(R"(
      c1:          A-a=R-r
      crash c1:         []
      promote n1:            [])");
  const Evidence evidence(history);
  EXPECT_EQ(evidence.disturbed().FindSpansWithoutRequests(1).back().to_ns, kForeverNs);
}

TEST(Disturbed, AFaultOfTheRefereeActsOnNoClient) {
  History history = FromLanes(R"(
      c1:          A-a=R-r
      crash n1:         []
      promote n1:            [])");
  for (Event& event : history.events) {
    if (event.op == Op::kFault) event.value[2] = kReferee;
  }
  const Evidence evidence(history);
  EXPECT_EQ(evidence.disturbed().FindSpansWithoutRequests(1).back().to_ns, 11'000'000);
}

// On three nodes, a majority answers without the stopped one.
TEST(Disturbed, AFreeLockMayBeRefusedUntilTheEndOfWhatKeepsTheAskerFromAMajority) {
  const auto disturbed = [](const Disturbed& d, const Span& when) {
    return d.Until({when.from_ns, when.to_ns + 1}, {.client = 1, .key = 0},
                   Disturbed::Which::kAll) > when.from_ns;
  };
  Expect(disturbed, {{"pause n1", "   ==="},
                     {"pause n1", "", {.nodes = 3}},
                     {"pause c1", "   ===", {.nodes = 3}},
                     {"crash n1", "   =========="},
                     {"crash n1", "", {.nodes = 3}},
                     {"drop c1", "   ==="}});
  const auto hindered = [](const Disturbed& d, const Span& when) {
    return d.Until({when.from_ns, when.to_ns + 1}, {.client = 1, .key = 0},
                   Disturbed::Which::kHinders) > when.from_ns;
  };
  Expect(hindered, {{"drop c1", ""}, {"partition c1", "   ==="}, {"delay c1", "   ==="}});
}

TEST(Disturbed, SomeFaultsMayBlockAKeyLongAfterTheirEnd) {
  const LaneOptions watchdog{.library = LibraryFact{"mylib", "1", {"lease", "watchdog"}, {}}};
  const LaneOptions queue{.lock = "redisson-fair"};
  const LaneOptions plain;
  for (const auto& [fault, options, lingers] :
       std::vector<std::tuple<std::string, LaneOptions, bool>>{
           {"jump n1:    [-]", plain, true},
           {"restart n1: [-]", plain, true},
           {"drop c1:    [-]", plain, false},
           {"drop c1:    [-]", queue, true},
           {"pause c1:   [-]", queue, false},
           {"pause c1:   [-]", watchdog, true},
           {"machine n1: (------)", watchdog, true},
           {"machine n0: (------)", watchdog, false}}) {
    const History history = FromLanes("c1:        A-a=====R-r\n" + fault, options);
    const Evidence evidence(history);
    const auto since_ns =
        evidence.disturbed().UndisturbedSince({8'000'000, 9'000'000}, {.client = 1, .key = 0});
    EXPECT_EQ(!since_ns.has_value(), lingers) << fault;
  }
}

TEST(Disturbed, ALostKeyOfAnotherLockLingersForNoOtherLock) {
  History history = FromLanes(R"(
      c1:         A-a=====R-r
      c1 item-1:  A-a=====R-r
      flush n1:       [-])",
                              {.lock = "redisson-fair"});
  history.facts.faults.at(0).key = history.facts.keys.at(1);
  const Evidence evidence(history);
  const auto lingers = [&](uint16_t key) {
    return !evidence.disturbed().UndisturbedSince({8'000'000, 9'000'000}, {1, key}).has_value();
  };
  EXPECT_FALSE(lingers(0));
  EXPECT_TRUE(lingers(1));
}

}  // namespace
}  // namespace doublehold
