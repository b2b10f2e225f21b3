#include "compose/plan/sent_frames.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "compose/plan/restart_rules.h"
#include "compose/plan/service_rules.h"
#include "faults/fault.h"
#include "lib/base/options.h"
#include "lib/base/sends.h"
#include "lib/base/words.h"
#include "lib/locks/registry.h"
#include "lib/plan/topology.h"
#include "workloads/workload.h"

namespace doublehold {
namespace {

// The commands to a Redis store for a value of `write`. They are the same in every workload.
struct WriteRow {
  std::string_view write;
  SentCommands sends;
};

// The first keywords of the statements to an SQL store, which name no key. Each row is of one value
// of `write`; an empty value stands for the others.
constexpr std::array kOfRows{
    WriteRow{"postgres-row", {"BEGIN SELECT UPDATE COMMIT ROLLBACK INSERT", ""}},
    WriteRow{"", {"SELECT UPDATE INSERT", ""}},
};

constexpr std::string_view kMessage = "MESSAGE";  // name of a published message in faults/proxy
constexpr std::string_view kStock = "dh:stock:{}";

constexpr std::array kOfWrites{
    WriteRow{"read-modify-write", {"GET SET", kStock}},
    WriteRow{"check-then-decr", {"GET DECR", kStock}},
    WriteRow{"fenced", {"GET EVALSHA EVAL", kStock}},
    WriteRow{"watch", {"WATCH GET SET", kStock}},
    WriteRow{"watch", {"MULTI EXEC UNWATCH", ""}},
    WriteRow{"version", {"MGET EVALSHA EVAL", kStock}},
    WriteRow{"atomic-script", {"GET EVALSHA EVAL", kStock}},
};

// The commands that one part of a run sends.
struct Traffic {
  std::string part;  // for example "lock redlock"
  bool known = true;
  struct Kind {
    std::string command;
    std::string key;  // empty: the command has no key
  };
  std::vector<Kind> kinds{};

