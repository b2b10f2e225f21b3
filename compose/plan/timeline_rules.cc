#include "compose/plan/timeline_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "faults/fault.h"
#include "lib/base/words.h"
#include "lib/locks/registry.h"
#include "workloads/workload.h"

namespace doublehold {
namespace {

Result<void> CheckAnnounced(const Plan& plan, const Trigger& trigger, const char* setting) {
  const std::vector<Step> steps = StepsOf(plan);
  if (std::ranges::find(steps, trigger.step) != steps.end()) return {};
  std::vector<std::string> names;
  for (const Step step : steps) names.emplace_back(Name(step));
  return BadInput(fmt::format("no client ever reaches {}: lock {} in workload {} has the steps {}",
                              Name(trigger.step), plan.lock, plan.workload, fmt::join(names, ", ")),
                  setting);
}

bool KeepsItsClient(const FaultPlan& fault) {
  return FindFault(fault.kind)->traits.HasAny({FaultTrait::kStops, FaultTrait::kSlows});
}

// The client that the fault keeps where it is until it ends; 0: none, or whoever comes first.
int KeptClient(const FaultPlan& fault) {
  if (!KeepsItsClient(fault)) return 0;
  if (fault.client) return *fault.client;
  return fault.on && fault.nodes.empty() ? fault.on->client : 0;
}

// The same; of a run with one client that is whoever comes first.
int KeptClient(const Plan& plan, const FaultPlan& fault) {
  const bool keeps_somebody = KeepsItsClient(fault) && fault.on && fault.nodes.empty();
  const int kept = KeptClient(fault);
  return kept == 0 && keeps_somebody && plan.clients == 1 ? 1 : kept;
}

// Whether no node answers while it lasts, of a lock that needs one.
bool StopsTheLock(const Plan& plan, const FaultPlan& fault) {
  if (!Does(fault, FaultTrait::kStops) || FindLock(plan.lock)->Has(Trait::kLockFree)) return false;
  for (int node = 1; node <= plan.nodes; ++node) {
    if (std::ranges::find(fault.nodes, node) == fault.nodes.end()) return false;
  }
  return plan.replicas == 0;
}

// Whether nothing passes between a client and any node while it lasts, from a time on.
bool CutsOff(const Plan& plan, const FaultPlan& fault, int client) {
  if (!Does(fault, FaultTrait::kCutsOff)) return false;
  if (FindLock(plan.lock)->Has(Trait::kLockFree) || fault.on || !fault.links.empty()) return false;
  if (!fault.command.empty() || !fault.key.empty() || fault.nth > 1 || fault.chance < 1)
    return false;
  if (fault.client && *fault.client != client) return false;
  for (int node = 1; node <= plan.nodes; ++node) {
    if (!fault.nodes.empty() && std::ranges::find(fault.nodes, node) == fault.nodes.end())
      return false;
  }
  return plan.replicas == 0;
}

bool NeedsTheLock(Step step) {
  return step == Step::kAfterAcquire || step == Step::kMidAcquire || step == Step::kMidRelease;
}

using ByName = std::map<std::string_view, size_t>;

// What has to be, before a fault of the timeline can begin, or can end: another's beginning, or its
// end.
struct Moment {
  size_t fault = 0;
  bool ended = false;
  auto operator<=>(const Moment&) const = default;
};

std::vector<Moment> NeededFor(const Moment& moment, const Plan& plan, const ByName& names) {
  const FaultPlan& fault = plan.faults[moment.fault];
  if (!moment.ended) {
    if (fault.during.empty()) return {};
    return {{.fault = names.at(fault.during), .ended = false}};
  }
  std::vector<Moment> needed{{.fault = moment.fault, .ended = false}};
  // With a length, or with a step, it ends some other way.
  const bool must_wait = fault.until_fault && fault.length <= Duration{};
  if (must_wait) {
    needed.push_back(
        {.fault = names.at(fault.until_fault->fault), .ended = fault.until_fault->ended});
  }
  return needed;
}

// Looks for a moment that needs itself, depth first; `done` are those that do not.
class WaitSearch {
 public:
  WaitSearch(const Plan& plan, const ByName& names) : plan_(plan), names_(names) {}

  // The chain from `moment` back to itself; empty: none.
  std::vector<Moment> Find(const Moment& moment) {
    if (done_.contains(moment)) return {};
    const auto before = std::ranges::find(chain_, moment);
    if (before != chain_.end()) return {before, chain_.end()};
    chain_.push_back(moment);
    for (const Moment& needed : NeededFor(moment, plan_, names_)) {
      if (std::vector<Moment> circle = Find(needed); !circle.empty()) return circle;
    }
    chain_.pop_back();
    done_.insert(moment);
    return {};
  }

