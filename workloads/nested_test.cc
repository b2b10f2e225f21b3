#include <gtest/gtest.h>

#include "workloads/testing.h"

namespace doublehold {
namespace {

using testing::Lines;
using testing::Values;
using testing::WorkloadScene;
using NestedOutcome = testing::Attempt::Outcome;

struct NestedScene : WorkloadScene {
  explicit NestedScene(const char* throws, NestedOutcome outcome = NestedOutcome::kGranted)
      : WorkloadScene("nested", {{"throws", throws}, {"work", "0s"}, {"think", "0s"}}, outcome) {
    EXPECT_TRUE(workload->Setup(env));
  }
};

TEST(Nested, EntersToTheGivenDepthAndReleasesFromTheInside) {
  NestedScene scene("0");
  scene.Step();
  EXPECT_EQ(scene.lock.said, (Lines{"0 acquire", "0 acquire", "0 acquire", "0 release 3",
                                    "0 release 2", "0 release 1"}));
}

TEST(Nested, ASectionThatThrowsReleasesEveryLevel) {
  NestedScene scene("1");
  for (int i = 0; i < 50; ++i) {
    const size_t before = scene.lock.said.size();
    EXPECT_NO_THROW(scene.Step());
    EXPECT_EQ((scene.lock.said.size() - before) % 2, 0u) << "as many releases as acquires";
  }
  EXPECT_LT(scene.lock.said.size(), 50u * 6) << "some threw before the innermost level";
  EXPECT_GT(scene.lock.said.size(), 50u * 2) << "and some further inside";
}

TEST(Nested, AVariantThatStaysLockedIsNotReleasedWhenASectionThrows) {
  NestedScene scene("1");
  scene.lock.stays_locked_on_throw = true;
  scene.Step();
  for (const std::string& said : scene.lock.said) EXPECT_EQ(said, "0 acquire");
}

TEST(Nested, NothingIsEnteredWithoutTheLock) {
  NestedScene scene("0", NestedOutcome::kBusy);
  scene.Step();
  EXPECT_EQ(scene.lock.said, Lines{"0 acquire"});
}

TEST(Nested, ASectionContinuesWithoutItsInnerLevelIfTheLockIsNotGranted) {
  NestedScene scene("0");
  scene.lock.Then({{.outcome = NestedOutcome::kGranted}, {.outcome = NestedOutcome::kBusy}});
  scene.Step();
  EXPECT_EQ(scene.lock.said, (Lines{"0 acquire", "0 acquire", "0 release 1"}));
}

}  // namespace
}  // namespace doublehold
