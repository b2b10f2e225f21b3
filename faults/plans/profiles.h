// Named default sets of faults: `network`, `pause`, `clock`, `crash`, `restart`, `failover`.
#ifndef DOUBLEHOLD_FAULTS_PLANS_PROFILES_H_
#define DOUBLEHOLD_FAULTS_PLANS_PROFILES_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/plan/plan.h"

namespace doublehold {

// Which of the profiles of a run it is, from 0: they strike in turns.
struct ProfileTurn {
  int index = 0;
  int count = 1;
  int master = 1;  // the node that keeps the key of the first lock, where masters share the keys
};

struct ProfileEntry {
  std::string_view name;
  std::string_view summary;
  // The set for the lease, duration, nodes and clients of the plan.
  std::vector<FaultPlan> (*make)(const Plan&, ProfileTurn);
  // Why there is none for such a plan, or nothing; absent: there always is.
  std::string (*misfit)(const Plan&) = nullptr;
};

std::span<const ProfileEntry> Profiles();

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_PLANS_PROFILES_H_
