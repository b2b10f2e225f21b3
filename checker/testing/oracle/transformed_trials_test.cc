// Judges random runs, and the same runs told otherwise: renamed, later, slower, side by side, and
// cut short. No verdict may change, except that a run cut short may prove less.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "checker/evidence/evidence.h"
#include "checker/testing/oracle/claim_trials.h"
#include "checker/verdict/checker.h"
#include "lib/history/history.h"
#include "lib/testing/trials.h"

namespace doublehold::brute {

void PrintTo(const ClaimTrials& trials, std::ostream* out);

namespace {

constexpr std::array<std::string_view, 17> kKinds{
    "pause",     "crash", "slow",  "delay", "hold",    "stall",   "drop",  "duplicate", "reset",
    "partition", "jump",  "drift", "flush", "restart", "promote", "evict", "no such"};

// Adds up to two fault episodes to a run, and at times a stall of the machine. `shared`: they act
// on the lock server.
void Disturb(const Dice& dice, bool shared, History& history) {
  const int64_t end_ns = history.events.empty() ? 1 : history.events.back().at_ns + 1;
  for (int64_t n = dice.Below(3); n > 0; --n) {
    const int32_t client = shared || dice.Chance(40) ? -1 : static_cast<int32_t>(dice.Below(3)) + 1;
    const int32_t node = client > 0 ? -1 : 1;
    std::string kind(kKinds[static_cast<size_t>(dice.Below(kKinds.size()))]);
    if (kind == "crash" && client > 0) kind = "pause";  // its client goes on
    Event event{.at_ns = dice.Below(end_ns), .client = kSupervisor, .op = Op::kFault};
    event.value = {static_cast<int64_t>(history.facts.faults.size()), 1, client, node};
    history.facts.faults.push_back({.name = kind + std::to_string(n), .kind = kind, .what = kind});
    history.events.push_back(event);
    event.at_ns += dice.Below(12);
    event.type = EventType::kOk;
    if (dice.Chance(80)) history.events.push_back(event);
  }
  if (dice.Chance(20)) {
    Event stall{.at_ns = dice.Below(end_ns), .client = kSupervisor, .op = Op::kStall};
    stall.type = EventType::kInfo;
    stall.value[0] = dice.Below(stall.at_ns + 1);
    history.events.push_back(stall);
  }
  SortByTime(history.events);
}

History DrawRun(const ClaimTrials& row, const Dice& dice, bool shared) {
  History history = RandomRun(dice, row.options(dice));
  // Every run begins with an event of its own: a stall of no length.
  history.events.insert(history.events.begin(),
                        {.client = kSupervisor, .op = Op::kStall, .type = EventType::kInfo});
  if (dice.Chance(60)) Disturb(dice, shared, history);
  return history;
}

Outcome JudgeClaim(std::string_view claim, const History& history) {
  return std::ranges::find(Checkers(), claim, &CheckerEntry::claim)->check(history, {}).outcome;
}

bool IsTime(const Event& event) {  // whether value[0] counts from the start of the run
  const bool granted = event.op == Op::kAcquire || event.op == Op::kExtend;
  return (granted && event.type == EventType::kOk) || event.op == Op::kLostNotification;
}

History Later(History history, int64_t by_ns) {
  for (Event& event : history.events) {
    event.at_ns += by_ns;
    if (IsTime(event) && event.value[0] < kMostValue) event.value[0] += by_ns;
  }
  return history;
}

History Slower(History history, int64_t times) {
  history.facts.lease *= times;
  history.facts.grace *= times;
  for (Event& event : history.events) {
    event.at_ns *= times;
    const bool grants = event.op == Op::kAcquire || event.op == Op::kExtend;
    const bool lasts = event.op == Op::kStall || event.op == Op::kProbe;
    if ((grants || lasts || IsTime(event)) && event.value[0] < kMostValue) event.value[0] *= times;
  }
  return history;
}

// Exchanges clients 1 and 3, and numbers the holds anew.
History Renamed(History history) {
  const auto rename = [](auto client) { return client == 1 || client == 3 ? 4 - client : client; };
  for (Event& event : history.events) {
    if (event.client > 0) event.client = rename(event.client);
    if (event.op == Op::kFault && event.value[2] > 0) event.value[2] = rename(event.value[2]);
    if (event.hold != 0) event.hold = 1'000'000 - event.hold;
  }
  return history;
}

// Puts another run beside this one, on keys and of clients of its own. The faults act on both.
History Beside(History history, const History& other) {
  constexpr int32_t kClients = 10;
  constexpr uint64_t kHolds = 1'000'000;
  const auto keys = static_cast<uint16_t>(history.facts.keys.size());
  history.facts.clients = 2 * kClients;
  for (const std::string& key : other.facts.keys) history.facts.keys.push_back("other-" + key);
  for (Event event : other.events) {
    if (event.op == Op::kFault || event.op == Op::kStall) continue;
    if (event.client > 0) event.client += kClients;
    if (event.hold != 0) event.hold += kHolds;
    event.key += keys;
    history.events.push_back(event);
  }
  SortByTime(history.events);
  return history;
}

bool ShowsReleases(const History& history) {
  return std::ranges::any_of(history.events, [](const Event& event) {
    return event.op == Op::kRelease && event.type == EventType::kOk;
  });
}

class TransformedRuns : public ::testing::TestWithParam<ClaimTrials> {
 protected:
  void ForEachRun(bool shared, const std::function<void(const Dice&, const History&)>& test) const {
    Prng prng(static_cast<uint64_t>(TrialSetting("DOUBLEHOLD_SEED", 20261129)), GetParam().claim);
    const Dice dice{prng};
    const int64_t runs = TrialSetting("DOUBLEHOLD_TRIALS", NumTrials(3'000));
    for (int64_t i = 0; i < runs && !HasFailure(); ++i)
      test(dice, DrawRun(GetParam(), dice, shared));
  }
  static void ExpectSame(const History& history, const History& transformed) {
    const Outcome before = JudgeClaim(GetParam().claim, history);
    ASSERT_EQ(JudgeClaim(GetParam().claim, transformed), before)
        << AsJsonl(history) << "\ntransformed:\n"
        << AsJsonl(transformed);
  }
};

TEST_P(TransformedRuns, ALaterRunHasTheSameVerdict) {
  if (GetParam().claim == "availability") GTEST_SKIP() << "keys are free from time 0 on";
  ForEachRun(false, [&](const Dice& dice, const History& history) {
    ExpectSame(history, Later(history, 1 + dice.Below(1'000)));
  });
}

TEST_P(TransformedRuns, ARunOfTwoOrThreeTimesTheLengthHasTheSameVerdict) {
  ForEachRun(false, [&](const Dice& dice, const History& history) {
    ExpectSame(history, Slower(history, 2 + dice.Below(2)));
  });
}

TEST_P(TransformedRuns, ARunWithOtherNamesHasTheSameVerdict) {
  ForEachRun(false,
             [&](const Dice&, const History& history) { ExpectSame(history, Renamed(history)); });
}

TEST_P(TransformedRuns, WhatAPrefixProvesTheRunProves) {
  ForEachRun(false, [&](const Dice& dice, const History& history) {
    if (history.events.empty()) return;
    History prefix = history;
    const int64_t until_ns = dice.Below(history.events.back().at_ns + 1);
    // A stall is recorded at its end.
    std::erase_if(prefix.events, [&](const Event& event) {
      return event.at_ns > until_ns && event.op != Op::kStall;
    });
    if (JudgeClaim(GetParam().claim, prefix) != Outcome::kViolated) return;
    ASSERT_EQ(JudgeClaim(GetParam().claim, history), Outcome::kViolated)
        << AsJsonl(history) << "\nuntil " << until_ns << ": violated";
  });
}

TEST_P(TransformedRuns, TwoRunsSideBySideAreViolatedIfOneOfThemIs) {
  if (GetParam().claim == "exactly-once") GTEST_SKIP() << "the tasks of both would be the same";
  ForEachRun(true, [&](const Dice& dice, const History& history) {
    History other = RandomRun(dice, GetParam().options(dice));
    other.facts = history.facts;
    const History alone = [&] {
      History with_faults = history;
      std::erase_if(with_faults.events, [](const Event& event) {
        return event.op != Op::kFault && event.op != Op::kStall;
      });
      with_faults.events.insert(with_faults.events.end(), other.events.begin(), other.events.end());
      SortByTime(with_faults.events);
      return with_faults;
    }();
    const bool violated = JudgeClaim(GetParam().claim, history) == Outcome::kViolated ||
                          JudgeClaim(GetParam().claim, alone) == Outcome::kViolated;
    const History both = Beside(history, other);
    const bool both_violated = JudgeClaim(GetParam().claim, both) == Outcome::kViolated;
    // One run may show whether the releases of the lock check the owner, also those of the other.
    if (!violated && !(ShowsReleases(history) && ShowsReleases(alone))) return;
    ASSERT_EQ(both_violated, violated) << AsJsonl(both);
  });
}

INSTANTIATE_TEST_SUITE_P(EveryClaim, TransformedRuns, ::testing::ValuesIn(AllClaimTrials()),
                         [](const auto& info) {
                           std::string name(info.param.claim);
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace doublehold::brute
