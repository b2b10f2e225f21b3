#include <gtest/gtest.h>

#include "workloads/testing.h"

namespace doublehold {
namespace {

using testing::Lines;
using testing::WorkloadScene;
using QueueOutcome = testing::Attempt::Outcome;

TEST(Queue, AClientHoldsForAWhile) {
  WorkloadScene scene("queue",
                      {{"work", "100ms"}, {"work-distribution", "fixed"}, {"think", "0s"}});
  EXPECT_TRUE(scene.workload->Setup(scene.env));
  scene.Step();
  EXPECT_EQ(scene.lock.said, (Lines{"0 acquire", "100 release 1"}));
}

TEST(Queue, NoClientGivesUpAtTheEndOfTheRun) {
  WorkloadScene scene("queue", {{"patience", "3s"}, {"think", "0s"}}, QueueOutcome::kBusy);
  scene.session.policy = {.interval = 50ms, .retries = 2, .timeout = 10ms};
  scene.Step();
  EXPECT_GE(scene.world.Elapsed(), 3s);
  EXPECT_GT(scene.lock.said.size(), 50u);
}

TEST(Queue, ClientsArriveAtRandom) {
  WorkloadScene scene("queue", {{"work", "0s"}, {"think", "50ms"}});
  scene.Step();
  const Duration first = scene.world.Elapsed();
  EXPECT_GT(first, 0ms) << "not all together at the start";
  scene.Step();
  EXPECT_NE(scene.world.Elapsed(), 2 * first);
}

}  // namespace
}  // namespace doublehold
