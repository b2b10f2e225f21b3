// The one-pass overlap checks against two slow and obvious ones, on thousands of small random
// histories.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "checker/claims/lock/exclusion.h"
#include "checker/evidence/holds.h"
#include "checker/evidence/overlaps.h"
#include "checker/testing/oracle/orders.h"
#include "lib/base/prng.h"
#include "lib/testing/trials.h"

namespace doublehold {
namespace {

// Each client acquires, perhaps extends, and releases, at random and often equal times. About half
// of the histories have no overlap.
History AnyHistoryBruteForce(Prng& prng) {
  History history{.facts = {.lease = Duration(5), .keys = {"a", "b"}}, .events = {}};
  const auto clients = static_cast<int32_t>(2 + prng.Below(3));
  history.facts.clients = clients;
  const uint64_t stretch = 1 + prng.Below(24);
  uint64_t hold = 0;
  for (int32_t client = 1; client <= clients; ++client) {
    auto at_ns = static_cast<int64_t>(prng.Below(3 * stretch));
    const auto record = [&](Op op, EventType type, uint16_t key, uint64_t which, int64_t value) {
      history.events.push_back({.at_ns = at_ns,
                                .hold = which,
                                .client = client,
                                .key = key,
                                .op = op,
                                .type = type,
                                .value = {value}});
      at_ns += static_cast<int64_t>(prng.Below(3));
    };
    for (uint64_t cycles = 1 + prng.Below(3); cycles > 0; --cycles) {
      const auto key = static_cast<uint16_t>(prng.Below(8) == 0 ? 1 : 0);
      record(Op::kAcquire, EventType::kInvoke, key, 0, 5);
      const uint64_t outcome = prng.Below(8);
      if (outcome == 0) {
        record(Op::kAcquire, EventType::kFail, key, 0, 0);
        continue;
      }
      ++hold;
      if (outcome == 1) {
        record(Op::kAcquire, EventType::kInfo, key, hold, 0);
      } else {
        record(Op::kAcquire, EventType::kOk, key, hold,
               at_ns + static_cast<int64_t>(prng.Below(6)));
        if (prng.Below(3) == 0) record(Op::kRead, EventType::kOk, key, hold, 1);
        if (prng.Below(4) == 0) {
          record(Op::kExtend, EventType::kInvoke, key, hold, 5);
          record(Op::kExtend, prng.Below(3) == 0 ? EventType::kFail : EventType::kOk, key, hold,
                 at_ns + static_cast<int64_t>(prng.Below(6)));
        }
      }
      if (prng.Below(10) == 0) continue;  // never released
      record(Op::kRelease, EventType::kInvoke, key, hold, 0);
      if (prng.Below(6) != 0) {
        record(Op::kRelease, static_cast<EventType>(1 + prng.Below(3)), key, hold, 0);
      }
      at_ns += static_cast<int64_t>(prng.Below(stretch));
    }
  }
  SortByTime(history.events);
  return history;
}

// Of a hold, where this part of it is: the last two of what is promised may be one.
std::vector<Span> SpansOf(const Hold& hold, Part part) {
  if (part == Part::kCore) return {hold.core};
  std::vector<Span> spans = hold.live;
  if (part == Part::kLive || hold.promised.empty()) return spans;
  spans.insert(spans.end(), hold.promised.begin(), hold.promised.end());
  const Span& first = hold.promised.front();
  if (!hold.live.empty() && hold.live.back().to_ns == first.from_ns)
    spans.push_back({hold.live.back().from_ns, first.to_ns});
  return spans;
}

// By definition: every pair.
int64_t CountByPairs(const Holds& holds, Part part) {
  int64_t count = 0;
  for (size_t j = 0; j < holds.all.size(); ++j) {
    bool overlaps = false;
    for (size_t i = 0; i < j; ++i) {
      const Hold& a = holds.all[i];
      const Hold& b = holds.all[j];
      if (a.key != b.key || a.client == b.client) continue;
      for (const Span& x : SpansOf(a, part)) {
        for (const Span& y : SpansOf(b, part)) overlaps |= Overlap(x, y);
      }
    }
    if (overlaps) ++count;
  }
  return count;
}

TEST(BruteForce, ThePassOverHoldsAgreesWithEveryPairOfThem) {
  Prng prng(1, "pairs");
  int64_t overlapping = 0;
  const int64_t rounds = NumTrials(20'000);
  for (int64_t round = 0; round < rounds; ++round) {
    const History history = AnyHistoryBruteForce(prng);
    const Holds holds = ExtractHolds(history);
    ASSERT_FALSE(holds.broken.has_value()) << *holds.broken;
    for (const Part part : {Part::kCore, Part::kLive, Part::kPromised}) {
      const auto found = static_cast<int64_t>(FindOverlaps(holds, part).size());
      ASSERT_EQ(found, CountByPairs(holds, part)) << "round " << round;
      overlapping += found > 0 ? 1 : 0;
    }
  }
  EXPECT_GT(overlapping, rounds / 4);
  EXPECT_LT(overlapping, rounds * 5 / 2);
}

TEST(BruteForce, TheClaimIsViolatedExactlyWhenAPairOverlaps) {
  Prng prng(2, "claims");
  const int64_t rounds = NumTrials(5'000);
  for (int64_t round = 0; round < rounds; ++round) {
    const History history = AnyHistoryBruteForce(prng);
    const Holds holds = ExtractHolds(history);
    ASSERT_EQ(CheckExclusion(history, {}).outcome == Outcome::kViolated,
              CountByPairs(holds, Part::kCore) > 0);
    ASSERT_EQ(CheckLeaseExclusion(history, {}).outcome == Outcome::kViolated,
              CountByPairs(holds, Part::kPromised) > 0);
  }
}

// Of a mutex with owners.
struct MutexStep {
  brute::Step time;
  int32_t owner = 0;
  bool acquires = false;
};

// Straight from the events, with nothing that the checker under test does: an acquire that was
// granted, a release (which frees the lock at its call or whenever later). A hold that is never
// released is freed by its lease at any time after the last thing that its client did in it.
std::vector<MutexStep> StepsOf(const History& history, uint16_t key) {
  std::vector<MutexStep> steps;
  std::map<int32_t, int> last;  // of each client, from 1 on
  const auto& events = history.events;
  for (size_t granted = 0; granted < events.size(); ++granted) {
    const Event& ok = events[granted];
    if (ok.op != Op::kAcquire || ok.type != EventType::kOk || ok.key != key) continue;
    brute::Step acquire{.to = ok.at_ns, .after = last[ok.client] - 1};
    brute::Step release{.from = ok.at_ns, .after = static_cast<int>(steps.size())};
    for (size_t i = 0; i < granted; ++i) {  // its call is the last before it
      const Event& e = events[i];
      if (e.client == ok.client && e.op == Op::kAcquire && e.type == EventType::kInvoke) {
        acquire.from = e.at_ns;
      }
    }
    for (size_t i = granted + 1; i < events.size(); ++i) {
      const Event& e = events[i];
      if (e.client != ok.client) continue;
      const bool anew = e.op == Op::kAcquire && e.key == key && e.type == EventType::kInvoke;
      if (anew) break;
      release.from = e.at_ns;
      if (e.op == Op::kRelease && e.hold == ok.hold) break;
    }
    for (const Event& e : events) {
      if (e.op == Op::kRelease && e.hold == ok.hold && e.type != EventType::kInvoke &&
          e.type != EventType::kInfo) {
        release.to = e.at_ns;
      }
    }
    steps.push_back({acquire, ok.client, true});
    steps.push_back({release, ok.client, false});
    last[ok.client] = static_cast<int>(steps.size());
  }
  return steps;
}

// Is there an order of the steps, each within its call and return, in which only a free lock is
// granted?
bool FitsMutex(const std::vector<MutexStep>& steps) {
  std::vector<brute::Step> times;
  for (const MutexStep& step : steps) times.push_back(step.time);
  return brute::SomeOrder(times, int32_t{0}, [&](int32_t holder, size_t step) {
    const auto& [time, owner, acquires] = steps[step];
    return brute::OnlyIf(holder == (acquires ? 0 : owner), acquires ? owner : 0);
  });
}

TEST(BruteForce, ExclusionIsViolatedExactlyWhenNoOrderOfTheOperationsFitsAMutex) {
  Prng prng(3, "orders");
  int64_t violated = 0;
  const int64_t rounds = NumTrials(10'000);
  for (int64_t round = 0; round < rounds; ++round) {
    const History history = AnyHistoryBruteForce(prng);
    const Holds holds = ExtractHolds(history);
    bool fits = true;
    for (const uint16_t key : {uint16_t{0}, uint16_t{1}}) {
      fits = fits && FitsMutex(StepsOf(history, key));
    }
    const bool overlap = !FindOverlaps(holds, Part::kCore).empty();
    ASSERT_EQ(overlap, !fits) << "round " << round;
    violated += overlap ? 1 : 0;
  }
  EXPECT_GT(violated, rounds / 4);
  EXPECT_LT(violated, rounds * 3 / 4);
}

}  // namespace
}  // namespace doublehold
