#include <gtest/gtest.h>

#include <map>

#include "lib/testing/scripted_lock.h"
#include "workloads/workload.h"

namespace doublehold {
namespace {

using testing::Attempt;
using testing::FakeEnv;
using testing::ScriptedLock;
using testing::Told;
using testing::World;
using Outcome = testing::Attempt::Outcome;
using Lines = std::vector<std::string>;
using Values = std::map<std::string, std::string>;

// As much of a store as the workload asks for.
class FakeStore {
 public:
  explicit FakeStore(World& world) {
    world.answer = [this](NodeId node, const Lines& words) { return Answer(node, words); };
  }

  std::map<std::string, int64_t> numbers;
  std::map<std::string, Lines> lists;
  Lines commands;
  std::map<std::string, CallFailure> failures;  // by command

 private:
  CallResult Answer(NodeId node, const Lines& words) {
    EXPECT_EQ(node, kStoreId) << "the workload does not talk to lock nodes";
    commands.push_back(words[0] + " " + words[1]);
    if (const auto failure = failures.find(words[0]); failure != failures.end()) {
      return tl::unexpected(failure->second);
    }
    if (words[0] == "SET") return numbers[words[1]] = std::stoll(words[2]), Status("OK");
    if (words[0] == "DECR") return Integer(--numbers[words[1]]);
    if (words[0] == "RPUSH") {
      lists[words[1]].push_back(words[2]);
      return Integer(static_cast<int64_t>(lists[words[1]].size()));
    }
    if (words[0] == "LLEN") return Integer(static_cast<int64_t>(lists[words[1]].size()));
    EXPECT_EQ(words[0], "GET");
    if (!numbers.contains(words[1])) return Reply{};
    return Reply{.kind = Reply::Kind::kString, .text = std::to_string(numbers[words[1]])};
  }
  static Reply Integer(int64_t value) { return {.kind = Reply::Kind::kInteger, .integer = value}; }
  static Reply Status(const char* text) { return {.kind = Reply::Kind::kStatus, .text = text}; }
};

struct Scene {
  explicit Scene(const Values& given, Outcome outcome = Outcome::kGranted)
      : lock(world, {{.outcome = outcome}}),
        options(*CompleteOptions("inventory", FindWorkload("inventory")->options, given, 500ms)),
        workload(FindWorkload("inventory")->make(Options(options))),
        session{.env = env, .lock = lock, .client = 1, .lease = 500ms, .policy = {}} {}

  void SetUp() { EXPECT_TRUE(workload->Setup(env)); }
  // One customer; what was recorded of it, without the wait for the lock.
  Lines Sell() {
    workload->Step(session);
    std::vector<Event> sale;
    for (const Event& event : world.events) {
      if (event.op != Op::kWait) sale.push_back(event);
    }
    return Told(sale);
  }
  [[nodiscard]] const Event* Find(Op op, EventType type) const {
    for (const Event& event : world.events) {
      if (event.op == op && event.type == type) return &event;
    }
    return nullptr;
  }

