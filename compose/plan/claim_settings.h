// Selects the claims that are judged: the workload's claims or the claims that the user named, and
// the limits that the user set.
#ifndef DOUBLEHOLD_COMPOSE_PLAN_CLAIM_SETTINGS_H_
#define DOUBLEHOLD_COMPOSE_PLAN_CLAIM_SETTINGS_H_

#include <string>
#include <vector>

#include "compose/plan/setting_reader.h"
#include "lib/locks/registry.h"
#include "lib/plan/plan.h"

namespace doublehold {

std::vector<std::string> ClaimNames();

// Returns the claims that are judged by default. Here and below, `lock` is the plan's lock, and the
// plan's workload is registered.
std::vector<std::string> UsualClaims(const Plan& plan, const LockEntry& lock);

// Reads the setting `claims` and the table `limits`. A claim with a limit is always judged.
void ReadClaims(SettingReader& reader, const LockEntry& lock, Plan& plan);

// Checks the claims and limits of a plan that was not built from settings. Says which of them
// cannot be judged. Returns an empty text if all can be judged.
std::string ExplainUnjudgedClaims(const Plan& plan, const LockEntry& lock);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_PLAN_CLAIM_SETTINGS_H_
