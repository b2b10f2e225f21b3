// Runs the kinds of the fault registry in the simulated world.
#ifndef DOUBLEHOLD_FAULTS_SIM_SIM_FAULTS_H_
#define DOUBLEHOLD_FAULTS_SIM_SIM_FAULTS_H_

#include <memory>

#include "lib/sim/world.h"

namespace doublehold {

// Returns the faults of a world for the forms with `runs_kind`. Each is planned as on real servers
// (faults/plans/form_plan.h), and its kind starts it on a Cluster that acts on the world.
std::unique_ptr<sim::OutsideFaults> MakeSimFaults(sim::World& world);

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_SIM_SIM_FAULTS_H_
