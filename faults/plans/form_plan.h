// Makes a planned fault of a fault form (lib/base/fault_forms.h).
#ifndef DOUBLEHOLD_FAULTS_PLANS_FORM_PLAN_H_
#define DOUBLEHOLD_FAULTS_PLANS_FORM_PLAN_H_

#include <string>

#include "lib/base/fault_forms.h"
#include "lib/base/time.h"
#include "lib/plan/plan.h"

namespace doublehold {

// How long the faults last. All values are above 0.
struct FormExtent {
  Duration lasts{};         // length of a pause and of each held frame; size of a clock jump
  Duration clock_length{};  // how long a clock stays moved
  Duration down{};          // how long a restarting node is down
};

// Sets every field except where the fault acts: the caller sets its start, client, nodes and
// command.
FaultPlan PlanOf(const FaultFormEntry& form, const FormExtent& extent);

// Returns the keys for an experiment file: `kind = "hold"`, `direction = "request"`.
std::string KeysOf(const FaultFormEntry& form);

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_PLANS_FORM_PLAN_H_
