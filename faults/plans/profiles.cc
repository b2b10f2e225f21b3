// The named sets of faults. Their times depend on the lease L and the duration of the plan.
//
//   0    0.6 L                  4.1 L                  7.6 L            duration
//   |------|===length===|---------|===length===|---------|===length===|--|
//
// The first fault starts after 0.6 L, the next faults every 3.5 L. This interval leaves time for a
// fault of 1.6 L, for the end of a lease after the fault, and for undisturbed work. The last fault
// must end 0.5 L before the end of the run. Several profiles alternate, because a stopped client
// sends nothing that a network fault could hit.
#include "faults/plans/profiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "lib/base/options.h"
#include "lib/plan/topology.h"

namespace doublehold {
namespace {

// Times in leases. Length of a stall or a pause: longer than a lease with a margin, but shorter
// than two leases.
constexpr double kStall = 1.6;
constexpr double kApart = 3.5;
constexpr double kWarm = 0.6;
constexpr double kCalmEnd = 0.5;
// Duration of a clock change. It is shorter than a lease, so that client 1 still holds the lock.
constexpr double kMoved = 0.6;
// Length of a section that lasts until other clients reach the restarted nodes, but ends within its
// lease.
constexpr double kLong = 0.8;
constexpr double kDown = 0.1;
// How long a restarted node takes to answer (kComingBack, in leases), and to become a master of a
// Redis Cluster again (kRejoining).
constexpr double kComingBack = 0.5;
constexpr Duration kRejoining = std::chrono::seconds(3);
// After this time, the leases that replicas received before the cut have ended.
constexpr double kForgotten = 1.2;
constexpr double kAlone = 0.7;
// A vote takes one to two seconds after a server is considered dead.
constexpr Duration kVote = std::chrono::seconds(2);

Duration Leases(double count, const Plan& plan) {
  return Duration(std::llround(count * static_cast<double>(ToNs(plan.lease))));
}

// Returns a fault of this kind and length on the schedule above.
FaultPlan Scheduled(const Plan& plan, ProfileTurn turn, std::string name, std::string kind,
                    Step step, double leases) {
  FaultPlan fault;
  fault.name = std::move(name);
  fault.kind = std::move(kind);
  fault.on = Trigger{.client = 1, .step = step};
  fault.from = Leases(kWarm + kApart * turn.index, plan);
  fault.every = Leases(kApart * turn.count, plan);
  fault.length = Leases(leases, plan);
  const Duration room = plan.duration - fault.from - fault.length - Leases(kCalmEnd, plan);
  const int64_t further = room < Duration{} || fault.every <= Duration{} ? 0 : room / fault.every;
  fault.times = static_cast<int>(std::min<int64_t>(1 + further, INT32_MAX));
  return fault;
}

std::vector<FaultPlan> Network(const Plan& plan, ProfileTurn turn) {
  FaultPlan stalled = Scheduled(plan, turn, "stalled-link", "stall", Step::kBeforeWrite, kStall);
  stalled.client = 1;
  stalled.direction = "request";
  return {stalled};
}

std::vector<FaultPlan> Pause(const Plan& plan, ProfileTurn turn) {
  FaultPlan stopped = Scheduled(plan, turn, "stopped-client", "pause", Step::kBeforeWrite, kStall);
  stopped.client = 1;
  return {stopped};
}

std::vector<FaultPlan> Clock(const Plan& plan, ProfileTurn turn) {
  FaultPlan section = Scheduled(plan, turn, "long-section", "slow", Step::kAfterRead, kMoved);
  section.client = 1;
  FaultPlan node = Scheduled(plan, turn, "node-clock", "jump", Step::kAfterRead, kMoved);
  for (int number = 1; number <= plan.nodes / 2 + 1; ++number) node.nodes.push_back(number);
  node.by = Leases(1.5, plan);
  std::vector<FaultPlan> faults{section, node};
  const bool moves_clients = !plan.driver || !plan.driver->own_clock;
  if (plan.clients >= 2 && moves_clients) {
    FaultPlan client = Scheduled(plan, turn, "client-clock", "jump", Step::kAfterRead, kMoved);
    client.client = 2;
    client.by = Leases(3, plan);
    faults.push_back(client);
  }
  return faults;
}

// Kills clients in descending order of their numbers. If there are more than two clients, spares
// clients 1 and 2, which other profiles use. The remaining clients show whether the lock becomes
// free.
std::vector<FaultPlan> Crash(const Plan& plan, ProfileTurn turn) {
  const FaultPlan first = Scheduled(plan, turn, "", "crash", Step::kBeforeWrite, 0);
  const int most = std::min(first.times, std::max(1, plan.clients - 2));
  std::vector<FaultPlan> faults;
  for (int i = 0; i < most; ++i) {
    FaultPlan fault = first;
    fault.client = plan.clients - i;
    fault.on->client = *fault.client;
    fault.name = fmt::format("killed-client-{}", *fault.client);
    fault.from += first.every * i;
    fault.every = {};
    fault.times = 1;
    faults.push_back(std::move(fault));
  }
  return faults;
}

std::string FindCrashIncompatibility(const Plan& plan) {
  if (plan.clients >= 2) return "";
  return "it kills clients one by one, so it needs 2 or more";
}

// Nodes stay down for at least the lock's restart-delay, if the lock has one.
std::vector<FaultPlan> Restart(const Plan& plan, ProfileTurn turn) {
  const bool shares_keys = FindTopology(plan.topology)->lead == Lead::kCluster;
  const bool has_delay = plan.lock_options.contains("restart-delay");
  const Duration kept_out = has_delay ? Options(plan.lock_options).Span("restart-delay") : 0s;
  const Duration down = std::max(Leases(kDown, plan), kept_out);
  const Duration back = down + Leases(kComingBack, plan) + (shares_keys ? kRejoining : 0s);
  const double away = ToSeconds(back) / ToSeconds(plan.lease);
  FaultPlan nodes = Scheduled(plan, turn, "empty-nodes", "restart", Step::kAfterRead, away);
  nodes.length = down;
  nodes.data = IsExternal(plan) ? kOwnData : "empty";
  if (shares_keys) {
    nodes.nodes = {turn.master};
  } else {
    for (int number = 1; number <= plan.nodes / 2 + 1; ++number) nodes.nodes.push_back(number);
  }
  FaultPlan section = nodes;
  section.name = "holder-over-restart";
  section.kind = "slow";
  section.length = Leases(kLong, plan);
  section.data = {};
  section.nodes = {};
  return {section, nodes};
}

// K19: client 1 is granted the lock while replication is cut, so no replica has this grant. The cut
// begins more than a lease earlier, so that the leases that replicas have received have ended.
std::vector<FaultPlan> Failover(const Plan& plan, ProfileTurn turn) {
  const bool by_hand = !FindTopology(plan.topology)->FailsOver();
  FaultPlan cut{.name = "cut", .kind = "cut-replication", .nodes = {turn.master}};
  cut.from = Leases(kWarm + kApart * turn.index, plan);
  cut.until_fault = FaultMoment{.fault = "promoted", .ended = true};
  const auto behind_it = [&](const char* name, const char* kind, double leases) {
    FaultPlan fault{.name = name, .kind = kind, .length = Leases(leases, plan)};
    fault.from = cut.from + Leases(kForgotten, plan);
    fault.on = Trigger{.client = 1, .step = Step::kAfterRead};
    return fault;
  };
  // All three start at the same step of the same grant.
  FaultPlan section = behind_it("lost-grant", "slow", kAlone);
  FaultPlan crash = behind_it("dead-master", "crash", 0);
  crash.nodes = {turn.master};
  FaultPlan promoted = behind_it("promoted", "promote", 0);
  promoted.nodes = {plan.nodes + (turn.master - 1) * plan.replicas + 1};
  promoted.how = by_hand ? "by-hand" : "awaited";
  return {cut, section, crash, promoted};
}

std::string FindFailoverIncompatibility(const Plan& plan) {
  const TopologyEntry& topology = *FindTopology(plan.topology);
  if (!topology.HasReplicas()) {
    return fmt::format(
        "it needs replicas, which '{}' does not have; use replicated, sentinel or cluster",
        plan.topology);
  }
  if (topology.FailsOver() && plan.replicas > 1) {
    return fmt::format("in '{}' a vote decides which of {} replicas takes over: use one replica",
                       plan.topology, plan.replicas);
  }
  // If a vote takes longer than client 1's section, that section may end before the next grant, and
  // there is no violation.
  const Duration vote = plan.down_after + kVote;
  if (topology.FailsOver() && Leases(kAlone, plan) < vote) {
    const auto lease = std::chrono::ceil<std::chrono::seconds>(vote / kAlone);
    const auto whole =
        std::chrono::ceil<std::chrono::seconds>(lease * (kWarm + kForgotten + kAlone + 1) + vote);
    return fmt::format(
        "a vote of '{}' may take {}, and a grant with a lease of {} may end before: use a lease of "
        "{} or more, and a duration of {} or more",
        plan.topology, FormatDuration(vote), FormatDuration(plan.lease), FormatDuration(lease),
        FormatDuration(whole));
  }
  return "";
}

}  // namespace

std::span<const ProfileEntry> Profiles() {
  static constexpr std::array entries{
      ProfileEntry{"network", "client 1's requests stall past its lease, just before it writes",
                   Network},
      ProfileEntry{"pause", "client 1 is stopped past its lease, just before it writes", Pause},
      ProfileEntry{
          "clock",
          "while client 1 holds the lock, the clocks of a majority and of client 2 jump ahead",
          Clock},
      ProfileEntry{"crash", "clients are killed one by one, just before they write", Crash,
                   FindCrashIncompatibility},
      ProfileEntry{"restart",
                   "while client 1 holds the lock, a majority of the nodes restarts empty",
                   Restart},
      ProfileEntry{"failover", "the master dies with client 1's grant, and a replica takes over",
                   Failover, FindFailoverIncompatibility},
  };
  return entries;
}

Duration LeastDuration(Lease lease, int count) {
  const double leases = kWarm + kApart * std::max(0, count - 1) + kStall + kCalmEnd;
  return std::chrono::ceil<std::chrono::seconds>(
      Duration(std::llround(leases * static_cast<double>(ToNs(lease)))));
}

}  // namespace doublehold
