#include "compose/cli/fault_self_test.h"

#include <gtest/gtest.h>

namespace doublehold {
namespace {

// Every kind can be tried: FaultEntry::trial has the settings that the kind needs besides the
// common settings.
TEST(FaultTrial, EveryKindCanBePlannedAlone) {
  for (const FaultEntry& fault : Faults()) {
    const Result<Plan> plan = PlanTrial(fault);
    ASSERT_TRUE(plan.has_value()) << fault.name << ": " << plan.error().message;
    ASSERT_EQ(plan->faults.size(), 1u);
    EXPECT_EQ(plan->faults[0].kind, fault.name);
  }
}

}  // namespace
}  // namespace doublehold
