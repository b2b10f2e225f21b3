#include <gtest/gtest.h>

#include <map>

#include "workloads/testing.h"

namespace doublehold {
namespace {

using testing::FormatEvents;
using testing::Lines;
using testing::Values;
using testing::WorkloadScene;
using InventoryOutcome = testing::Attempt::Outcome;

struct InventoryScene : WorkloadScene {
  explicit InventoryScene(const Values& given,
                          InventoryOutcome outcome = InventoryOutcome::kGranted)
      : WorkloadScene("inventory", given, outcome) {}
  void SetUp() { EXPECT_TRUE(workload->Setup(env)); }
  Lines Sell() { return Step(); }
};

const Values kQuick{{"stock", "10"}, {"work", "0s"}, {"think", "0s"}};

TEST(Inventory, TheRefereeSetsUpEveryItem) {
  InventoryScene scene({{"stock", "7"}, {"items", "3"}});
  scene.SetUp();
  EXPECT_EQ(scene.store.numbers, (std::map<std::string, int64_t>{
                                     {"dh:stock:0", 7}, {"dh:stock:1", 7}, {"dh:stock:2", 7}}));
  EXPECT_EQ(scene.workload->Keys(), (Lines{"dh:item:0", "dh:item:1", "dh:item:2"}));
}

TEST(Inventory, SetupFailsIfTheStoreDoesNotAnswer) {
  InventoryScene scene(kQuick);
  scene.store.failures["SET"] = {};
  EXPECT_FALSE(scene.workload->Setup(scene.env));
}

TEST(Inventory, ASaleReadsWritesAndOrdersInsideTheLock) {
  InventoryScene scene(kQuick);
  scene.SetUp();
  EXPECT_EQ(scene.Sell(), (Lines{"0 invoke read", "0 ok read", "0 invoke write", "0 ok write",
                                 "0 invoke order", "0 ok order"}));
  EXPECT_EQ(scene.lock.said, (Lines{"0 acquire", "0 release 1"}));
  EXPECT_EQ(scene.store.numbers["dh:stock:0"], 9);
  EXPECT_EQ(scene.store.lists["dh:orders:0"], Lines{"1-10"});
  const Event* order = scene.Find(Op::kOrder, EventType::kOk);
  ASSERT_NE(order, nullptr);
  EXPECT_EQ(order->hold, 1u);
  EXPECT_EQ(order->value[0], 10) << "stock read";
  EXPECT_EQ(order->value[1], 9) << "stock written";
  EXPECT_EQ(scene.world.steps,
            (std::vector<Step>{Step::kAfterAcquire, Step::kAfterRead, Step::kBeforeWrite,
                               Step::kAfterWrite, Step::kBeforeRelease, Step::kAfterRelease}));
}

TEST(Inventory, ReadModifyWriteWritesTheValueReadMinusOneRegardlessOfOtherWrites) {
  InventoryScene scene(kQuick);
  scene.SetUp();
  scene.world.on_step = [&](Step step) {
    if (step == Step::kBeforeWrite) scene.store.numbers["dh:stock:0"] = 3;
  };
  scene.Sell();
  EXPECT_EQ(scene.store.numbers["dh:stock:0"], 9) << "a lost update, if nobody excludes it";
}

TEST(Inventory, CheckThenDecrDecrementsTheCurrentStock) {
  Values options = kQuick;
  options["write"] = "check-then-decr";
  InventoryScene scene(options);
  scene.SetUp();
  scene.world.on_step = [&](Step step) {
    if (step == Step::kBeforeWrite) scene.store.numbers["dh:stock:0"] = 0;
  };
  scene.Sell();
  EXPECT_EQ(scene.store.numbers["dh:stock:0"], -1) << "below zero, if nobody excludes it";
  EXPECT_EQ(scene.Find(Op::kWrite, EventType::kOk)->value[1], -1);
  EXPECT_EQ(scene.Find(Op::kOrder, EventType::kOk)->value[1], -1);
}

TEST(Inventory, NothingIsSoldWhenTheStockIsZero) {
  InventoryScene scene({{"stock", "0"}, {"work", "0s"}, {"think", "0s"}});
  scene.SetUp();
  EXPECT_EQ(scene.Sell(), (Lines{"0 invoke read", "0 ok read"}));
  EXPECT_EQ(scene.lock.said.back(), "0 release 1");
}

TEST(Inventory, NothingIsDoneWithoutTheLock) {
  for (const InventoryOutcome outcome : {InventoryOutcome::kBusy, InventoryOutcome::kUnknown}) {
    InventoryScene scene(kQuick, outcome);
    scene.SetUp();
    scene.store.commands.clear();
    EXPECT_EQ(scene.Sell(), Lines{});
    EXPECT_EQ(scene.store.commands, Lines{});
  }
}

TEST(Inventory, AFailureOfTheStoreIsRecordedAsFailOrInfoAndSellsNothing) {
  const struct {
    const char* command;
    bool definite;
    Lines recorded;
  } cases[] = {
      {"GET", true, {"0 invoke read"}},
      {"SET", true, {"0 invoke read", "0 ok read", "0 invoke write", "0 fail write"}},
      {"SET", false, {"0 invoke read", "0 ok read", "0 invoke write", "0 info write"}},
      {"RPUSH",
       true,
       {"0 invoke read", "0 ok read", "0 invoke write", "0 ok write", "0 invoke order",
        "0 fail order"}},
      {"RPUSH",
       false,
       {"0 invoke read", "0 ok read", "0 invoke write", "0 ok write", "0 invoke order",
        "0 info order"}},
  };
  for (const auto& [command, definite, recorded] : cases) {
    SCOPED_TRACE(std::string(command) + (definite ? " definite" : " indefinite"));
    InventoryScene scene(kQuick);
    scene.SetUp();
    scene.store.failures[command] = {.definite = definite, .message = "broken"};
    EXPECT_EQ(scene.Sell(), recorded);
    EXPECT_EQ(scene.lock.said.back(), "0 release 1") << "whatever failed, the lock is released";
  }
}

TEST(Inventory, TheWorkTakesFromHalfToOneAndAHalfOfTheGivenTime) {
  InventoryScene scene({{"stock", "1000"}, {"work", "100ms"}, {"think", "0s"}});
  scene.SetUp();
  Duration shortest = 1s;
  Duration longest = 0s;
  for (int i = 0; i < 200; ++i) {
    const MonoTime begun = scene.world.now;
    scene.workload->Step(scene.session);
    shortest = std::min(shortest, scene.world.now - begun);
    longest = std::max(longest, scene.world.now - begun);
  }
  EXPECT_GE(shortest, 50ms);
  EXPECT_LE(longest, 150ms);
  EXPECT_LT(shortest, 60ms);
  EXPECT_GT(longest, 140ms);
}

TEST(Inventory, PausesAfterTheRelease) {
  InventoryScene scene({{"stock", "10"}, {"work", "0s"}, {"think", "100ms"}});
  scene.SetUp();
  scene.workload->Step(scene.session);
  EXPECT_EQ(scene.lock.said, (Lines{"0 acquire", "0 release 1"}));
  EXPECT_GT(scene.world.Elapsed(), 0ms);
}

TEST(Inventory, CustomersBuyEveryItem) {
  InventoryScene scene({{"stock", "1000"}, {"items", "4"}, {"work", "0s"}, {"think", "0s"}});
  scene.SetUp();
  for (int i = 0; i < 400; ++i) scene.workload->Step(scene.session);
  for (int item = 0; item < 4; ++item) {
    const std::string key = "dh:orders:" + std::to_string(item);
    EXPECT_GT(scene.store.lists[key].size(), 50u) << key;
  }
  for (const Event& event : scene.world.events) EXPECT_LT(event.key, 4);
}

TEST(Inventory, TheRefereeReadsTheStockAtTheEnd) {
  InventoryScene scene({{"stock", "5"}, {"items", "2"}});
  scene.SetUp();
  scene.store.numbers["dh:stock:1"] = -1;
  scene.store.lists["dh:orders:1"] = Lines(6);
  scene.workload->Finish(scene.env);
  ASSERT_EQ(FormatEvents(scene.world.events), (Lines{"0 ok final", "0 ok final"}));
  EXPECT_EQ(scene.world.events[0].value, (std::array<int64_t, 4>{5, 0, 0, 0}));
  EXPECT_EQ(scene.world.events[1].value, (std::array<int64_t, 4>{-1, 6, 0, 0}));
  EXPECT_EQ(scene.world.events[1].key, 1);
}

TEST(Inventory, WithOneLockAHoldHasKeyZeroAndAnOrderHasTheKeyOfItsItem) {
  InventoryScene scene({{"items", "3"}, {"locks", "one"}, {"work", "0s"}, {"think", "0s"}});
  scene.SetUp();
  EXPECT_EQ(scene.workload->Keys(), (Lines{"dh:item:0", "dh:item:1", "dh:item:2"}));
  EXPECT_EQ(scene.workload->LockCount(), 1u) << "only a lock key is probed";
  for (int i = 0; i < 50; ++i) scene.Sell();
  std::map<uint16_t, int> orders;
  for (const Event& event : scene.world.events) {
    if (event.op == Op::kWait) {
      EXPECT_EQ(event.key, 0) << "a hold has the key of its lock";
    }
    if (event.op == Op::kOrder) ++orders[event.key];
  }
  EXPECT_EQ(orders.size(), 3u);
  EXPECT_EQ(InventoryScene(Values{{"items", "3"}}).workload->LockCount(), 3u);
}

TEST(Inventory, WithSkewTheFirstItemsAreMorePopular) {
  InventoryScene scene({{"items", "10"}, {"skew", "2"}, {"work", "0s"}, {"think", "0s"}});
  scene.SetUp();
  for (int i = 0; i < 400; ++i) scene.Sell();
  EXPECT_GT(scene.store.lists["dh:orders:0"].size(), 200u);
  EXPECT_LT(scene.store.lists["dh:orders:9"].size(), 20u);
}

TEST(Inventory, AnUnreadableStockHasNoFinalEvent) {
  for (const char* command : {"GET", "LLEN"}) {
    InventoryScene scene(kQuick);
    scene.SetUp();
    scene.store.failures[command] = {.definite = true};
    scene.workload->Finish(scene.env);
    EXPECT_TRUE(scene.world.events.empty()) << command;
  }
  InventoryScene scene(kQuick);  // the stock was not set up
  scene.workload->Finish(scene.env);
  EXPECT_TRUE(scene.world.events.empty());
}

}  // namespace
}  // namespace doublehold
