#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "workloads/testing.h"

namespace doublehold {
namespace {

using testing::Lines;
using testing::WorkloadScene;

TEST(Cycle, AcquiresAndReleasesWithNothingInBetween) {
  WorkloadScene scene("cycle", {});
  EXPECT_EQ(scene.Step(), Lines{});
  EXPECT_EQ(scene.lock.said, (Lines{"0 acquire", "0 release 1"}));
  EXPECT_EQ(scene.world.events.front().value[0], 0) << "no customer comes by a schedule";
}

TEST(Cycle, HoldsTheLockForItsWork) {
  WorkloadScene scene("cycle", {{"work", "10ms"}});
  scene.Step();
  EXPECT_EQ(scene.lock.said, (Lines{"0 acquire", "10 release 1"}));
}

TEST(Cycle, CustomersComeByTheirScheduleHoweverSlowTheLockIs) {
  // A hold takes 100 times as long as the mean time between two customers.
  WorkloadScene scene("cycle", {{"work", "100ms"}, {"every", "1ms"}});
  constexpr int kCustomers = 50;
  for (int i = 0; i < kCustomers; ++i) scene.Step();
  std::vector<int64_t> due_ms;
  for (const Event& event : scene.world.events) {
    if (event.op != Op::kWait || event.type != EventType::kInvoke) continue;
    due_ms.push_back(event.value[0] / 1'000'000);
    EXPECT_GT(event.value[0], 0);
    EXPECT_GE(event.at_ns, event.value[0]) << "no customer is served before it comes";
  }
  ASSERT_EQ(due_ms.size(), kCustomers);
  EXPECT_TRUE(std::ranges::is_sorted(due_ms));
  // The sum of 50 exponential times of 1 ms is above 100 ms with a probability below 1e-7.
  EXPECT_LT(due_ms.back(), 100);
  EXPECT_EQ(scene.lock.said.back(), std::to_string(5000 + due_ms.front()) + " release 50");
}

TEST(Cycle, ServesNobodyWhoComesAfterTheEnd) {
  WorkloadScene scene("cycle", {{"every", "10s"}});
  scene.session.ends = scene.env.Mono() + 5ms;
  scene.Step();
  EXPECT_EQ(scene.lock.said, Lines{});
  EXPECT_EQ(scene.env.Mono(), scene.session.ends);
}

TEST(Cycle, WaitsForACustomerWhoHasNotCome) {
  WorkloadScene scene("cycle", {{"every", "10s"}});
  scene.Step();
  EXPECT_EQ(scene.world.events.front().at_ns, scene.world.events.front().value[0]);
}

}  // namespace
}  // namespace doublehold
