#include "compose/plan/fault_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "compose/plan/plan_builder.h"
#include "compose/plan/restart_rules.h"
#include "compose/plan/sent_frames.h"
#include "compose/plan/service_rules.h"
#include "compose/plan/timeline_rules.h"
#include "faults/fault.h"
#include "faults/targets.h"
#include "lib/base/words.h"
#include "lib/plan/topology.h"

namespace doublehold {
namespace {

Result<void> CheckNamedOnce(const FaultPlan& fault) {
  for (auto node = fault.nodes.begin(); node != fault.nodes.end(); ++node) {
    if (std::find(fault.nodes.begin(), node, *node) != node)
      return BadInput(fmt::format("{} is named twice", NameNodes({.nodes = {*node}})), "nodes");
  }
  for (auto link = fault.links.begin(); link != fault.links.end(); ++link) {
    if (std::find(fault.links.begin(), link, *link) == link) continue;
    return BadInput(fmt::format("the link of client {} and {} is named twice", link->client,
                                NameNodes({.nodes = {link->node}})),
                    "links");
  }
  return {};
}

// Says why a fault's name is invalid. Names are written to every file of a run and to terminals.
std::string ExplainInvalidFaultName(const std::string& name) {
  if (name.empty()) return "a fault's name must not be empty";
  return WhyNotAName(name);
}

Result<void> CheckTarget(const Plan& plan, const FaultPlan& fault) {
  const auto check_client = [&](int client, int least, const char* setting) -> Result<void> {
    if (client >= least && client <= plan.clients) return {};
    return BadInput(
        fmt::format("client {} does not exist: the run has clients 1..{}", client, plan.clients),
        setting);
  };
  const auto check_node = [&](int node, const char* setting) -> Result<void> {
    if (node >= 0 && node <= ServersOf(plan)) return {};
    return BadInput(
        fmt::format("node {} does not exist: the run has nodes 1..{}", node, ServersOf(plan)),
        setting);
  };
  if (fault.client) {
    TRY(check_client(*fault.client, /*least=*/1, "client"));
  }
  for (const auto& [trigger, setting] : {std::pair{fault.on, "on"}, {fault.until, "until"}}) {
    if (!trigger) continue;
    TRY(check_client(trigger->client, /*least=*/0, setting));
  }
  for (const Link& link : fault.links) {
    TRY(check_client(link.client, /*least=*/1, "links"));
    TRY(check_node(link.node, "links"));
  }
  for (const int node : fault.nodes) {
    if (node == kLeaderNode) continue;  // CheckService decides
    TRY(check_node(node, "nodes"));
  }
  return CheckNamedOnce(fault);
}

// Whether the fault ends by itself, so that it needs neither `for` nor `until`.
bool EndsByItself(const FaultEntry& kind) {
  return kind.is_final || kind.ends_itself ||
         std::ranges::find(kind.keys, "count") != kind.keys.end();
}

// Returns a field of plan.json whose number the reader of settings would refuse. Returns an empty
// text if there is none.
std::string_view FindFaultFieldOutOfRange(const FaultPlan& fault) {
  using Field = std::pair<std::string_view, Duration>;
  for (const auto& [name, span] : {Field{"from_ns", fault.from}, Field{"every_ns", fault.every},
                                   Field{"length_ns", fault.length}, Field{"delay_ns", fault.delay},
                                   Field{"jitter_ns", fault.jitter}, Field{"gap_ns", fault.gap},
                                   Field{"period_ns", fault.period}, Field{"cut_ns", fault.cut}}) {
    if (span < Duration::zero()) return name;
  }
  return fault.times >= 1 && fault.times <= kMostTimes ? "" : "times";
}

// Names another missing setting of a fault that never ends, for example "; and it needs a delay".
// Returns an empty text if no other setting is missing.
std::string DescribeOtherMissingSetting(const FaultPlan& fault, const FaultEntry& kind) {
  const Result<void> own = kind.validate(fault);
  if (own || !own.error().setting.empty()) return "";
  const std::string start = fmt::format("fault '{}' ({}): ", fault.name, fault.kind);
  if (!own.error().message.starts_with(start)) return "";
  return "; and it " + own.error().message.substr(start.size());
}

Result<void> CheckTiming(const Plan& plan, const FaultPlan& fault, const FaultEntry& kind) {
  if (fault.from >= plan.duration) {
    return BadInput(fmt::format("it begins at {}, after the run's end at {}",
                                FormatDuration(fault.from), FormatDuration(plan.duration)),
                    "from");
  }
  if (fault.times > 1 && fault.every <= Duration::zero()) {
    return BadInput("'times' is above 1, but 'every' is missing", "times");
  }
  // A repeated fault with a step waits for the next time that a client reaches the step.
  const bool comes_by_time = !fault.on && !fault.until && !fault.until_fault;
  if (fault.times > 1 && fault.every < fault.length && comes_by_time && !kind.length_is_of_frames) {
    return BadInput(fmt::format("it lasts {}, longer than its interval of {}",
                                FormatDuration(fault.length), FormatDuration(fault.every)),
                    "every");
  }
  // The node must be restarted before the end of the run. Otherwise the fault did not act.
  const Duration last = fault.from + fault.every * (fault.times - 1);
  if (const Duration back = last + fault.length;
      kind.ends_itself && last < plan.duration && back > plan.duration) {
    return BadInput(fmt::format("its nodes are back at {}, after the run's end at {}",
                                FormatDuration(back), FormatDuration(plan.duration)),
                    "for");
  }
  if (last >= plan.duration) {
    return BadInput(fmt::format("the last of its {} times is at {}, after the run's end at {}",
                                fault.times, FormatDuration(last), FormatDuration(plan.duration)),
                    "times");
  }
  if (!EndsByItself(kind) && fault.length <= Duration::zero() && !fault.until &&
      !fault.until_fault) {
    return BadInput("it never heals: 'for' (a duration) or 'until' (a step) is missing" +
                    DescribeOtherMissingSetting(fault, kind));
  }
  if ((kind.ends_itself || kind.is_final) && (fault.until || fault.until_fault)) {
    return BadInput("it ends by itself: remove 'until'", "until");
  }
  if (fault.delay > plan.duration) {
    return BadInput(fmt::format("it delays by {}, longer than the run ({})",
                                FormatDuration(fault.delay), FormatDuration(plan.duration)),
                    "delay");
  }
  if (const Duration over = last + fault.length;
      comes_by_time && !kind.ends_itself && fault.length <= plan.duration && over > plan.duration) {
    return BadInput(fmt::format("it would be cut short: it lasts until {}, and the run ends at {}",
                                FormatDuration(over), FormatDuration(plan.duration)),
                    "for");
  }
  if (fault.length > plan.duration) {
    return BadInput(fmt::format("it lasts {}, longer than the run ({})",
                                FormatDuration(fault.length), FormatDuration(plan.duration)),
                    "for");
  }
  return {};
}

// Whether the master may have changed before the fault begins.
bool MasterMayHaveChanged(const Plan& plan, const FaultPlan& fault) {
  const bool by_themselves = FindTopology(plan.topology)->FailsOver();
  return std::ranges::any_of(plan.faults, [&](const FaultPlan& other) {
    if (other.name == fault.name || (other.from > fault.from && !fault.on)) return false;
    return by_themselves || other.kind == fault.kind;
  });
}

Result<void> CheckPromoted(const Plan& plan, const FaultPlan& fault) {
  if (!Does(fault, FaultTrait::kTakesOver) || fault.nodes.size() != 1) return {};
  const int node = fault.nodes.front();
  if (node < 1 || node > plan.nodes || MasterMayHaveChanged(plan, fault)) return {};
  std::vector<int> replicas;
  for (int server = plan.nodes + 1; server <= ServersOf(plan); ++server) {
    if (MasterOf(plan, server) == node) replicas.push_back(server);
  }
  return BadInput(fmt::format("node {} is the master already{}", node,
                              replicas.empty()
                                  ? ", and has no replica"
                                  : fmt::format("; name a replica: {}", fmt::join(replicas, ", "))),
                  "nodes");
}

Result<void> CheckReplicas(const Plan& plan, const FaultPlan& fault, const FaultEntry& kind) {
  const TopologyEntry& topology = *FindTopology(plan.topology);
  if (!kind.needs_replicas) return {};
  if (!topology.HasReplicas()) {
    return BadInput(fmt::format(
        "'{}' needs replicas, which '{}' does not have; use replicated, sentinel or cluster",
        fault.kind, plan.topology));
  }
  if (fault.how == "awaited" && !topology.FailsOver()) {
    return BadInput(
        fmt::format("no server in '{}' promotes a replica by itself; use sentinel or cluster",
                    plan.topology),
        "how");
  }
  if (Does(fault, FaultTrait::kTakesOver) && fault.how != "awaited" && fault.how != "planned" &&
      topology.lead == Lead::kSentinel) {
    return BadInput("a sentinel topology cannot promote by hand: use how = 'planned' or 'awaited'",
                    "how");
  }
  return CheckPromoted(plan, fault);
}

Result<void> CheckFault(const Plan& plan, const FaultPlan& fault) {
  const FaultEntry* kind = FindFault(fault.kind);
  if (kind == nullptr) return BadInput(UnknownWord("fault", fault.kind, ListNames(Faults())));
  if (kind->needs_network && plan.direct) {
    return BadInput(fmt::format("'{}' needs the proxy, which 'direct' bypasses", fault.kind));
  }
  TRY(CheckReplicas(plan, fault, *kind));
  if (const std::string_view field = FindFaultFieldOutOfRange(fault); !field.empty())
    return BadInput(fmt::format("field '{}' is out of range", field));
  TRY(CheckTarget(plan, fault));
  TRY(CheckKey(plan, fault));
  TRY(CheckSteps(plan, fault));
  return CheckTiming(plan, fault, *kind);
}

// Checks the rules that require valid settings of the fault.
Result<void> CheckInPlan(const Plan& plan, const FaultPlan& fault) {
  if (!fault.during.empty() && !fault.on)
    return BadInput("'during' needs 'on': a step at which it starts", "during");
  TRY(CheckService(plan, fault));
  TRY(CheckFrames(plan, fault));
  return CheckRestart(plan, fault);
}

}  // namespace

Result<void> CheckFaults(const Plan& plan, const std::vector<FaultPlace>& places) {
  std::set<std::string> names;
  const auto bad = [&](size_t i, const Error& why) {
    return BadInput(fmt::format("{}: fault '{}': {}", places.at(i).Of(why.setting),
                                plan.faults[i].name, why.message));
  };
  for (size_t i = 0; i < plan.faults.size(); ++i) {
    const FaultPlan& fault = plan.faults[i];
    if (const std::string why = ExplainInvalidFaultName(fault.name); !why.empty())
      return BadInput(fmt::format("{}: {}", places.at(i).Of("name"), why));
    if (!names.insert(fault.name).second)
      return bad(i, {.message = "another fault has the same name", .setting = "name"});
    if (Result<void> ok = CheckFault(plan, fault); !ok) return bad(i, ok.error());
    // The message of `validate` already names the fault.
    if (Result<void> ok = FindFault(fault.kind)->validate(fault); !ok) {
      return BadInput(
          fmt::format("{}: {}", places.at(i).Of(ok.error().setting), ok.error().message));
    }
    if (Result<void> ok = CheckInPlan(plan, fault); !ok) return bad(i, ok.error());
  }
  for (size_t i = 0; i < plan.faults.size(); ++i) {
    if (Result<void> ok = CheckReferences(plan, plan.faults[i]); !ok) return bad(i, ok.error());
  }
  return {};
}

}  // namespace doublehold
