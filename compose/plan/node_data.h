// What a node keeps on disk, so that it can be restarted with it; the faults of the plan say how
// much is needed. A folder a node, in the scratch folder of the run.
#ifndef DOUBLEHOLD_COMPOSE_PLAN_NODE_DATA_H_
#define DOUBLEHOLD_COMPOSE_PLAN_NODE_DATA_H_

#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/base/time.h"
#include "lib/plan/plan.h"

namespace doublehold {

struct NodeData {
  bool log = false;        // an append-only file
  bool snapshot = false;   // whatever it is told to SAVE
  Duration longest_cut{};  // of the log, by a fault: its growth is to be watched
};

// What the restarts in the plan need of a node (kStoreNode: the store).
NodeData DataOf(const Plan& plan, int node);
// Refuses a restart of a node that would have to keep both, for all restarts of it, and one from a
// snapshot that no fault takes.
Result<void> CheckNodeData(const Plan& plan, const FaultPlan& restart);

// Arguments of redis-server. Every write is in the log, and with the kernel, before it is answered.
std::vector<std::string> ArgumentsOf(const NodeData& data);

// Removes all keys that a node kept; what it knows of its cluster stays.
void ForgetData(const std::filesystem::path& folder);
// The file that its log grows in; empty when there is none yet.
std::filesystem::path LogFileOf(const std::filesystem::path& folder);

// How long a log was, and when. Keeps what a cut of `longest` may ask for.
class LogGrowth {
 public:
  explicit LogGrowth(Duration longest = {}) : longest_(longest) {}

  void Add(MonoTime at, uintmax_t bytes);
  // Of the last look at or before that time; 0 when there was none.
  [[nodiscard]] uintmax_t BytesAt(MonoTime at) const;
  void Clear() { looks_.clear(); }

 private:
  struct Look {
    MonoTime at;
    uintmax_t bytes = 0;
  };
  Duration longest_;
  std::deque<Look> looks_;  // by time; of equal lengths the first
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_PLAN_NODE_DATA_H_
