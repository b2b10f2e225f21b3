// Decides whether the outcome of an execution depends on short times. On real servers clients start
// one after the other and messages take longer. If the outcome depends on that, a real run differs.
#ifndef DOUBLEHOLD_COMPOSE_EXPLORE_TIMING_DEPENDENCE_H_
#define DOUBLEHOLD_COMPOSE_EXPLORE_TIMING_DEPENDENCE_H_

#include <optional>
#include <string>
#include <vector>

#include "checker/verdict/checker.h"
#include "compose/explore/simulate.h"
#include "lib/sim/fault_sites.h"

namespace doublehold {

// On real servers clients start lease / kStaggersPerLease apart. By then the first client has had
// its turn, even on a busy machine.
constexpr int kStaggersPerLease = 8;

// The places at which a fault could begin in the plain continuation of the choices `before`.
std::vector<sim::FaultPlace> PlacesOf(const Scenario& scenario, const sim::Deviations& before);

// The time on which the outcome depends, and the outcome after the change.
struct TimingDependence {
  std::string on;                       // for example "clients that begin 25ms apart"
  Outcome outcome = Outcome::kUnknown;  // kUnknown also if a fault finds no corresponding place
};

// Simulates the execution again with slower messages, and with clients that start apart, from
// 1/1600 to 1/8 of a lease. The faults begin at the corresponding places. Returns the first change
// after which the claim's outcome is not `outcome`. Returns nothing for an execution with delays,
// whose dependence is not checked.
std::optional<TimingDependence> FindTimingDependence(const Scenario& scenario,
                                                     const sim::Deviations& choices,
                                                     const CheckerEntry& claim, Outcome outcome);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_EXPLORE_TIMING_DEPENDENCE_H_
