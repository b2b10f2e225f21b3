#include "lib/sim/replica_log.h"

#include <algorithm>

namespace doublehold::sim {

void ReplicaLog::Note(MonoTime at, const RedisModel& node) {
  if (cut_) return;
  while (kept_.size() > 1 && kept_[1].first + lag_ + kLateBy <= at) kept_.erase(kept_.begin());
  kept_.emplace_back(at, node);
}

// Returns the replicas' data at `now`. An update that was sent before the cut still arrives.
const RedisModel& ReplicaLog::At(MonoTime now) const {
  size_t last = 0;
  while (last + 1 < kept_.size() && kept_[last + 1].first + lag_ <= now) ++last;
  return kept_[last].second;
}

const RedisModel& ReplicaLog::LateAt(MonoTime now) const {
  return At(std::min(now, std::max(now - kLateBy, confirmed_)));
}

void ReplicaLog::MixState(StateDigest& digest) const {
  digest.Mix(confirmed_);
  digest.Mix(cut_.value_or(MonoTime::max()));
  digest.Mix(kept_.size());
  for (const auto& [at, node] : kept_) {
    digest.Mix(at);
    node.MixState(digest, /*now_ms=*/0);
  }
}

}  // namespace doublehold::sim
