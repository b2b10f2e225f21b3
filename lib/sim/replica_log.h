// The data that the replicas of a simulated node have.
#ifndef DOUBLEHOLD_LIB_SIM_REPLICA_LOG_H_
#define DOUBLEHOLD_LIB_SIM_REPLICA_LOG_H_

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "lib/base/fault_forms.h"
#include "lib/base/time.h"
#include "lib/sim/redis/redis_model.h"

namespace doublehold::sim {

// All replicas have the same data: the node's state `lag` ago. Once replication is cut, they keep
// the state that was sent before the cut. The log copies the node at each command of the last lag
// and kLateBy, so it suits worlds with few commands.
class ReplicaLog {
 public:
  // The replicas begin with the node's data.
  ReplicaLog(const RedisModel& node, Duration lag) : lag_(lag) { kept_.push_back({{}, node}); }

  // Records the node's state after a command at `at`.
  void Note(MonoTime at, const RedisModel& node);
  // Cuts replication. Updates sent before `at` still arrive. A second call has no effect.
  void Cut(MonoTime at) {
    if (!cut_) cut_ = at;
  }
  [[nodiscard]] bool is_cut() const { return cut_.has_value(); }
  // Records that the replicas have confirmed (WAIT) what they will have received at `at`.
  void Confirm(MonoTime at) { confirmed_ = at; }
  // Makes a replica the master, and returns its data: what it had at `at`. The others have received
  // no more than that, and follow it.
  const RedisModel& Promote(MonoTime at);
  // A time at which a replica had all but the last kLateBy, and all that was confirmed.
  [[nodiscard]] MonoTime LateTime(MonoTime now) const {
    return std::min(now, std::max(now - kLateBy, confirmed_));
  }
  void MixState(StateDigest& digest) const;

 private:
  Duration lag_;
  std::optional<MonoTime> cut_{};
  MonoTime confirmed_{};
  std::vector<std::pair<MonoTime, RedisModel>>
      kept_{};  // by time; the replicas received the first more than kLateBy ago
};

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_REPLICA_LOG_H_
