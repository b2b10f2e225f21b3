// The expectations of an experiment: the outcome of each claim, and the cause of a violation.
#ifndef DOUBLEHOLD_COMPOSE_PLAN_EXPECTATIONS_H_
#define DOUBLEHOLD_COMPOSE_PLAN_EXPECTATIONS_H_

#include <string>

#include "compose/plan/setting_reader.h"
#include "lib/plan/plan.h"

namespace doublehold {

// Reads the tables `expect` and `expect_cause`. Requires that the plan's claims are known.
void ReadExpectations(SettingReader& reader, Plan& plan);

// Checks the expectations of a plan that was not built from settings. Says what is wrong. Returns
// an empty text if all are valid.
std::string ExplainInvalidExpectations(const Plan& plan);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_PLAN_EXPECTATIONS_H_
