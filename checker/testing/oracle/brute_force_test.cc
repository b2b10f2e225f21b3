// Compares FindOverlaps, which takes one pass, with a slow check of every pair of holds, on random
// histories.

#include <gtest/gtest.h>

#include <map>
#include <ranges>
#include <vector>

#include "checker/claims/lock/exclusion.h"
#include "checker/evidence/overlaps.h"
#include "checker/testing/oracle/claim_trials.h"
#include "lib/testing/trials.h"

namespace doublehold::brute {
namespace {

// Returns the spans of this part of a hold. If the last live span ends where the first promised
// span begins, also returns their union. Reason: an empty span at that border overlaps the union,
// but neither of the two spans.
std::vector<Span> ListSpans(const Hold& hold, Part part) {
  if (part == Part::kCore) return {hold.core};
  std::vector<Span> spans = hold.live;
  if (part == Part::kLive || hold.promised.empty()) return spans;
  spans.insert(spans.end(), hold.promised.begin(), hold.promised.end());
  const Span& first = hold.promised.front();
  if (!hold.live.empty() && hold.live.back().to_ns == first.from_ns)
    spans.push_back({hold.live.back().from_ns, first.to_ns});
  return spans;
}

// Counts the holds that overlap an earlier hold of the same key and another client. Two shared
// holds may overlap.
int64_t CountOverlappingHolds(const Holds& holds, Part part) {
  int64_t count = 0;
  for (size_t j = 0; j < holds.all.size(); ++j) {
    bool overlaps = false;
    for (size_t i = 0; i < j; ++i) {
      const Hold& a = holds.all[i];
      const Hold& b = holds.all[j];
      if (a.key != b.key || a.client == b.client || (a.shared && b.shared)) continue;
      for (const Span& x : ListSpans(a, part)) {
        for (const Span& y : ListSpans(b, part)) overlaps |= Overlap(x, y);
      }
    }
    if (overlaps) ++count;
  }
  return count;
}

// Moves some holds to key 1, with the invocations of their acquires, which have no hold yet.
void MoveHoldsToSecondKey(History& history) {
  std::map<SessionId, uint16_t> next;  // key of the session's next acquire that was answered
  for (Event& event : std::views::reverse(history.events)) {
    uint16_t& answered = next[SessionOf(event)];
    const bool asks = event.op == Op::kAcquire && event.type == EventType::kInvoke;
    event.key = asks ? answered : event.hold % 8 == 1 ? 1 : 0;
    if (event.op == Op::kAcquire && !asks) answered = event.key;
  }
}

TEST(BruteForce, FindOverlapsAgreesWithACheckOfEveryPair) {
  Prng prng(1, "pairs");
  const Dice dice{prng};
  const ClaimTrials exclusion = ExclusionTrials().front();
  int64_t overlapping = 0;
  const int64_t rounds = NumTrials(20'000);
  for (int64_t round = 0; round < rounds; ++round) {
    History history = RandomRun(dice, exclusion.options(dice));
    history.facts.keys.emplace_back("b");
    MoveHoldsToSecondKey(history);
    const Evidence evidence(history);
    const Holds& holds = evidence.holds();
    ASSERT_FALSE(holds.broken.has_value()) << *holds.broken;
    for (const Part part : {Part::kCore, Part::kLive, Part::kPromised}) {
      const int64_t count = CountOverlappingHolds(holds, part);
      ASSERT_EQ(static_cast<int64_t>(FindOverlaps(holds, part).size()), count) << round;
      overlapping += count > 0 ? 1 : 0;
      if (part == Part::kLive) continue;
      const auto check = part == Part::kCore ? CheckExclusion : CheckLeaseExclusion;
      ASSERT_EQ(check(evidence, {}).outcome == Outcome::kViolated, count > 0) << round;
    }
  }
  EXPECT_GT(overlapping, rounds / 4);
  EXPECT_LT(overlapping, rounds * 5 / 2);
}

}  // namespace
}  // namespace doublehold::brute