  void Add(std::string_view commands, const std::string& key) {
    std::istringstream in{std::string(commands)};
    for (std::string command; in >> command;) kinds.push_back({command, key});
  }
  // Adds a row for each name, with the name in place of "{}" in the key.
  void Add(const SentCommands& row, const std::vector<std::string>& names) {
    const size_t gap = row.key.find("{}");
    if (gap == std::string_view::npos) return Add(row.commands, std::string(row.key));
    for (const std::string& name : names) {
      Add(row.commands, std::string(row.key).replace(gap, 2, name));
    }
  }
  // Lists the commands, for example "SET, EVALSHA", or "nothing".
  [[nodiscard]] std::string Commands() const {
    std::vector<std::string> commands;
    for (const Kind& kind : kinds) {
      if (std::ranges::find(commands, kind.command) == commands.end())
        commands.push_back(kind.command);
    }
    return commands.empty() ? "nothing" : fmt::format("{}", fmt::join(commands, ", "));
  }
};

Traffic ToNodes(const Plan& plan) {
  const LockEntry* lock = FindLock(plan.lock);
  const std::optional<Sends> sends = lock == nullptr ? std::nullopt : lock->sends;
  Traffic traffic{.part = "lock " + plan.lock, .known = sends.has_value()};
  for (const SentCommands& row : sends.value_or(Sends{})) traffic.Add(row, ListLockKeys(plan));
  const auto replicas = plan.lock_options.find("wait-replicas");
  if (replicas != plan.lock_options.end() && replicas->second != "0") traffic.Add("WAIT", "");
  if (FindTopology(plan.topology)->lead == Lead::kCluster) traffic.Add("ASKING", "");
  return traffic;
}

Traffic ToStore(const Plan& plan) {
  const auto option = [&](const char* name) {
    const auto found = plan.workload_options.find(name);
    return found == plan.workload_options.end() ? std::string() : found->second;
  };
  const std::string write = option("write");
  if (StoreServiceOf(plan) != kRedisService) {
    Traffic rows{.part = "workload " + plan.workload};
    const auto* own = std::ranges::find_if(
        kOfRows, [&](const WriteRow& row) { return row.write.empty() || row.write == write; });
    rows.Add(own->sends, {});
    return rows;
  }
  const WorkloadEntry* workload = FindWorkload(plan.workload);
  const std::optional<Sends> sends = workload == nullptr ? std::nullopt : workload->sends;
  Traffic traffic{
      .part = "workload " + plan.workload,
      .known = sends && (write.empty() ||
                         std::ranges::find(kOfWrites, write, &WriteRow::write) != kOfWrites.end())};
  std::vector<std::string> items;
  const int64_t count = option("items").empty() ? 0 : std::stoll(option("items"));
  for (int64_t item = 0; item < count; ++item) items.push_back(std::to_string(item));
  for (const SentCommands& row : sends.value_or(Sends{})) traffic.Add(row, items);
  for (const WriteRow& row : kOfWrites) {
    if (row.write == write) traffic.Add(row.sends, items);
  }
  return traffic;
}

// Returns the commands on the links on which the fault acts.
std::vector<Traffic> TrafficOn(const Plan& plan, const FaultPlan& fault) {
  const auto is_store = [](int node) { return node == kStoreNode; };
  std::vector<Traffic> all;
  if (fault.nodes.empty() || !std::ranges::all_of(fault.nodes, is_store))
    all.push_back(ToNodes(plan));
  if (fault.nodes.empty() || std::ranges::any_of(fault.nodes, is_store))
    all.push_back(ToStore(plan));
  return all;
}

// Whether this part of the run may send a frame that the fault chooses.
bool MaySend(const Traffic& traffic, const FaultPlan& fault) {
  return !traffic.known || std::ranges::any_of(traffic.kinds, [&](const Traffic::Kind& kind) {
    return (fault.command.empty() || kind.command == fault.command) &&
           (fault.key.empty() || kind.key == fault.key);
  });
}

Result<void> RefuseCommand(const std::vector<Traffic>& links, const FaultPlan& fault) {
  std::vector<std::string> sent;
  std::vector<std::string> known;
  for (const Traffic& traffic : links) {
    sent.push_back(fmt::format("{} sends {}", traffic.part, traffic.Commands()));
    for (const Traffic::Kind& kind : traffic.kinds) known.push_back(kind.command);
  }
  const std::string nearest = Suggestion(fault.command, known);
  const bool lists = nearest.starts_with(" (one of");
  return BadInput(fmt::format("no client sends {} on these links: {}{}", fault.command,
                              fmt::join(sent, ", "), lists ? "" : nearest),
                  "command");
}

Result<void> RefuseKey(const std::vector<Traffic>& links, const FaultPlan& fault) {
  std::vector<std::string> known;
  for (const Traffic& traffic : links) {
    for (const auto& [command, key] : traffic.kinds) {
      const bool counts = (fault.command.empty() || command == fault.command) && !key.empty();
      if (counts && std::ranges::find(known, key) == known.end()) known.push_back(key);
    }
  }
  const std::string what = fault.command.empty() ? "command" : fault.command;
  if (known.empty()) return BadInput(fmt::format("no {} on these links has a key", what), "key");
  return BadInput(fmt::format("no client sends {} with the key '{}' on these links{}",
                              fault.command.empty() ? "a command" : fault.command, fault.key,
                              ShortSuggestion(fault.key, known)),
                  "key");
}

}  // namespace

Result<void> CheckFrames(const Plan& plan, const FaultPlan& fault) {
  // For a fault on nodes, `key` is no key of a frame.
  if (!FindFault(fault.kind)->needs_network || (fault.command.empty() && fault.key.empty()))
    return {};
  const std::vector<Traffic> links = TrafficOn(plan, fault);
  bool has_command = fault.command.empty();
  bool has_both = false;
  for (const Traffic& traffic : links) {
    if (!traffic.known) return {};
    for (const auto& [command, key] : traffic.kinds) {
      if (!fault.command.empty() && command != fault.command) continue;
      has_command = true;
      has_both = has_both || fault.key.empty() || key == fault.key;
    }
  }
  if (!has_command) return RefuseCommand(links, fault);
  if (!has_both) return RefuseKey(links, fault);
  const std::string_view direction =
      fault.direction.empty() ? FindFault(fault.kind)->direction : fault.direction;
  if (fault.command == kMessage && direction == "request")
    return BadInput("MESSAGE is a reply that a server publishes: use direction = \"reply\"",
                    "command");
  return {};
}

void NameNodesOfFrames(Plan& plan) {
  for (FaultPlan& fault : plan.faults) {
    const FaultEntry* kind = FindFault(fault.kind);
    const bool chooses = !fault.command.empty() || !fault.key.empty() || fault.count > 0;
    if (!chooses || kind == nullptr || !kind->needs_network || !fault.nodes.empty() ||
        !fault.links.empty() || !fault.between.empty())
      continue;
    const bool to_nodes = MaySend(ToNodes(plan), fault), to_store = MaySend(ToStore(plan), fault);
    if (to_nodes == to_store) continue;
    if (to_store) fault.nodes.push_back(kStoreNode);
    for (int node = 1; to_nodes && node <= ClientLinksOf(plan); ++node) fault.nodes.push_back(node);
  }
}

}  // namespace doublehold
