// The forms of faults (lib/base/fault_forms.h) as faults of a plan.
#ifndef DOUBLEHOLD_FAULTS_PLANS_FORM_PLAN_H_
#define DOUBLEHOLD_FAULTS_PLANS_FORM_PLAN_H_

#include <string>

#include "lib/base/fault_forms.h"
#include "lib/base/time.h"
#include "lib/plan/plan.h"

namespace doublehold {

// How long they last. All are above 0.
struct FormExtent {
  Duration lasts{};         // a pause, and each frame that is held; a clock jumps by as much
  Duration clock_length{};  // how long a clock stays moved
  Duration down{};          // how long a node that restarts is down
};

// All but the place: the caller sets when it begins, and its client, nodes and command.
FaultPlan PlanOf(const FaultFormEntry& form, const FormExtent& extent);

// How an experiment file asks for it: `kind = "hold"`, `direction = "request"`.
std::string KeysOf(const FaultFormEntry& form);

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_PLANS_FORM_PLAN_H_
