#include "lib/sim/replica_log.h"

namespace doublehold::sim {

void ReplicaLog::Note(MonoTime at, const RedisModel& node) {
  if (cut_) return;
  while (kept_.size() > 1 && kept_[1].first + lag_ + kLateBy <= at) kept_.erase(kept_.begin());
  kept_.emplace_back(at, node);
}

// An update that was sent before the cut still arrives.
const RedisModel& ReplicaLog::Promote(MonoTime at) {
  while (kept_.size() > 1 && kept_.back().first + lag_ > at) kept_.pop_back();
  cut_.reset();
  return kept_.back().second;
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
