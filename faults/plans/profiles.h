// Named default sets of faults: `network`, `pause`, `clock`, `crash`, `restart`, `failover`.
#ifndef DOUBLEHOLD_FAULTS_PLANS_PROFILES_H_
#define DOUBLEHOLD_FAULTS_PLANS_PROFILES_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/plan/plan.h"

namespace doublehold {

// The position of a profile among the profiles of a run, from 0. Profiles alternate.
struct ProfileTurn {
  int index = 0;
  int count = 1;
  int master = 1;  // the node that keeps the first lock's key, if masters share the keys
};

struct ProfileEntry {
  std::string_view name;
  std::string_view summary;
  // Makes the set for the plan's lease, duration, nodes and clients.
  std::vector<FaultPlan> (*make)(const Plan&, ProfileTurn);
  // Says why the set does not fit a plan. Returns an empty text if the set fits. Null: it always
  // fits.
  std::string (*incompatibility)(const Plan&) = nullptr;
};

std::span<const ProfileEntry> Profiles();

// Returns the shortest duration, in whole seconds, in which one fault of each of `count` profiles
// begins and ends.
Duration LeastDuration(Lease lease, int count);

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_PLANS_PROFILES_H_
