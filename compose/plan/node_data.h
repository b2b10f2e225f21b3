// The data that a node keeps on disk for its restarts. The faults of the plan decide which data it
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
  // Longest cut of the log by a fault. If it is not zero, the growth of the log is recorded.
  Duration longest_cut{};
};

// Returns the data that the plan's restarts of a node need. kStoreNode is the store.
NodeData NodeDataFor(const Plan& plan, int node);
// Refuses a node whose restarts need both a snapshot and an append-only file, and a restart from a
// snapshot that no fault takes.
Result<void> CheckNodeData(const Plan& plan, const FaultPlan& restart);

// Returns arguments for redis-server. If it keeps a log, every write is in the log, and in the
// kernel, before the write is answered.
std::vector<std::string> ServerArguments(const NodeData& data);

// Removes all keys of a stopped node, but not its cluster configuration.
void ForgetData(const std::filesystem::path& folder);
// Returns the file to which the node appends its log. Returns an empty path if there is none yet.
std::filesystem::path FindLogFile(const std::filesystem::path& folder);

// Records the length of a log over time. Keeps the records that a cut of up to `longest` needs.
class LogGrowth {
 public:
  explicit LogGrowth(Duration longest = {}) : longest_(longest) {}

  void Add(MonoTime at, uintmax_t bytes);
  // Returns the length at the last record at or before `at`. Returns 0 if there is no such record.
  [[nodiscard]] uintmax_t BytesAt(MonoTime at) const;
  void Clear() { looks_.clear(); }

 private:
  struct Look {
    MonoTime at;
    uintmax_t bytes = 0;
  };
  Duration longest_;
  std::deque<Look> looks_;  // sorted by time; has only the first of consecutive equal lengths
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_PLAN_NODE_DATA_H_
