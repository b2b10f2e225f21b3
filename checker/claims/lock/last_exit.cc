#include "checker/claims/lock/last_exit.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "checker/evidence/traits.h"

namespace doublehold {
namespace {

// Whether a lock may refuse a free key because of another waiter: a fair lock has a queue, and an
// attempt at several nodes or keys may hold the key until it is refused. The history does not
// describe the lock of a library.
bool MayRefuseFreeKey(const RunFacts& facts) {
  return MayHaveQueue(facts) || LockHas(facts, LockTrait::kMajority) ||
         LockHas(facts, LockTrait::kManyKeys);
}

// How much a refusal proves: nothing unless the gap lasted for a lease or longer, a likely
// violation, or a certain one.
enum class Proof : uint8_t { kIfLong, kLikely, kCertain };

// The free times of one key, and the releases that left it free.
class GapSearch {
 public:
  GapSearch(const Evidence& evidence, uint16_t key)
      : evidence_(evidence),
        all_(evidence.possessions().at(key).all()),
        waits_(evidence.waits().at(key)),
        copies_(evidence.second_copies().at(key)),
        certain_(FindFreeIntervals(evidence, key, Free::kCertainly)),
        likely_(FindFreeIntervals(evidence, key, Free::kPerhaps)) {
    for (const Call& call : evidence.calls().all) {
      if (call.key != key || call.op != Op::kRelease || call.outcome == EventType::kInfo) continue;
      exits_.push_back(&call);
    }
    std::ranges::stable_sort(exits_, {}, &Call::to_ns);
  }

  // Requires the refusals in the order of their answers.
  void Add(const Call& refused) {
    const FreeInterval* gap = FindAround(likely_, refused);
    if (gap == nullptr) return;
    const FreeInterval* certain = FindAround(certain_, refused);
    // A certain gap must have begun with the exit. The lease of the hold may have ended before.
    const Call* exit = certain == nullptr || certain->last == nullptr
                           ? nullptr
                           : evidence_.calls().ReleaseOf(certain->last->acquire->hold);
    const bool by_exit = exit != nullptr;
    if (!by_exit) exit = LastExit(refused.from_ns);
    if (exit == nullptr || !Before(exit->to_ns, refused.from_ns)) return;
    // An acquire after the exit may have been granted.
    const auto next = NextPossession(*gap);
    if (next != all_.begin() && Before(exit->to_ns, std::prev(next)->may.from_ns)) return;
    if (gap != gap_) Finish();
    gap_ = gap;
    Compare(refused, *exit, by_exit);
  }

  // Reports the refusal that proves most, unless the gap was too short for it.
  void Finish() {
    if (best_) {
      const auto next = NextPossession(*gap_);
      const bool granted = next != all_.end() && next->acquire->Ok();
      const int64_t until_ns = std::min(granted ? next->acquire->to_ns : gap_->when.to_ns,
                                        evidence_.history().events.back().at_ns);
      const bool is_long = until_ns - best_->last_exit->to_ns >= ToNs(evidence_.facts().lease);
      if (proof_ != Proof::kIfLong || is_long) found_.push_back(*best_);
    }
    best_.reset();
    refused_.clear();
  }

  std::vector<Refusal> Found() && { return std::move(found_); }

 private:
  void Compare(const Call& refused, const Call& exit, bool certainly_free) {
    Refusal refusal{.refused = &refused, .last_exit = &exit};
    Proof proof = Proof::kCertain;
    const auto doubt = [&](std::string_view why, Proof by = Proof::kIfLong) {
      refusal.doubt = why;
      proof = by;
    };
    refused_.insert(refused.session);
    if (evidence_.disturbed().MayReturnKeys({0, refused.to_ns}))
      doubt("a server had returned with older data", Proof::kLikely);
    const Span answer{refused.to_ns, refused.to_ns};
    if (MayRefuseFreeKey(evidence_.facts()) && waits_.MeetsOther(refused.session, answer)) {
      if (waits_.MeetsOnly(refused_, answer))
        doubt("the first in a queue had lost its place", Proof::kLikely);
      else
        doubt("another session was ahead in a queue");
    }
    if (copies_.Meets({refused.from_ns, refused.to_ns})) doubt("an acquire was carried out twice");
    if (!certainly_free) doubt("a hold without a known end still kept the key");
    if (best_ && proof_ >= proof) return;
    best_ = refusal;
    proof_ = proof;
  }

  // Returns the free interval in which the call was refused; null if there is none.
  static const FreeInterval* FindAround(const std::vector<FreeInterval>& free,
                                        const Call& refused) {
    const auto after = std::ranges::lower_bound(
        free, refused.from_ns, {}, [](const FreeInterval& each) { return each.when.from_ns; });
    if (after == free.begin()) return nullptr;
    const FreeInterval& found = *std::prev(after);
    return Before(refused.to_ns, found.when.to_ns) ? &found : nullptr;
  }

  // Returns the last release that was answered by `at_ns`; null if there is none.
  [[nodiscard]] const Call* LastExit(int64_t at_ns) const {
    const auto after = std::ranges::upper_bound(exits_, at_ns, {}, &Call::to_ns);
    return after == exits_.begin() ? nullptr : *std::prev(after);
  }

  // Returns the possession that ends the gap.
  [[nodiscard]] std::vector<Possession>::const_iterator NextPossession(
      const FreeInterval& gap) const {
    return std::ranges::lower_bound(all_, gap.when.to_ns, {},
                                    [](const Possession& each) { return each.may.from_ns; });
  }

  const Evidence& evidence_;
  const std::vector<Possession>& all_;
  const KeyTimeline& waits_;
  const KeyTimeline& copies_;
  const std::vector<FreeInterval> certain_, likely_;
  std::vector<const Call*> exits_;  // by answer
  const FreeInterval* gap_ = nullptr;
  std::set<SessionId> refused_;  // sessions that were refused in the gap
  std::optional<Refusal> best_;
  Proof proof_ = Proof::kIfLong;
  std::vector<Refusal> found_;
};

}  // namespace

std::vector<Refusal> FindRefusalsOfFreeKey(const Evidence& evidence, uint16_t key) {
  std::vector<const Call*> refusals;
  for (const Call& call : evidence.calls().all) {
    const bool refused =
        call.key == key && call.op == Op::kAcquire && call.outcome == EventType::kFail;
    // Another of several keys may have been the taken one.
    if (refused && HasRetryHint(call) && !call.AsksForSeveralKeys()) refusals.push_back(&call);
  }
  if (refusals.empty()) return {};
  std::ranges::stable_sort(refusals, {}, &Call::to_ns);
  GapSearch search(evidence, key);
  for (const Call* refused : refusals) search.Add(*refused);
  search.Finish();
  return std::move(search).Found();
}

}  // namespace doublehold
