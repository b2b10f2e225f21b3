// What an experiment says of itself in advance: the outcome of each claim, and the cause of what is
// violated.
#ifndef DOUBLEHOLD_COMPOSE_PLAN_EXPECTATIONS_H_
#define DOUBLEHOLD_COMPOSE_PLAN_EXPECTATIONS_H_

#include <string>

#include "compose/plan/setting_reader.h"
#include "lib/plan/plan.h"

namespace doublehold {

// The tables `expect` and `expect_cause`. Call when the plan's claims are known.
void ReadExpectations(SettingReader& reader, Plan& plan);

// What of them cannot be, in a plan that was not made of settings; empty: nothing.
std::string WhyNotExpected(const Plan& plan);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_PLAN_EXPECTATIONS_H_
