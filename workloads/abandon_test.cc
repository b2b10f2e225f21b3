#include <gtest/gtest.h>

#include "workloads/testing.h"

namespace doublehold {
namespace {

using testing::Lines;
using testing::WorkloadScene;

TEST(Abandon, AnnouncesEveryStepOfASection) {
  WorkloadScene scene("abandon",
                      {{"work", "10ms"}, {"work-distribution", "fixed"}, {"think", "0s"}});
  EXPECT_TRUE(scene.workload->Setup(scene.env));
  EXPECT_EQ(scene.Step(), Lines{}) << "nothing but the lock";
  EXPECT_EQ(scene.lock.said, (Lines{"0 acquire", "10 release 1"}));
  EXPECT_EQ(scene.world.steps,
            (std::vector<Step>{Step::kAfterAcquire, Step::kAfterRead, Step::kBeforeWrite,
                               Step::kAfterWrite, Step::kBeforeRelease, Step::kAfterRelease}));
}

}  // namespace
}  // namespace doublehold
