// What the replicas of a simulated node have of its data.
#ifndef DOUBLEHOLD_LIB_SIM_REPLICA_LOG_H_
#define DOUBLEHOLD_LIB_SIM_REPLICA_LOG_H_

#include <optional>
#include <utility>
#include <vector>

#include "lib/base/time.h"
#include "lib/sim/redis/redis_model.h"

namespace doublehold::sim {

// All of them have the same: what the node had `lag` ago, or, once they are cut off from it, before
// that. A copy of the node is kept for each command within the lag, so it is for worlds with few of
// them.
class ReplicaLog {
 public:
  // In the beginning they have what the node has.
  ReplicaLog(const RedisModel& node, Duration lag) : lag_(lag) { kept_.push_back({{}, node}); }

  // What the node has since then.
  void Note(MonoTime at, const RedisModel& node);
  // They receive nothing more that was not on its way. Once more changes nothing.
  void Cut(MonoTime at) {
    if (!cut_) cut_ = at;
  }
  [[nodiscard]] bool is_cut() const { return cut_.has_value(); }
  [[nodiscard]] const RedisModel& At(MonoTime now) const;

 private:
  Duration lag_;
  std::optional<MonoTime> cut_{};
  std::vector<std::pair<MonoTime, RedisModel>>
      kept_{};  // by time; the first is what they have received for sure
};

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_REPLICA_LOG_H_