 private:
  const Plan& plan_;
  const ByName& names_;
  std::vector<Moment> chain_;
  std::set<Moment> done_;
};

// Whether `other` does something to a client from a time on that is not after `fault`'s.
bool IsAtItBefore(const FaultPlan& other, int client, const FaultPlan& fault) {
  return other.name != fault.name && !other.on && other.client == client &&
         other.from <= fault.from;
}

// What waits for a step of a client that is killed before.
std::optional<FaultRefusal> FindDeadClient(const Plan& plan) {
  for (size_t i = 0; i < plan.faults.size(); ++i) {
    const FaultPlan& fault = plan.faults[i];
    // One that begins at a step may be over by then, or never be.
    const bool waits_to_end = fault.until && !fault.on && fault.length <= Duration{};
    for (const auto& [trigger, setting, waits] :
         {std::tuple{fault.on, "on", fault.on.has_value()}, {fault.until, "until", waits_to_end}}) {
      if (!waits || trigger->client == 0) continue;
      const auto killer = std::ranges::find_if(plan.faults, [&](const FaultPlan& other) {
        return Does(other, FaultTrait::kKills) && IsAtItBefore(other, trigger->client, fault);
      });
      if (killer == plan.faults.end()) continue;
      return FaultRefusal{
          i,
          fmt::format("{}client {} reaches no step any more: '{}' kills it at {}",
                      setting == std::string_view("until") ? "it never heals: " : "",
                      trigger->client, killer->name, FormatDuration(killer->from)),
          setting};
    }
  }
  return std::nullopt;
}

// What is to be done to a client that is killed before.
std::optional<FaultRefusal> FindFaultOnTheDead(const Plan& plan) {
  for (size_t i = 0; i < plan.faults.size(); ++i) {
    const FaultPlan& fault = plan.faults[i];
    if (fault.on || !fault.client) continue;
    const auto killer = std::ranges::find_if(plan.faults, [&](const FaultPlan& other) {
      return Does(other, FaultTrait::kKills) && other.from < fault.from &&
             IsAtItBefore(other, *fault.client, fault);
    });
    if (killer == plan.faults.end()) continue;
    return FaultRefusal{i,
                        fmt::format("client {} is dead by then: '{}' kills it at {}", *fault.client,
                                    killer->name, FormatDuration(killer->from)),
                        "client"};
  }
  return std::nullopt;
}

// What waits for a step of a client that is kept where it is until the wait is over.
std::optional<FaultRefusal> FindKeptClient(const Plan& plan, const ByName& names) {
  for (const FaultPlan& fault : plan.faults) {
    const bool ends_so = fault.until && fault.length <= Duration{};
    for (const auto& [trigger, verb, counts] :
         {std::tuple{fault.on, "begins", fault.on.has_value()}, {fault.until, "ends", ends_so}}) {
      if (!counts || trigger->client == 0) continue;
      for (const FaultPlan& other : plan.faults) {
        const bool waits = other.until_fault && other.until_fault->fault == fault.name &&
                           (other.until_fault->ended || verb == std::string_view("begins"));
        if (!waits || other.length > Duration{} || KeptClient(other) == 0) continue;
        if (!IsAtItBefore(other, trigger->client, fault)) continue;
        return FaultRefusal{names.at(other.name),
                            fmt::format("it never heals: '{}' {} at a step of client {}, which "
                                        "this fault keeps from it",
                                        fault.name, verb, trigger->client),
                            "until"};
      }
    }
  }
  return std::nullopt;
}

// What begins at a step of a client only while another fault keeps that client from every step.
std::optional<FaultRefusal> FindKeptBeginning(const Plan& plan, const ByName& names) {
  for (size_t i = 0; i < plan.faults.size(); ++i) {
    const FaultPlan& fault = plan.faults[i];
    if (fault.during.empty() || !fault.on) continue;
    const size_t other_index = names.at(fault.during);
    const FaultPlan& other = plan.faults[other_index];
    const int kept = KeptClient(plan, other);
    const bool is_whole_run = plan.clients == 1 && fault.on->client == 0;
    if (kept == 0 || (fault.on->client != kept && !is_whole_run)) continue;
    // At one step faults begin in the order of the plan: behind the one that keeps its client is in
    // time.
    const bool at_once = other.on && other.on->step == fault.on->step &&
                         (other.on->client == 0 || other.on->client == kept);
    if (at_once && other_index < i) continue;
    return FaultRefusal{
        i,
        fmt::format(
            "it never begins: client {} cannot reach {} while '{}' keeps it{}", kept,
            Name(fault.on->step), other.name,
            at_once ? " (at one step faults begin in the order of the file: behind it?)" : ""),
        "on"};
  }
  return std::nullopt;
}

// An errand of an operator, a kill: what ends by itself, and has no length that it could be given.
bool IsOverAtOnce(const FaultPlan& fault) {
  const FaultEntry& kind = *FindFault(fault.kind);
  if (kind.is_final) return !kind.traits.Has(FaultTrait::kTakesOver);
  return kind.ends_itself && kind.asked_ns({.length = Duration(1)}) == 0;
}

std::optional<FaultRefusal> FindUnknownName(const Plan& plan, const ByName& names) {
  for (size_t i = 0; i < plan.faults.size(); ++i) {
    const FaultPlan& fault = plan.faults[i];
    for (const auto& [named, setting] :
         {std::pair{fault.during, "during"},
          {fault.until_fault ? fault.until_fault->fault : std::string(), "until"}}) {
      if (named.empty()) continue;
      if (names.contains(named) && named != fault.name) {
        if (setting != std::string_view("during") || !IsOverAtOnce(plan.faults[names.at(named)]))
          continue;
        return FaultRefusal{i, fmt::format("'{}' is over at once: nothing begins meanwhile", named),
                            setting};
      }
      std::vector<std::string> others;
      for (const auto& [name, index] : names) {
        if (index != i) others.emplace_back(name);
      }
      return FaultRefusal{i,
                          others.empty()
                              ? fmt::format("there is no other fault, so none '{}'", named)
                              : UnknownWord("fault", named, others),
                          setting};
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<Step> StepsOf(const Plan& plan) {
  // Of every client, whatever it does with whatever lock.
  std::vector<Step> steps{Step::kStart, Step::kAfterAcquire, Step::kBeforeRelease,
                          Step::kAfterRelease};
  for (const auto& some : {FindLock(plan.lock)->steps, FindWorkload(plan.workload)->steps}) {
    steps.insert(steps.end(), some.begin(), some.end());
  }
  std::ranges::sort(steps);
  return steps;
}

Result<void> CheckSteps(const Plan& plan, const FaultPlan& fault) {
  for (const auto& [trigger, setting] : {std::pair{fault.on, "on"}, {fault.until, "until"}}) {
    if (!trigger) continue;
    if (Result<void> ok = CheckAnnounced(plan, *trigger, setting); !ok) return ok;
  }
  if (!fault.until || fault.length > Duration{}) return {};
  if (CutsOff(plan, fault, fault.until->client) && NeedsTheLock(fault.until->step)) {
    return BadInput(
        fmt::format("it never heals: client {} cannot reach {} while it is cut off from all nodes",
                    fault.until->client, Name(fault.until->step)),
        "until");
  }
  if (StopsTheLock(plan, fault) && NeedsTheLock(fault.until->step)) {
    return BadInput(fmt::format("it never heals: nobody reaches {} while all nodes are stopped",
                                Name(fault.until->step)),
                    "until");
  }
  const bool alone = plan.clients == 1;
  const int kept = KeptClient(plan, fault);
  if (kept == 0 || (!alone && fault.until->client != kept)) return {};
  return BadInput(fmt::format("it never heals: client {} cannot reach {} while this fault keeps it",
                              kept, Name(fault.until->step)),
                  "until");
}

std::optional<FaultRefusal> FindImpossibleWait(const Plan& plan) {
  ByName names;
  for (size_t i = 0; i < plan.faults.size(); ++i) names.emplace(plan.faults[i].name, i);
  if (auto unknown = FindUnknownName(plan, names)) return unknown;
  if (auto dead = FindDeadClient(plan)) return dead;
  if (auto dead = FindFaultOnTheDead(plan)) return dead;
  if (auto kept = FindKeptClient(plan, names)) return kept;
  if (auto kept = FindKeptBeginning(plan, names)) return kept;
  WaitSearch search(plan, names);
  for (size_t i = 0; i < plan.faults.size(); ++i) {
    const std::vector<Moment> circle = search.Find({.fault = i, .ended = true});
    if (circle.empty()) continue;
    std::vector<std::string> chain;
    for (const Moment& moment : circle) {
      chain.push_back(fmt::format("{} of '{}'", moment.ended ? "the end" : "the beginning",
                                  plan.faults[moment.fault].name));
    }
    chain.push_back(chain.front());
    const bool by_end = circle.size() < 2 || circle[1].fault != i || circle[1].ended;
    return FaultRefusal{i, fmt::format("it never ends: {}", fmt::join(chain, " waits for ")),
                        plan.faults[i].until_fault && by_end ? "until" : "during"};
  }
  return std::nullopt;
}

}  // namespace doublehold
