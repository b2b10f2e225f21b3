// What the faults of a plan must hold: each for itself, and as a timeline.
#ifndef DOUBLEHOLD_COMPOSE_PLAN_FAULT_RULES_H_
#define DOUBLEHOLD_COMPOSE_PLAN_FAULT_RULES_H_

#include <map>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/plan/plan.h"

namespace doublehold {

constexpr int kMostTimes = 100'000;

// Where a fault of a plan was written, for messages.
struct FaultPlace {
  std::string fault;                              // "x.toml:4: fault.0.kind"
  std::map<std::string, std::string> settings{};  // by name, of those that are set: "client"

  [[nodiscard]] const std::string& Of(const std::string& setting) const {
    const auto found = settings.find(setting);
    return found == settings.end() ? fault : found->second;
  }
};

// Names are unique and known, targets exist, everything heals, and nothing is waited for in vain. A
// place a fault.
Result<void> CheckFaults(const Plan& plan, const std::vector<FaultPlace>& places);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_PLAN_FAULT_RULES_H_
