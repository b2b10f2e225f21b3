// restart: kills nodes (SIGKILL) and starts them again after `for`. `data` selects the data with
// which they begin:
//
//   empty    none, as a Redis without persistence
//   rdb      the data of the last fault of kind `snapshot`
//   aof      everything: a killed process loses nothing that it handed to the kernel
//   aof-cut  everything but the last `cut` before the kill, as after a loss of power
//   own      what the server's own settings keep; only for servers in containers
//
// Ends when all nodes answer again. A killed node loses its connections and its scripts.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "faults/targets.h"
#include "lib/base/words.h"

namespace doublehold {
namespace {

struct Data {
  std::string_view name;
  Remains remains;
  std::string_view words;
};
constexpr std::array<Data, 5> kData{{{"empty", Remains::kNothing, "empty"},
                                     {"rdb", Remains::kSnapshot, "with its snapshot"},
                                     {"aof", Remains::kLog, "with its log"},
                                     {"aof-cut", Remains::kCutLog, "with its log but for the tail"},
                                     {"own", Remains::kOwn, "with what its own settings keep"}}};

const Data* FindData(const std::string& name) {
  const auto* found = std::ranges::find(kData, name, &Data::name);
  return found == kData.end() ? nullptr : found;
}

Result<void> ValidateRestart(const FaultPlan& plan) {
  if (plan.nodes.empty()) return BadFault(plan, "needs the nodes to restart (nodes)");
  const Data* data = FindData(plan.data);
  if (data == nullptr) {
    std::vector<std::string> names;
    for (const Data& one : kData) names.emplace_back(one.name);
    return BadFault(plan, UnknownWord("data", plan.data, names), "data");
  }
  const bool cuts = data->remains == Remains::kCutLog;
  if (cuts && plan.cut <= Duration::zero()) {
    return BadFault(plan, "needs the length of the lost tail of the log (cut)", "cut");
  }
  if (!cuts && plan.cut != Duration::zero())
    return BadFault(plan, "'cut' needs data = \"aof-cut\"", "cut");
  return {};
}

struct Coming {
  size_t away = 0;
  int64_t took_ns = kDidNotAct;  // set once all nodes answer again
};

Healer StartRestart(Cluster& cluster, const FaultStart& start, Prng&) {
  const auto coming = std::make_shared<Coming>(Coming{.away = start.plan.nodes.size()});
  const auto on_back = [&cluster, coming, began = cluster.Now(),
                        on_limit_reached = start.on_limit_reached] {
    if (--coming->away > 0) return;
    coming->took_ns = AtLeastActed(cluster.Now() - began);
    if (on_limit_reached) on_limit_reached();
  };
  for (const int node : start.plan.nodes) {
    cluster.Restart(node, {.down = start.plan.length,
                           .remains = FindData(start.plan.data)->remains,
                           .cut = start.plan.cut,
                           .on_back = on_back});
  }
  // The restart did not act if it is healed before every node answers.
  return Healer([coming] { return coming->took_ns; });
}

std::string DescribeRestart(const FaultPlan& plan) {
  const Data* data = FindData(plan.data);
  const std::string_view words = data == nullptr ? plan.data : data->words;
  return fmt::format("{} killed (to come back {})", NameNodes(plan), words);
}

}  // namespace

FaultEntry RestartFault() {
  return {.name = "restart",
          .summary = "kills nodes and restarts them, with or without their data",
          .traits = {FaultTrait::kLosesData, FaultTrait::kRestarts},
          .keys = {"nodes", "data", "cut"},
          .validate = ValidateRestart,
          .start = StartRestart,
          .asked_ns = [](const FaultPlan& plan) { return ToNs(plan.length); },
          .keeps_data =
              [](const Plan&, const FaultPlan& plan) {
                const Data* data = FindData(plan.data);
                return data != nullptr && data->remains == Remains::kLog;
              },
          .ends_itself = true,
          .what = DescribeRestart};
}

}  // namespace doublehold
