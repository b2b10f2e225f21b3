// What is judged of a run: the claims that its workload is made for, or those that are asked for,
// and limits of the user's.
#ifndef DOUBLEHOLD_COMPOSE_PLAN_CLAIM_SETTINGS_H_
#define DOUBLEHOLD_COMPOSE_PLAN_CLAIM_SETTINGS_H_

#include <string>
#include <vector>

#include "compose/plan/setting_reader.h"
#include "lib/locks/registry.h"
#include "lib/plan/plan.h"

namespace doublehold {

std::vector<std::string> ClaimNames();

// What is judged unless something else is asked for. `lock` is the plan's, here and below; its
// workload is known.
std::vector<std::string> UsualClaims(const Plan& plan, const LockEntry& lock);

// The setting `claims`, and the table `limits`: a claim of which there is a limit is judged
// whatever else is.
void ReadClaims(SettingReader& reader, const LockEntry& lock, Plan& plan);

// What of them cannot be, in a plan that was not made of settings; empty: nothing.
std::string WhyNotJudged(const Plan& plan, const LockEntry& lock);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_PLAN_CLAIM_SETTINGS_H_
