// The data that a node keeps on disk for its restarts. The faults of the plan decide how much it
// keeps. Each node has a folder in the scratch folder of the run.
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
  bool log = false;       // whether it writes an append-only file
  bool snapshot = false;  // whether it keeps a snapshot, taken by SAVE
  // Longest cut of the log by a fault; if not zero, the log's growth is recorded.
  Duration longest_cut{};
};

// The data that the plan's restarts of a node need. kStoreNode is the store.
NodeData DataOf(const Plan& plan, int node);
// Refuses a node whose restarts need both a snapshot and an append-only file, and a restart from a
// snapshot that no fault takes.
Result<void> CheckNodeData(const Plan& plan, const FaultPlan& restart);

// Arguments for redis-server. Every write is in the log, and in the kernel, before it is answered.
std::vector<std::string> ArgumentsOf(const NodeData& data);

// Removes all keys of a node. Its cluster configuration stays.
void ForgetData(const std::filesystem::path& folder);
// The file in which the node's log grows; empty if there is none yet.
std::filesystem::path LogFileOf(const std::filesystem::path& folder);

// Records how long a log was at which time. Keeps what a cut of up to `longest` needs.
class LogGrowth {
 public:
  explicit LogGrowth(Duration longest = {}) : longest_(longest) {}

  void Add(MonoTime at, uintmax_t bytes);
  // The length at the last record at or before `at`; 0 if there was none.
  [[nodiscard]] uintmax_t BytesAt(MonoTime at) const;
  void Clear() { looks_.clear(); }

 private:
  struct Look {
    MonoTime at;
    uintmax_t bytes = 0;
  };
  Duration longest_;
  std::deque<Look> looks_;  // sorted by time; only the first of several equal lengths
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_PLAN_NODE_DATA_H_
