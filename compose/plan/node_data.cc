#include "compose/plan/node_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "faults/fault.h"
#include "lib/plan/topology.h"

namespace doublehold {
namespace {

bool Meets(const FaultPlan& fault, FaultTrait does, int node) {
  if (!Does(fault, does)) return false;
  return std::ranges::find(fault.nodes, node) != fault.nodes.end() ||
         (node != kStoreNode && NamesLeader(fault));
}

std::string NameForNode(int node) {
  return node == kStoreNode ? "the store" : fmt::format("node {}", node);
}

}  // namespace

NodeData NodeDataFor(const Plan& plan, int node) {
  NodeData data;
  for (const FaultPlan& fault : plan.faults) {
    if (!Meets(fault, FaultTrait::kRestarts, node)) continue;
    if (fault.data == "rdb") data.snapshot = true;
    if (fault.data == "aof" || fault.data == "aof-cut") data.log = true;
    if (fault.data == "aof-cut") data.longest_cut = std::max(data.longest_cut, fault.cut);
  }
  return data;
}

Result<void> CheckNodeData(const Plan& plan, const FaultPlan& restart) {
  std::vector<int> nodes = restart.nodes;
  if (NamesLeader(restart)) {
    nodes.resize(static_cast<size_t>(ServersOf(plan)));
    std::iota(nodes.begin(), nodes.end(), 1);
  }
  for (const int node : nodes) {
    const NodeData data = NodeDataFor(plan, node);
    // A server with an append-only file ignores its snapshot.
    if (data.snapshot && data.log) {
      return BadInput(
          fmt::format("{} is restarted with data rdb and with data aof: use one of the two",
                      NameForNode(node)),
          "data");
    }
    const bool taken = std::ranges::any_of(plan.faults, [&](const FaultPlan& fault) {
      return Meets(fault, FaultTrait::kSaves, node);
    });
    if (restart.data == "rdb" && !taken) {
      return BadInput(fmt::format("{} is restarted with data rdb, but no fault of kind 'snapshot' "
                                  "writes one (use data = \"empty\"?)",
                                  NameForNode(node)),
                      "data");
    }
  }
  return {};
}

std::vector<std::string> ServerArguments(const NodeData& data) {
  if (!data.log) return {"--save", "", "--appendonly", "no"};
  // Data in the kernel survives the death of the process, so no fsync is needed. With `everysec`,
  // Redis defers writes during an fsync, and would answer before the write. The log must not be
  // rewritten, because LogGrowth requires that it only grows.
  return {
      "--save", "", "--appendonly", "yes", "--appendfsync", "no", "--auto-aof-rewrite-percentage",
      "0"};
}

void ForgetData(const std::filesystem::path& folder) {
  std::error_code code;
  for (const char* name : {"dump.rdb", "appendonly.aof", "appendonlydir"}) {
    std::filesystem::remove_all(folder / name, code);
  }
}

std::filesystem::path FindLogFile(const std::filesystem::path& folder) {
  std::error_code code;
  // Redis 7 has a folder of numbered files, and writes to the last file. Redis 6 has one file.
  std::filesystem::path last;
  const std::filesystem::path parts = folder / "appendonlydir";
  for (const auto& entry : std::filesystem::directory_iterator(parts, code)) {
    if (entry.path().string().ends_with(".incr.aof")) last = std::max(last, entry.path());
  }
  const std::filesystem::path whole = folder / "appendonly.aof";
  if (last.empty() && std::filesystem::exists(whole, code)) return whole;
  return last;
}

void LogGrowth::Add(MonoTime at, uintmax_t bytes) {
  if (!looks_.empty() && looks_.back().bytes == bytes) return;
  looks_.push_back({at, bytes});
  while (looks_.size() > 1 && looks_[1].at <= at - longest_) looks_.pop_front();
}

uintmax_t LogGrowth::BytesAt(MonoTime at) const {
  const auto after = std::ranges::upper_bound(looks_, at, {}, &Look::at);
  return after == looks_.begin() ? 0 : std::prev(after)->bytes;
}

}  // namespace doublehold
