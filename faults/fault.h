// The registry entry of a fault: its start function, which returns the Healer, and its properties.
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

// One start of a fault.
struct FaultStart {
  const FaultPlan& plan;
  // The plan's client. If the plan names none, the client that reached the step. 0: every client.
  int client = 0;
  int clients = 0;  // number of clients in the run
  int nodes = 0;
  // Called at most once, from the supervisor's loop, when the fault ends by itself, for example
  // after its last frame. The supervisor then heals the fault.
  std::function<void()> on_limit_reached{};
};

struct FaultEntry {
  std::string_view name;
  std::string_view summary;  // for `doublehold list faults`
  FaultTraits traits{};      // its effects, for the checkers
  // Keys of FaultPlan that the fault uses, besides the keys of every fault.
  std::vector<std::string_view> keys{};
  // The default direction of its frames: "request", "reply" or "both". Empty if the fault acts on
  // no frames.
  std::string_view direction{};
  // Whether it acts on links. Such a fault is refused with --direct.
  bool needs_network = false;
  bool needs_replicas = false;  // acts on masters and replicas
  // The only service whose nodes it acts on (LockEntry::service), besides the store. Empty: all.
  std::string_view service{};
  // Checks the values of the keys. Unknown keys have been refused before.
  Result<void> (*validate)(const FaultPlan&) = nullptr;
  Healer (*start)(Cluster&, const FaultStart&, Prng&) = nullptr;
  // Returns the value with which the healer's measurement is compared, in ns. Returns 0 if there is
  // no such value.
  int64_t (*asked_ns)(const FaultPlan&) = nullptr;
  // Whether `length` applies to each frame and not to the fault. Such a fault ends when
  // FaultStart::on_limit_reached is called.
  bool length_is_of_frames = false;
  // Whether the restarted or promoted node has every acknowledged write. Null: it has not.
  bool (*keeps_data)(const Plan&, const FaultPlan&) = nullptr;
  bool of_one_key = false;  // changes only the plan's key
  // Whether it has no length and is never healed.
  bool is_final = false;
  // Whether it ends when FaultStart::on_limit_reached is called and not after `length`.
  bool ends_itself = false;
  // Settings with which `doublehold doctor --faults` tries the fault. They override its common
  // settings.
  std::vector<std::pair<std::string_view, std::string_view>> trial{};
  // Describes the fault's effect and target, without time and length: "client 1 stopped".
  std::string (*what)(const FaultPlan&) = nullptr;
};

// The registry: one line a fault.
std::span<const FaultEntry> Faults();
// Returns the row with this name, or null.
const FaultEntry* FindFault(std::string_view name);
// Whether the fault's kind has this trait. The kind must be in the registry.
bool Does(const FaultPlan& plan, FaultTrait trait);

// Describes a fault: "client 1 stopped at before-write for 800ms".
std::string Describe(const FaultPlan& plan);
// Describes the event that ends a fault: "client 2 reaches before-write", "'promoted' ends".
// Returns an empty text if no event ends the fault.
std::string AwaitedEnd(const FaultPlan& plan);

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_FAULT_H_
