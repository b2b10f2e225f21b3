#include "faults/sim/sim_faults.h"

#include <deque>
#include <string>
#include <utility>

#include "faults/fault.h"
#include "faults/plans/form_plan.h"
#include "faults/sim/sim_cluster.h"
#include "lib/base/check.h"
#include "lib/base/prng.h"

namespace doublehold {
namespace {

class SimFaults : public sim::OutsideFaults {
 public:
  explicit SimFaults(sim::World& world) : world_(world), cluster_(world) {}

  Begun Begin(FaultForm form, const sim::FaultPlaceNow& place) override {
    const FaultFormEntry& entry = EntryOf(form);
    const sim::WorldTerms& terms = world_.terms();
    FaultPlan fault = PlanOf(
        entry, {.lasts = terms.lasts, .clock_length = terms.lasts, .down = terms.restart_delay});
    if (place.client > 0) fault.client = place.client;
    if (place.node >= 0) fault.nodes = {place.node};
    fault.command = place.command;
    fault.count = place.command.empty() ? 0 : 1;
    const FaultEntry* kind = FindFault(entry.kind);
    CHECK(kind != nullptr);
    healers_.push_back(kind->start(cluster_,
                                   {.plan = fault,
                                    .client = fault.client.value_or(0),
                                    .clients = terms.clients,
                                    .nodes = terms.nodes},
                                   draws_));
    return {.what = kind->what(fault), .until = world_.now() + fault.length};
  }

  bool End(uint32_t number) override { return healers_.at(number).Heal() != kDidNotAct; }

 private:
  sim::World& world_;
  SimCluster cluster_;
  Prng draws_{0, "sim-faults"};  // no form with `runs_kind` draws
  std::deque<Healer> healers_;   // by number; destroyed before the cluster
};

}  // namespace

std::unique_ptr<sim::OutsideFaults> MakeSimFaults(sim::World& world) {
  return std::make_unique<SimFaults>(world);
}

}  // namespace doublehold
