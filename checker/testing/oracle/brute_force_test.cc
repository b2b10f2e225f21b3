// The one-pass overlap checks against two slow and obvious ones, on thousands of small random
// histories.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "checker/claims/lock/exclusion.h"
#include "checker/evidence/holds.h"
#include "checker/evidence/overlaps.h"
#include "lib/base/prng.h"
#include "lib/testing/trials.h"

namespace doublehold {
namespace {

constexpr int64_t kEver = 1'000;

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

// An operation of a mutex with owners: it takes effect at some instant between its call and return.
struct Step {
  bool acquire = false;
  int32_t owner = 0;
  int64_t called_ns = 0;
  int64_t returned_ns = kEver;
  int sequence = 0;  // within its owner
};

// Straight from the events, with nothing that the checker under test does: an acquire that was
// granted, a release (which frees the lock at its call or whenever later). A hold that is never
// released is freed by its lease at any time after the last thing that its client did in it.
std::vector<Step> StepsOf(const History& history, uint16_t key) {
  std::vector<Step> steps;
  std::map<int32_t, int> sequence;
  const auto& events = history.events;
  for (size_t granted = 0; granted < events.size(); ++granted) {
    const Event& ok = events[granted];
    if (ok.op != Op::kAcquire || ok.type != EventType::kOk || ok.key != key) continue;
    Step acquire{.acquire = true, .owner = ok.client, .returned_ns = ok.at_ns};
    Step release{.owner = ok.client, .called_ns = ok.at_ns};
    for (size_t i = 0; i < granted; ++i) {  // its call is the last before it
      const Event& e = events[i];
      if (e.client == ok.client && e.op == Op::kAcquire && e.type == EventType::kInvoke) {
        acquire.called_ns = e.at_ns;
      }
    }
    for (size_t i = granted + 1; i < events.size(); ++i) {
      const Event& e = events[i];
      if (e.client != ok.client) continue;
      const bool anew = e.op == Op::kAcquire && e.key == key && e.type == EventType::kInvoke;
      if (anew) break;
      release.called_ns = e.at_ns;
      if (e.op == Op::kRelease && e.hold == ok.hold) break;
    }
    for (const Event& e : events) {
      if (e.op == Op::kRelease && e.hold == ok.hold && e.type != EventType::kInvoke &&
          e.type != EventType::kInfo) {
        release.returned_ns = e.at_ns;
      }
    }
    acquire.sequence = sequence[ok.client]++;
    release.sequence = sequence[ok.client]++;
    steps.push_back(acquire);
    steps.push_back(release);
  }
  return steps;
}

// Wing and Gong's search: is there an order of the steps, each within its call and return, in which
// only a free lock is granted?
class Search {
 public:
  explicit Search(std::vector<Step> steps) : steps_(std::move(steps)) {}

  bool Linearizable() { return From(0, 0); }

 private:
  bool From(uint32_t done, int32_t holder) {
    if (done + 1 == 1U << steps_.size()) return true;
    if (!seen_.insert({done, holder}).second) return false;
    for (size_t i = 0; i < steps_.size(); ++i) {
      const Step& step = steps_[i];
      if ((done >> i & 1U) != 0 || !MayBeNext(done, i)) continue;
      if (step.acquire && holder != 0) continue;
      if (!step.acquire && holder != step.owner) continue;
      if (From(done | 1U << i, step.acquire ? step.owner : 0)) return true;
    }
    return false;
  }

  // No step that is still to come returned before this one was called, or precedes it in its
  // client.
  bool MayBeNext(uint32_t done, size_t next) {
    for (size_t i = 0; i < steps_.size(); ++i) {
      if (i == next || (done >> i & 1U) != 0) continue;
      if (steps_[i].returned_ns < steps_[next].called_ns) return false;
      if (steps_[i].owner == steps_[next].owner && steps_[i].sequence < steps_[next].sequence) {
        return false;
      }
    }
    return true;
  }

  std::vector<Step> steps_;
  std::set<std::pair<uint32_t, int32_t>> seen_;
};

TEST(BruteForce, ExclusionIsViolatedExactlyWhenNoOrderOfTheOperationsFitsAMutex) {
  Prng prng(3, "orders");
  int64_t violated = 0;
  const int64_t rounds = NumTrials(10'000);
  for (int64_t round = 0; round < rounds; ++round) {
    const History history = AnyHistoryBruteForce(prng);
    const Holds holds = ExtractHolds(history);
    bool fits = true;
    for (const uint16_t key : {uint16_t{0}, uint16_t{1}}) {
      fits = fits && Search(StepsOf(history, key)).Linearizable();
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
