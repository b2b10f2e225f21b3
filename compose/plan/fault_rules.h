// The rules for the faults of a plan: for each fault, and for the whole timeline.
#ifndef DOUBLEHOLD_COMPOSE_PLAN_FAULT_RULES_H_
#define DOUBLEHOLD_COMPOSE_PLAN_FAULT_RULES_H_

#include <map>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/plan/plan.h"

namespace doublehold {

constexpr int kMostTimes = 100'000;

// Where the user wrote a fault, for messages.
struct FaultPlace {
  std::string fault;  // for example "x.toml:4: fault.0.kind"
  // The place of each setting that the user set, by the setting's name, such as "client".
  std::map<std::string, std::string> settings{};

  [[nodiscard]] const std::string& Of(const std::string& setting) const {
    const auto found = settings.find(setting);
    return found == settings.end() ? fault : found->second;
  }
};

// Checks that names are unique and valid, that targets exist, that every fault ends, and that no
// fault waits for an event that cannot happen. `places` has an entry for each fault.
Result<void> CheckFaults(const Plan& plan, const std::vector<FaultPlace>& places);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_PLAN_FAULT_RULES_H_
