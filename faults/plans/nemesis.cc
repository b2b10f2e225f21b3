#include "faults/plans/nemesis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "faults/plans/sides.h"
#include "lib/base/check.h"
#include "lib/plan/topology.h"

namespace doublehold {
namespace {

constexpr uint64_t kPercent = 100;

template <typename T>
const T& DrawOne(std::span<const T> choices, Prng& random) {
  return choices[random.Below(choices.size())];
}

bool Chance(uint64_t percent, Prng& random) { return random.Below(kPercent) < percent; }

int DrawClient(const Plan& plan, Prng& random) {
  return 1 + static_cast<int>(random.Below(static_cast<uint64_t>(plan.clients)));
}

// Draws a set of nodes, from one node up to a majority.
std::vector<int> DrawUpToMajority(const Plan& plan, Prng& random) {
  const auto most = static_cast<uint64_t>(plan.nodes / 2 + 1);
  return DrawNodes(1 + static_cast<int>(random.Below(most)), plan.nodes, random);
}

// Rounds down to whole milliseconds, for readability. Returns at least 1 ms.
Duration FloorToMs(Duration span) {
  return std::max<Duration>(1ms, std::chrono::floor<std::chrono::milliseconds>(span));
}

Duration DrawShareOfLease(double least, double most, const Plan& plan, Prng& random) {
  const auto lease_ns = static_cast<double>(ToNs(plan.lease));
  const double share = least + (most - least) * random.Unit();
  return FloorToMs(Duration(static_cast<int64_t>(lease_ns * share)));
}

// Draws the target of a pause: the first client that reaches a step at which it holds the lock,
// another client, nodes, or a client and a node.
FaultPlan DrawPause(const Plan& plan, Duration length, Prng& random) {
  static constexpr std::array kWhileItHolds{Step::kAfterAcquire, Step::kBeforeRelease};
  FaultPlan fault{.name = "pause", .kind = "pause", .length = length};
  const uint64_t whom = random.Below(kPercent);
  if (whom < 40) {
    fault.on = Trigger{.client = 0, .step = DrawOne<Step>(kWhileItHolds, random)};
  } else if (whom < 70) {
    fault.client = DrawClient(plan, random);
  } else if (whom < 90) {
    fault.nodes = DrawUpToMajority(plan, random);
  } else {
    fault.client = DrawClient(plan, random);
    fault.nodes = DrawNodes(1, plan.nodes, random);
  }
  return fault;
}

FaultPlan DrawClock(const Plan& plan, Duration length, Prng& random) {
  static constexpr std::array<std::string_view, 3> kKinds{"jump", "drift", "strobe"};
  FaultPlan fault{.kind = std::string(DrawOne<std::string_view>(kKinds, random)), .length = length};
  fault.name = fault.kind;
  if (Chance(50, random)) {
    fault.client = DrawClient(plan, random);
  } else {
    fault.nodes = DrawUpToMajority(plan, random);
  }
  if (fault.kind == "drift") {
    fault.rate = Chance(50, random) ? 1.1 + 0.9 * random.Unit() : 0.5 + 0.4 * random.Unit();
    return fault;
  }
  fault.by = DrawShareOfLease(0.2, 3, plan, random) * (Chance(50, random) ? 1 : -1);
  if (fault.kind == "strobe") fault.period = DrawShareOfLease(0.02, 0.2, plan, random);
  return fault;
}

FaultPlan DrawNetwork(const Plan& plan, Duration length, Prng& random) {
  static constexpr std::array<std::string_view, 6> kKinds{"delay", "hold",  "drop",
                                                          "reset", "stall", "black-hole"};
  static constexpr std::array<std::string_view, 3> kDirections{"request", "reply", "both"};
  FaultPlan fault{.kind = std::string(DrawOne<std::string_view>(kKinds, random)), .length = length};
  fault.name = fault.kind;
  fault.direction = DrawOne<std::string_view>(kDirections, random);
  if (Chance(70, random)) fault.client = DrawClient(plan, random);
  if (Chance(30, random)) {
    fault.nodes = {kStoreNode};
  } else if (Chance(70, random)) {
    fault.nodes = DrawUpToMajority(plan, random);
  }
  if (fault.kind == "delay") {
    fault.delay = DrawShareOfLease(0.05, 0.5, plan, random);
    fault.jitter = fault.delay / 2;
  }
  if (fault.kind == "hold" || fault.kind == "drop" || fault.kind == "reset") {
    fault.count = 1 + static_cast<int>(random.Below(3));
  }
  return fault;
}

FaultPlan DrawPartition(const Plan& plan, Duration length, Prng& random) {
  static constexpr std::array<std::string_view, 4> kDirections{"both", "both", "request", "reply"};
  FaultPlan fault{.name = "partition", .kind = "partition", .length = length};
  fault.direction = DrawOne<std::string_view>(kDirections, random);
  constexpr int kLeastOfRing = 3;
  if (plan.nodes >= kLeastOfRing && Chance(25, random)) {
    Result<std::vector<Link>> ring = CutLinks("ring", /*client=*/0, plan, random);
    fault.links = std::move(*ring);
    return fault;
  }
  fault.nodes = DrawUpToMajority(plan, random);
  if (Chance(60, random)) fault.client = DrawClient(plan, random);
  return fault;
}

// Restarts one server at a time if the servers are replicas of each other.
FaultPlan DrawRestart(const Plan& plan, Duration length, Prng& random) {
  FaultPlan fault{.name = "restart", .kind = "restart", .length = length};
  fault.nodes =
      plan.replicas > 0 ? DrawNodes(1, ServersOf(plan), random) : DrawUpToMajority(plan, random);
  fault.data = Chance(60, random) ? "empty" : "aof";
  if (IsExternal(plan)) fault.data = kOwnData;
  return fault;
}

const NemesisMember& FindMember(const std::string& name) {
  const auto found = std::ranges::find(NemesisMembers(), name, &NemesisMember::name);
  CHECK(found != NemesisMembers().end());
  return *found;
}

// Draws the member of each fault with the first draw of the fault's own generator. A short run may
// leave out a member by chance. If there are at least as many faults as members, a missing member
// replaces the latest fault of a member that was drawn more than once.
std::vector<std::string> DrawMembers(const Plan& plan, const std::vector<std::string>& members,
                                     int64_t count) {
  std::vector<std::string> drawn;
  std::map<std::string, int64_t> times;
  for (int64_t i = 0; i < count; ++i) {
    Prng random(plan.seed, "nemesis", static_cast<uint64_t>(i));
    drawn.push_back(DrawOne<std::string>(members, random));
    ++times[drawn.back()];
  }
  for (const std::string& member : members) {
    if (times[member] > 0) continue;
    const auto spare = std::ranges::find_if(drawn.rbegin(), drawn.rend(),
                                            [&](const std::string& one) { return times[one] > 1; });
    if (spare == drawn.rend()) break;
    --times[std::exchange(*spare, member)];
    ++times[member];
  }
  return drawn;
}

}  // namespace

// `crash` is no member: a crashed client is not restarted, so a long run would soon have no client.
std::span<const NemesisMember> NemesisMembers() {
  static constexpr std::array members{
      NemesisMember{"pause", "stops a client (perhaps the holder), nodes, or both", false,
                    DrawPause},
      NemesisMember{"clock",
                    "moves the clock of a client or of nodes: jump, drift or strobe, ahead or back",
                    false, DrawClock},
      NemesisMember{"network", "acts on some links: delay, hold, drop, reset, stall or black-hole",
                    true, DrawNetwork},
      NemesisMember{"partition", "cuts clients off from some nodes, in one direction or both", true,
                    DrawPartition},
      NemesisMember{"restart", "kills nodes, and restarts them empty or with their log", false,
                    DrawRestart},
  };
  return members;
}

Result<std::vector<FaultPlan>> DrawNemesis(const Plan& plan, const Nemesis& nemesis) {
  const Duration first = plan.lease;
  const Duration longest = std::max(nemesis.longest, nemesis.kept_out);
  const Duration room = plan.duration - first - plan.lease * kCalmLeases - longest;
  if (room < Duration{}) {
    return BadInput(fmt::format(
        "a run of {} is too short for a fault of {}: no fault begins in the first lease or "
        "lasts into the last {}; use a duration of {} or more",
        FormatDuration(plan.duration), FormatDuration(longest),
        FormatDuration(plan.lease * kCalmLeases), FormatDuration(plan.duration - room)));
  }
  const int64_t count = 1 + room / nemesis.every;
  if (count > kMostDrawnFaults) {
    return BadInput(fmt::format("{} faults are too many: at most {}, one every {}", count,
                                kMostDrawnFaults, FormatDuration(room / kMostDrawnFaults)));
  }
  const std::vector<std::string> members = DrawMembers(plan, nemesis.members, count);
  std::vector<FaultPlan> faults;
  for (int64_t i = 0; i < count; ++i) {
    Prng random(plan.seed, "nemesis", static_cast<uint64_t>(i));
    random.Below(nemesis.members.size());  // skips the draw of the member
    const NemesisMember& member = FindMember(members[static_cast<size_t>(i)]);
    const Duration late = random.Between(Duration{}, nemesis.every / 2);
    const Duration length = FloorToMs(random.Between(nemesis.shortest, nemesis.longest));
    FaultPlan fault = member.draw(plan, length, random);
    if (fault.kind == "restart") fault.length = std::max(fault.length, nemesis.kept_out);
    fault.name = fmt::format("{}-{}", fault.name, i + 1);
    fault.from = FloorToMs(std::min(first + nemesis.every * i + late, first + room));
    fault.drawn_for = members[static_cast<size_t>(i)];
    faults.push_back(std::move(fault));
  }
  return faults;
}

}  // namespace doublehold
