#include <gtest/gtest.h>

#include <map>
#include <set>

#include "workloads/testing.h"

namespace doublehold {
namespace {

using testing::Lines;
using testing::Values;
using testing::WorkloadScene;
using BasketOutcome = testing::Attempt::Outcome;

struct BasketScene : WorkloadScene {
  explicit BasketScene(Values given = {}, BasketOutcome outcome = BasketOutcome::kGranted)
      : WorkloadScene("basket", With(std::move(given)), outcome) {
    EXPECT_TRUE(workload->Setup(env));
  }
  static Values With(Values given) {
    given.insert({{"items", "4"}, {"size", "2"}, {"stock", "10"}, {"work", "0s"}, {"think", "0s"}});
    return given;
  }
  // Returns the items of an operation's events of one type, in order.
  std::vector<int> ItemsOf(Op op, EventType type) {
    std::vector<int> items;
    for (const Event& event : world.events) {
      if (event.op == op && event.type == type) items.push_back(event.key);
    }
    return items;
  }
};

TEST(Basket, EachItemIsReadWrittenAndOrderedWithItsOwnHold) {
  BasketScene scene;
  scene.Step();
  const std::vector<int> items = scene.ItemsOf(Op::kOrder, EventType::kOk);
  ASSERT_EQ(items.size(), 2u);
  EXPECT_NE(items[0], items[1]);
  EXPECT_EQ(scene.ItemsOf(Op::kRead, EventType::kOk), items);
  EXPECT_EQ(scene.ItemsOf(Op::kWrite, EventType::kOk), items);
  std::map<int, std::set<uint64_t>> holds;
  for (const Event& event : scene.world.events) {
    if (event.op == Op::kWrite || event.op == Op::kOrder) holds[event.key].insert(event.hold);
  }
  EXPECT_EQ(holds[items[0]], std::set<uint64_t>{1});
  EXPECT_EQ(holds[items[1]], std::set<uint64_t>{2});
  for (const int item : items) {
    EXPECT_EQ(scene.store.numbers["dh:stock:" + std::to_string(item)], 9);
  }
}

TEST(Basket, ItemsAreNamedInRandomOrder) {
  BasketScene scene;
  std::set<std::vector<int>> orders;
  for (int i = 0; i < 200; ++i) {
    scene.world.events.clear();
    scene.Step();
    orders.insert(scene.ItemsOf(Op::kRead, EventType::kInvoke));
  }
  EXPECT_EQ(orders.size(), 4u * 3) << "every pair, both ways";
}

TEST(Basket, NothingIsSoldWhenOneItemIsSoldOut) {
  BasketScene scene(Values{{"size", "4"}});
  scene.store.numbers["dh:stock:2"] = 0;
  scene.Step();
  EXPECT_EQ(scene.TypesOf(Op::kWrite), "");
  EXPECT_EQ(scene.TypesOf(Op::kOrder), "");
}

TEST(Basket, NothingIsOrderedWhenTheOutcomeOfAWriteIsUnknown) {
  for (const bool definite : {true, false}) {
    BasketScene scene;
    scene.store.failures["SET"] = {.definite = definite};
    scene.Step();
    EXPECT_EQ(scene.TypesOf(Op::kWrite), definite ? "invoke fail" : "invoke info");
    EXPECT_EQ(scene.TypesOf(Op::kOrder), "");
  }
}

TEST(Basket, NothingIsDoneIfAStockCannotBeRead) {
  BasketScene scene;
  scene.store.failures["GET"] = {.definite = false};
  scene.Step();
  EXPECT_EQ(scene.TypesOf(Op::kRead), "invoke");
  EXPECT_EQ(scene.TypesOf(Op::kWrite), "");
}

TEST(Basket, NothingIsDoneWithoutAllLocks) {
  BasketScene scene({}, BasketOutcome::kBusy);
  scene.Step();
  EXPECT_EQ(scene.TypesOf(Op::kRead), "");
}

TEST(Basket, ABasketOfMoreItemsThanTheShopHasIsRefused) {
  const WorkloadEntry& entry = *FindWorkload("basket");
  const LockEntry& lock = *FindLock("none");
  EXPECT_EQ(WhyMisfit(entry, Options(BasketScene::With({{"size", "4"}})), lock), "");
  EXPECT_EQ(WhyMisfit(entry, Options(BasketScene::With({{"size", "9"}})), lock),
            "a basket needs 9 different items, but workload.items is 4");
}

}  // namespace
}  // namespace doublehold
