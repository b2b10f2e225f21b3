// What a fault is: a function that starts it on a cluster and hands back the guard that heals it.
#ifndef DOUBLEHOLD_FAULTS_FAULT_H_
#define DOUBLEHOLD_FAULTS_FAULT_H_

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "faults/cluster.h"
#include "faults/healer.h"
#include "lib/base/fault_traits.h"
#include "lib/base/prng.h"
#include "lib/base/result.h"
#include "lib/plan/plan.h"

namespace doublehold {

// One start of a fault. `client` is resolved: the plan's target, or the client that reached the
// step; 0: none.
struct Strike {
  const FaultPlan& plan;
  int client = 0;
  int clients = 0;  // of the run, for faults that act on all of them
  int nodes = 0;
  // For faults that end by themselves (the last frame they wait for went on its way). Called once
  // at most, from the supervisor's loop; the fault is to be healed then.
  std::function<void()> on_spent{};
};

struct FaultEntry {
  std::string_view name;
  std::string_view summary;              // for `doublehold list faults`
  FaultTraits traits{};                  // what it does, for who judges the history
  std::vector<std::string_view> keys{};  // of FaultPlan, besides those of every fault
  // Of the frames that it acts on where the plan says nothing: "request", "reply" or "both". Empty:
  // it acts on no frames.
  std::string_view direction{};
  // Acts on links: not with --direct.
  bool needs_network = false;
  bool needs_replicas = false;  // acts on masters and replicas
  // What the keys must hold for this kind; the names are known already.
  Result<void> (*validate)(const FaultPlan&) = nullptr;
  Healer (*start)(Cluster&, const Strike&, Prng&) = nullptr;
  // What the measurement of its healer is held against; 0: it measures nothing, but says whether it
  // acted.
  int64_t (*asked_ns)(const FaultPlan&) = nullptr;
  // It ends when Strike::on_spent is called. Its length is that of each frame, not of the fault.
  bool length_is_of_frames = false;
  // A node comes back, or takes over, with all that had been answered. Absent: it does not.
  bool (*keeps_data)(const Plan&, const FaultPlan&) = nullptr;
  bool of_one_key = false;  // it does something to the key of the plan, and to no other
  // It has no length, and nothing heals it.
  bool is_final = false;
  // It ends when Strike::on_spent is called, whatever `length` means to it.
  bool ends_itself = false;
  // What `doublehold doctor --faults` sets to try it alone, over what it takes for the keys it
  // knows.
  std::vector<std::pair<std::string_view, std::string_view>> trial{};
  // What it does to whom, without when and how long: "client 1 stopped".
  std::string (*what)(const FaultPlan&) = nullptr;
};

// The registry: one line a fault.
std::span<const FaultEntry> Faults();
// The row of that name, or null.
const FaultEntry* FindFault(std::string_view name);
// Of a planned fault, whose kind is in the registry.
bool Does(const FaultPlan& plan, FaultTrait trait);

// What a fault does, in words: "client 1 stopped at before-write for 800ms".
std::string Describe(const FaultPlan& plan);
// What it is to last until: "client 2 reaches before-write", "'promoted' ends"; empty: a length
// only.
std::string AwaitedEnd(const FaultPlan& plan);

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_FAULT_H_
