// Whether what an execution shows hangs on short times. On real servers clients begin one after the
// other and messages take longer, so where it does a real run shows something else.
#ifndef DOUBLEHOLD_COMPOSE_EXPLORE_SHAKEN_H_
#define DOUBLEHOLD_COMPOSE_EXPLORE_SHAKEN_H_

#include <optional>
#include <string>
#include <vector>

#include "checker/verdict/checker.h"
#include "compose/explore/simulate.h"
#include "lib/sim/fault_sites.h"

namespace doublehold {

// By how much of a lease clients begin apart on real servers: by then who begins first has had its
// turn, on a busy machine too.
constexpr int kStaggersPerLease = 8;

// Where faults can strike that are asked for at the plain continuation of what was chosen.
std::vector<sim::FaultPlace> PlacesOf(const Scenario& scenario, const sim::Deviations& before);

// What makes a difference, and what comes out then.
struct Hang {
  std::string on;  // "clients that begin 25ms apart"
  Outcome3 outcome =
      Outcome3::kUnknown;  // kUnknown also where a fault finds no such place to strike
};

// Simulates it again with slower messages, and with clients that begin apart, from a 1,600th to an
// eighth of a lease; the faults strike at the same places. Nothing: the claim comes out as
// `outcome` each time. Of an execution with faults alone: else nothing is known.
std::optional<Hang> HangsOn(const Scenario& scenario, const sim::Deviations& choices,
                            const CheckerEntry& claim, Outcome3 outcome);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_EXPLORE_SHAKEN_H_
