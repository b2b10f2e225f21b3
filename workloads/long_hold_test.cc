#include <gtest/gtest.h>

#include <algorithm>

#include "workloads/testing.h"

namespace doublehold {
namespace {

using testing::Lines;
using testing::Values;
using testing::WorkloadScene;

const Values kLong{{"keys", "1"},
                   {"long", "1"},
                   {"hold", "250ms"},
                   {"work", "10ms"},
                   {"extend-every", "60ms"},
                   {"think", "0s"},
                   {"work-distribution", "fixed"}};

struct LongHoldScene : WorkloadScene {
  explicit LongHoldScene(const Values& given = kLong) : WorkloadScene("long-hold", given) {
    session.lease = 100ms;
  }
};

Values With(std::string name, std::string value) {
  Values values = kLong;
  values[std::move(name)] = std::move(value);
  return values;
}

TEST(LongHold, ExtendsByHandUntilItLeaves) {
  LongHoldScene scene;
  scene.Step();
  EXPECT_EQ(scene.lock.said, (Lines{"0 acquire", "60 extend 1", "120 extend 1", "180 extend 1",
                                    "240 extend 1", "250 release 1"}));
}

TEST(LongHold, AShortSectionIsNotExtended) {
  LongHoldScene scene(With("long", "0"));
  scene.Step();
  EXPECT_EQ(scene.lock.said, (Lines{"0 acquire", "10 release 1"}));
}

TEST(LongHold, LeavesALockThatExtendsItselfAlone) {
  LongHoldScene scene;
  scene.lock.extends_by_itself = true;
  scene.Step();
  EXPECT_EQ(scene.lock.said, (Lines{"0 acquire", "250 release 1"}));
}

TEST(LongHold, ExtendsALockWithoutLeasesOnlyIfItsLibraryCanExtend) {
  for (const bool can : {false, true}) {
    LongHoldScene scene(With("hold", "100ms"));
    scene.lock.has_leases = false;
    scene.lock.extends_without_lease = can;
    scene.Step();
    EXPECT_EQ(scene.lock.said, can ? (Lines{"0 acquire", "60 extend 1", "100 release 1"})
                                   : (Lines{"0 acquire", "100 release 1"}));
  }
}

TEST(LongHold, LeavesWhenTheLeaseIsLost) {
  LongHoldScene scene;
  scene.lock.extension = Lost{};
  scene.Step();
  EXPECT_EQ(scene.lock.said, (Lines{"0 acquire", "60 extend 1", "60 release 1"}));
}

TEST(LongHold, LeavesWhenTheLeaseEndsBeforeAnExtensionWasConfirmed) {
  LongHoldScene scene;
  scene.lock.extension = Undecided{};
  scene.Step();
  EXPECT_EQ(scene.lock.said, (Lines{"0 acquire", "60 extend 1", "100 release 1"}));
}

TEST(LongHold, LeavesAtTheEndOfTheRun) {
  LongHoldScene scene;
  scene.session.ends = scene.env.Mono() + 70ms;
  scene.Step();
  EXPECT_EQ(scene.lock.said, (Lines{"0 acquire", "60 extend 1", "70 release 1"}));
}

TEST(LongHold, IsRefusedToADriverThatCannotExtendAndToALockThatTakesNone) {
  const WorkloadEntry& workload = *FindWorkload("long-hold");
  const Options options{Values{}};
  LockEntry driver = DriverEntry();
  EXPECT_EQ(WhyMisfit(workload, options, driver), "");
  driver.extends = false;
  EXPECT_NE(WhyMisfit(workload, options, driver), "");
  EXPECT_NE(WhyMisfit(workload, options, *FindLock("watch")), "");
}

TEST(LongHold, UsesAllItsKeys) {
  LongHoldScene scene(With("keys", "3"));
  EXPECT_EQ(scene.workload->Keys(), (Lines{"dh:long:0", "dh:long:1", "dh:long:2"}));
  std::vector<bool> used(3);
  for (int i = 0; i < 50; ++i) {
    scene.Step();
    used[scene.lock.last_key.index] = true;
  }
  EXPECT_EQ(std::ranges::count(used, true), 3);
}

}  // namespace
}  // namespace doublehold
