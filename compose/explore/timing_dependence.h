// Decides whether the outcome of an execution depends on short times. On real servers clients start
// one after the other and messages take longer. If the outcome depends on these times, a real run
// may have another outcome.
#ifndef DOUBLEHOLD_COMPOSE_EXPLORE_TIMING_DEPENDENCE_H_
#define DOUBLEHOLD_COMPOSE_EXPLORE_TIMING_DEPENDENCE_H_

#include <optional>
#include <string>
#include <vector>

#include "checker/verdict/checker.h"
#include "compose/explore/simulate.h"
#include "lib/sim/fault_sites.h"

namespace doublehold {

// On real servers clients start lease / kStaggersPerLease apart. This is long enough for the first
// attempt of the previous client, even on a busy machine.
constexpr int kStaggersPerLease = 8;

// Returns the places at which a fault could begin in the execution with the choices `before` and no
// further choices.
std::vector<sim::FaultPlace> FindFaultPlaces(const Scenario& scenario,
                                             const sim::Deviations& before);

// The time on which the outcome depends, and the outcome after the change.
struct TimingDependence {
  std::string on;                       // for example "clients that begin 25ms apart"
  Outcome outcome = Outcome::kUnknown;  // kUnknown also if a fault has no corresponding place
};

// Simulates the execution again with slower messages or later starts of the clients. The changed
// times are 1/1600 to 1/8 of a lease. The faults begin at the corresponding places. Returns the
// first change after which the claim's outcome is not `outcome`. Returns nothing for an execution
// with delays, because its dependence is not checked.
std::optional<TimingDependence> FindTimingDependence(const Scenario& scenario,
                                                     const sim::Deviations& choices,
                                                     const CheckerEntry& claim, Outcome outcome);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_EXPLORE_TIMING_DEPENDENCE_H_
