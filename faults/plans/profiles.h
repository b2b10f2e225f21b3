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
  // Explains why the set does not fit a plan; an empty text if it does. Null: it always fits.
  std::string (*incompatibility)(const Plan&) = nullptr;
};

std::span<const ProfileEntry> Profiles();

// The shortest run, in whole seconds, in which each of `count` profiles strikes once and ends.
Duration LeastDuration(Lease lease, int count);

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_PLANS_PROFILES_H_
