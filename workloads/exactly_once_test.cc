#include <gtest/gtest.h>

#include "workloads/testing.h"

namespace doublehold {
namespace {

using testing::Lines;
using testing::Values;
using testing::WorkloadScene;
using ExactlyOnceOutcome = testing::Attempt::Outcome;

struct ExactlyOnceScene : WorkloadScene {
  explicit ExactlyOnceScene(ExactlyOnceOutcome outcome = ExactlyOnceOutcome::kGranted)
      : WorkloadScene("exactly-once", {{"slot", "100ms"}, {"work", "0s"}}, outcome) {
    EXPECT_TRUE(workload->Setup(env));
  }
  Lines& results() { return store.lists["dh:results"]; }
};

TEST(ExactlyOnce, ATaskWithoutAResultIsDoneAndSaved) {
  ExactlyOnceScene scene;
  EXPECT_EQ(scene.Step(), (Lines{"0 invoke save", "0 ok save"}));
  EXPECT_EQ(scene.results(), Lines{"0"});
  EXPECT_EQ(scene.lock.said, (Lines{"0 acquire", "0 release 1"}));
  EXPECT_EQ(scene.world.steps,
            (std::vector<Step>{Step::kAfterAcquire, Step::kAfterRead, Step::kBeforeWrite,
                               Step::kAfterWrite, Step::kBeforeRelease, Step::kAfterRelease}));
}

TEST(ExactlyOnce, ATaskWithAResultIsNotDoneAgain) {
  ExactlyOnceScene scene;
  scene.results() = {"0"};
  EXPECT_EQ(scene.Step(), (Lines{"0 invoke save", "0 fail save"}));
  EXPECT_EQ(scene.results(), Lines{"0"});
}

TEST(ExactlyOnce, AResultSavedSinceTheCheckIsSavedAgain) {
  ExactlyOnceScene scene;
  scene.world.on_step = [&](Step step) {
    if (step == Step::kBeforeWrite) scene.results().emplace_back("0");
  };
  scene.Step();
  EXPECT_EQ(scene.results(), (Lines{"0", "0"})) << "twice, if nobody excludes it";
}

TEST(ExactlyOnce, AllClientsTakeTheTaskOfTheSlot) {
  ExactlyOnceScene scene;
  scene.Step();
  EXPECT_EQ(scene.Step(), (Lines{"100 invoke save", "100 ok save"})) << "when its slot begins";
  scene.world.Advance(330ms);
  EXPECT_EQ(scene.Step(), (Lines{"430 invoke save", "430 ok save"}));
  EXPECT_EQ(scene.results(), (Lines{"0", "1", "4"})) << "one that is late skips what is over";
  for (const Event& event : scene.world.events) {
    if (event.op == Op::kSave && event.at_ns == 430'000'000) {
      EXPECT_EQ(event.value[0], 4);
    }
  }
}

TEST(ExactlyOnce, AFailureOfTheStoreIsRecordedAsFailOrInfo) {
  const struct {
    const char* command;
    bool definite;
    Lines recorded;
  } cases[] = {
      {"LPOS", false, {}},
      {"RPUSH", true, {"0 invoke save", "0 fail save"}},
      {"RPUSH", false, {"0 invoke save", "0 info save"}},
  };
  for (const auto& [command, definite, recorded] : cases) {
    ExactlyOnceScene scene;
    scene.store.failures[command] = {.definite = definite};
    EXPECT_EQ(scene.Step(), recorded) << command;
    EXPECT_EQ(scene.lock.said.back(), "0 release 1");
  }
}

TEST(ExactlyOnce, NothingIsDoneWithoutTheLock) {
  ExactlyOnceScene scene(ExactlyOnceOutcome::kUnknown);
  EXPECT_EQ(scene.Step(), Lines{});
  EXPECT_EQ(scene.results(), Lines{});
}

TEST(ExactlyOnce, TheRefereeCountsTasksAndResults) {
  ExactlyOnceScene scene;
  scene.results() = {"0", "1", "1", "2"};
  scene.workload->Finish(scene.env);
  ASSERT_NE(scene.Find(Op::kFinal, EventType::kOk), nullptr);
  EXPECT_EQ(scene.Find(Op::kFinal, EventType::kOk)->value, (std::array<int64_t, 4>{3, 4, 0, 0}));
  ExactlyOnceScene silent;
  silent.store.failures["LRANGE"] = {};
  silent.workload->Finish(silent.env);
  EXPECT_TRUE(silent.world.events.empty());
}

}  // namespace
}  // namespace doublehold