  World world;
  FakeEnv env{world};
  FakeStore store{world};
  ScriptedLock lock;
  Values options;
  std::unique_ptr<Workload> workload;
  Session session;
};

const Values kQuick{{"stock", "10"}, {"work", "0s"}, {"think", "0s"}};

TEST(Inventory, TheRefereeSetsEveryItemUp) {
  Scene scene({{"stock", "7"}, {"items", "3"}});
  scene.SetUp();
  EXPECT_EQ(scene.store.numbers, (std::map<std::string, int64_t>{
                                     {"dh:stock:0", 7}, {"dh:stock:1", 7}, {"dh:stock:2", 7}}));
  EXPECT_EQ(scene.workload->Keys(), (Lines{"dh:item:0", "dh:item:1", "dh:item:2"}));
}

TEST(Inventory, SetupFailsWhenTheStoreDoesNotAnswer) {
  Scene scene(kQuick);
  scene.store.failures["SET"] = {};
  EXPECT_FALSE(scene.workload->Setup(scene.env));
}

TEST(Inventory, ASaleReadsWritesAndOrdersInsideTheLock) {
  Scene scene(kQuick);
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

TEST(Inventory, ReadModifyWriteSetsWhatItReadLessOneWhateverHappenedSince) {
  Scene scene(kQuick);
  scene.SetUp();
  scene.world.on_step = [&](Step step) {
    if (step == Step::kBeforeWrite) scene.store.numbers["dh:stock:0"] = 3;
  };
  scene.Sell();
  EXPECT_EQ(scene.store.numbers["dh:stock:0"], 9) << "a lost update, if nobody excludes it";
}

TEST(Inventory, CheckThenDecrTakesOneOffWhatIsThere) {
  Values options = kQuick;
  options["write"] = "check-then-decr";
  Scene scene(options);
  scene.SetUp();
  scene.world.on_step = [&](Step step) {
    if (step == Step::kBeforeWrite) scene.store.numbers["dh:stock:0"] = 0;
  };
  scene.Sell();
  EXPECT_EQ(scene.store.numbers["dh:stock:0"], -1) << "below zero, if nobody excludes it";
  EXPECT_EQ(scene.Find(Op::kWrite, EventType::kOk)->value[1], -1);
  EXPECT_EQ(scene.Find(Op::kOrder, EventType::kOk)->value[1], -1);
}

TEST(Inventory, NothingIsSoldWhenNothingIsLeft) {
  Scene scene({{"stock", "0"}, {"work", "0s"}, {"think", "0s"}});
  scene.SetUp();
  EXPECT_EQ(scene.Sell(), (Lines{"0 invoke read", "0 ok read"}));
  EXPECT_EQ(scene.lock.said.back(), "0 release 1");
}

TEST(Inventory, NothingIsDoneWithoutTheLock) {
  for (const Outcome outcome : {Outcome::kBusy, Outcome::kUnknown}) {
    Scene scene(kQuick, outcome);
    scene.SetUp();
    scene.store.commands.clear();
    EXPECT_EQ(scene.Sell(), Lines{});
    EXPECT_EQ(scene.store.commands, Lines{});
  }
}

TEST(Inventory, AFailureOfTheStoreIsRecordedAsWhatIsCertainAndSellsNothing) {
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
    Scene scene(kQuick);
    scene.SetUp();
    scene.store.failures[command] = {.definite = definite, .message = "broken"};
    EXPECT_EQ(scene.Sell(), recorded);
    EXPECT_EQ(scene.lock.said.back(), "0 release 1") << "whatever failed, the lock is released";
  }
}

TEST(Inventory, WorksBetweenReadAndWriteFromHalfToOneAndAHalfOfItsTime) {
  Scene scene({{"stock", "1000"}, {"work", "100ms"}, {"think", "0s"}});
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

TEST(Inventory, ThinksOutsideTheLock) {
  Scene scene({{"stock", "10"}, {"work", "0s"}, {"think", "100ms"}});
  scene.SetUp();
  scene.workload->Step(scene.session);
  EXPECT_EQ(scene.lock.said, (Lines{"0 acquire", "0 release 1"}));
  EXPECT_GT(scene.world.Elapsed(), 0ms);
}

TEST(Inventory, CustomersBuyEveryItem) {
  Scene scene({{"stock", "1000"}, {"items", "4"}, {"work", "0s"}, {"think", "0s"}});
  scene.SetUp();
  for (int i = 0; i < 400; ++i) scene.workload->Step(scene.session);
  for (int item = 0; item < 4; ++item) {
    const std::string key = "dh:orders:" + std::to_string(item);
    EXPECT_GT(scene.store.lists[key].size(), 50u) << key;
  }
  for (const Event& event : scene.world.events) EXPECT_LT(event.key, 4);
}

TEST(Inventory, TheRefereeReadsWhatIsLeftAtTheEnd) {
  Scene scene({{"stock", "5"}, {"items", "2"}});
  scene.SetUp();
  scene.store.numbers["dh:stock:1"] = -1;
  scene.store.lists["dh:orders:1"] = Lines(6);
  scene.workload->Finish(scene.env);
  ASSERT_EQ(Told(scene.world.events), (Lines{"0 ok final", "0 ok final"}));
  EXPECT_EQ(scene.world.events[0].value, (std::array<int64_t, 4>{5, 0, 0, 0}));
  EXPECT_EQ(scene.world.events[1].value, (std::array<int64_t, 4>{-1, 6, 0, 0}));
  EXPECT_EQ(scene.world.events[1].key, 1);
}

TEST(Inventory, AnEndThatCannotBeReadIsLeftOut) {
  for (const char* command : {"GET", "LLEN"}) {
    Scene scene(kQuick);
    scene.SetUp();
    scene.store.failures[command] = {.definite = true};
    scene.workload->Finish(scene.env);
    EXPECT_TRUE(scene.world.events.empty()) << command;
  }
  Scene scene(kQuick);  // nobody set the stock up
  scene.workload->Finish(scene.env);
  EXPECT_TRUE(scene.world.events.empty());
}

}  // namespace
}  // namespace doublehold
