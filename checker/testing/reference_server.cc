#include "checker/testing/reference_server.h"

#include <utility>

namespace doublehold {

std::optional<int64_t> TrueServer::Acquire(const Asked& asked, int64_t now_ns) {
  std::erase_if(holders_, [now_ns](const Holder& holder) { return holder.until_ns <= now_ns; });
  if (options_.defect == Defect::kLosesTokens && prng_.Below(8) == 0) token_ = 0;
  if (options_.defect == Defect::kNoLock) return ++token_;
  const auto own = Own(asked);
  if (options_.reentrant && own != holders_.end() && own->shared == asked.shared) {
    own->until_ns = now_ns + lease_ns_;
    ++own->count;
    return token_;
  }
  const bool free = std::ranges::all_of(
      holders_, [&](const Holder& holder) { return holder.shared && asked.shared; });
  const bool queued = options_.fair && options_.defect != Defect::kNoQueue;
  const auto place = std::ranges::find(queue_, asked.client);
  const bool turn = !queued || queue_.empty() || queue_.front() == asked.client;
  if (!free || !turn) {
    if (queued && place == queue_.end()) queue_.push_back(asked.client);
    return std::nullopt;
  }
  if (place != queue_.end()) queue_.erase(place);
  const bool twice = options_.defect == Defect::kCountsTwice && prng_.Below(3) == 0;
  holders_.push_back({.client = asked.client,
                      .hold = asked.hold,
                      .shared = asked.shared,
                      .count = twice ? 2 : 1,
                      .until_ns = now_ns + lease_ns_});
  return ++token_;
}

bool TrueServer::Release(const Asked& asked, int64_t now_ns) {
  if (options_.defect == Defect::kNoLock) return true;
  std::erase_if(holders_, [now_ns](const Holder& holder) { return holder.until_ns <= now_ns; });
  if (Unchecked()) return !std::exchange(holders_, {}).empty();
  const auto own = Own(asked);
  if (own == holders_.end()) return false;
  if (--own->count == 0 || options_.defect == Defect::kInnerExitFrees) holders_.erase(own);
  return true;
}

std::vector<TrueServer::Holder>::iterator TrueServer::Own(const Asked& asked) {
  return std::ranges::find_if(holders_, [&](const Holder& holder) {
    return options_.reentrant ? holder.client == asked.client : holder.hold == asked.hold;
  });
}

}  // namespace doublehold
