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
#include "lib/base/prng.h"
#include "lib/base/result.h"
#include "lib/plan/plan.h"

namespace doublehold {

// Heals a started fault, at the latest when it goes. Move-only; used on the supervisor's thread.
// The function answers what was measured, in ns: how long frames were delayed or a process stopped,
// or how far a clock was moved.
class Healer {
 public:
  Healer() = default;
  explicit Healer(std::function<int64_t()> heal) : heal_(std::move(heal)) {}
  Healer(Healer&& other) noexcept : heal_(std::exchange(other.heal_, nullptr)) {}
  Healer& operator=(Healer&& other) noexcept {
    if (this != &other) {
      Heal();
      heal_ = std::exchange(other.heal_, nullptr);
    }
    return *this;
  }
  ~Healer() { Heal(); }

  // Heals now; later calls do nothing. Answers what was measured, 0 when it was healed before.
  int64_t Heal() { return heal_ ? std::exchange(heal_, nullptr)() : 0; }

 private:
  std::function<int64_t()> heal_;
};

// One start of a fault. `client` is resolved: the plan's target, or the client that reached the
// step; 0: none.
struct Strike {
  const FaultPlan& plan;
  int client = 0;
  int clients = 0;  // of the run, for faults that act on all of them
  int nodes = 0;
  std::function<void()>
      on_spent;  // for faults that end by themselves (a held frame went on its way)
};

struct FaultEntry {
  std::string_view name;
  std::string_view summary;  // for `doublehold list faults`
  std::vector<std::string_view>
      keys;                    // of FaultPlan, besides those of every fault (see plan_toml.h)
  bool needs_network = false;  // acts on links: not with --direct
  Result<void> (*validate)(
      const FaultPlan&);  // what the keys must hold for this kind; the names are known already
  Healer (*start)(Cluster&, const Strike&, Prng&);
  int64_t (*asked_ns)(const FaultPlan&);  // what a measurement is held against
};

// The registry: one line a fault.
std::span<const FaultEntry> Faults();

// A named default set: `network`, `pause`, `clock`.
struct ProfileEntry {
  std::string_view name;
  std::string_view summary;
  std::vector<FaultPlan> (*make)(const Plan&);
};
std::span<const ProfileEntry> Profiles();

// What a fault does, in words: "client 1 stopped at before-write for 800ms".
std::string Describe(const FaultPlan& plan);

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_FAULT_H_
