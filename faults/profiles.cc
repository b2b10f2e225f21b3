// The named sets of faults, with times that follow from the lease L and the duration of the plan.
//
//   0    0.6 L                  4.1 L                  7.6 L            duration
//   |------|===length===|---------|===length===|---------|===length===|--|
//
// A first start once the run is warm, then one every 3.5 L: long enough for a fault of 1.6 L, for the
// lease that follows it to end, and for calm between. The last must end 0.5 L before the run does.
// Several profiles take turns: a client that is stopped sends nothing that a network could keep.
#include <algorithm>
#include <array>
#include <cmath>

#include "faults/profiles.h"

namespace doublehold {
namespace {

// Past the lease with room to spare, yet shorter than two.
constexpr double kStall = 1.6;
constexpr double kApart = 3.5;
// A clock is moved while somebody holds, and no longer.
constexpr double kMoved = 0.6;

Duration Leases(double count, const Plan& plan) {
  return Duration(std::llround(count * static_cast<double>(ToNs(plan.lease))));
}

// A fault of this kind, `leases` long, on the schedule above.
FaultPlan Scheduled(const Plan& plan, ProfileTurn turn, std::string name, std::string kind,
                    Step step, double leases) {
  FaultPlan fault;
  fault.name = std::move(name);
  fault.kind = std::move(kind);
  fault.on = Trigger{.client = 1, .step = step};
  fault.from = Leases(0.6 + kApart * turn.index, plan);
  fault.every = Leases(kApart * turn.count, plan);
  fault.length = Leases(leases, plan);
  const Duration room = plan.duration - fault.from - fault.length - Leases(0.5, plan);
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
  if (plan.clients >= 2) {
    FaultPlan client = Scheduled(plan, turn, "client-clock", "jump", Step::kAfterRead, kMoved);
    client.client = 2;
    client.by = Leases(3, plan);
    faults.push_back(client);
  }
  return faults;
}

}  // namespace

std::span<const ProfileEntry> Profiles() {
  static constexpr std::array entries{
      ProfileEntry{"network", "client 1's requests stall past its lease, just before it writes",
                   Network},
      ProfileEntry{"pause", "client 1 is stopped past its lease, just before it writes", Pause},
      ProfileEntry{"clock", "while client 1 holds, a majority's clocks and client 2's jump ahead",
                   Clock},
  };
  return entries;
}

}  // namespace doublehold
