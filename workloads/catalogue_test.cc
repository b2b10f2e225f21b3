#include <gtest/gtest.h>

#include "workloads/testing.h"

namespace doublehold {
namespace {

using testing::Lines;
using testing::Values;
using testing::WorkloadScene;
using Numbers = std::map<std::string, int64_t>;
using CatalogueOutcome = testing::Attempt::Outcome;

struct CatalogueScene : WorkloadScene {
  explicit CatalogueScene(const char* writers,
                          CatalogueOutcome outcome = CatalogueOutcome::kGranted)
      : WorkloadScene("catalogue", {{"writers", writers}, {"work", "10ms"}, {"think", "0s"}},
                      outcome) {
    EXPECT_TRUE(workload->Setup(env));
  }
  Numbers Halves() {
    return {{"first", store.numbers["dh:catalogue:first"]},
            {"second", store.numbers["dh:catalogue:second"]}};
  }
};

TEST(Catalogue, AWriterWritesBothHalvesWithWorkBetween) {
  CatalogueScene scene("1");
  scene.Step();
  EXPECT_EQ(scene.TypesOf(Op::kWrite), "invoke ok");
  EXPECT_EQ(scene.Find(Op::kWrite, EventType::kOk)->value, (std::array<int64_t, 4>{0, 1, 0, 0}));
  EXPECT_EQ(scene.Halves(), (Numbers{{"first", 1}, {"second", 1}}));
  EXPECT_GE(scene.world.Elapsed(), 5ms);
  scene.Step();
  EXPECT_EQ(scene.Halves(), (Numbers{{"first", 2}, {"second", 2}}));
}

TEST(Catalogue, AVersionIsNeverUsedTwice) {
  CatalogueScene scene("1");
  scene.world.on_step = [&](Step step) {
    if (step == Step::kBeforeWrite) scene.store.numbers["dh:catalogue:first"] = 0;
  };
  scene.Step();
  scene.Step();
  EXPECT_EQ(scene.store.numbers["dh:catalogue:second"], 2);
}

TEST(Catalogue, AReaderAcquiresTheLockSharedAndReadsBothHalves) {
  CatalogueScene scene("0");
  scene.world.on_step = [&](Step step) {
    if (step == Step::kAfterRead) scene.store.numbers["dh:catalogue:second"] = 1;
  };
  scene.Step();
  EXPECT_TRUE(scene.lock.last_key.shared);
  EXPECT_EQ(scene.TypesOf(Op::kLook), "invoke ok");
  EXPECT_EQ(scene.Find(Op::kLook, EventType::kOk)->value, (std::array<int64_t, 4>{0, 1, 0, 0}))
      << "torn, if nobody excludes writers";
  CatalogueScene writer("1");
  writer.Step();
  EXPECT_FALSE(writer.lock.last_key.shared);
}

TEST(Catalogue, AWriterThatGoesOnAsAReaderHoldsTheLockAllTheTime) {
  WorkloadScene scene("catalogue", {{"writers", "1"}, {"downgrades", "1"}, {"think", "0s"}});
  EXPECT_TRUE(scene.workload->Setup(scene.env));
  scene.Step();
  const auto calls = [&] {
    Lines names;
    for (const std::string& line : scene.lock.said)
      names.push_back(line.substr(line.find(' ') + 1));
    return names;
  };
  EXPECT_EQ(calls(), (Lines{"acquire", "acquire", "release 1", "release 2"}));
  EXPECT_TRUE(scene.lock.last_key.shared);
  EXPECT_EQ(scene.Find(Op::kLook, EventType::kOk)->hold, 2U);
  EXPECT_EQ(scene.Find(Op::kLook, EventType::kOk)->value, (std::array<int64_t, 4>{1, 1, 0, 0}));
}

TEST(Catalogue, AFaultCanBeAimedAtAReaderOrAtAWriterBetweenTheHalves) {
  const auto announced = [](const char* writers) {
    CatalogueScene scene(writers);
    scene.Step();
    return scene.world.steps;
  };
  EXPECT_EQ(announced("0"), (std::vector<Step>{Step::kAfterAcquire, Step::kAfterRead,
                                               Step::kBeforeRelease, Step::kAfterRelease}));
  EXPECT_EQ(announced("1"),
            (std::vector<Step>{Step::kAfterAcquire, Step::kBeforeWrite, Step::kAfterWrite,
                               Step::kBeforeRelease, Step::kAfterRelease}));
}

TEST(Catalogue, TheRequestedShareOfStepsAreWrites) {
  CatalogueScene scene("0.2");
  for (int i = 0; i < 1000; ++i) scene.Step();
  EXPECT_NEAR(static_cast<double>(scene.store.numbers["dh:catalogue:last"]), 200, 40);
}

TEST(Catalogue, AFailureOfTheStoreIsRecordedAsFailOrInfo) {
  const struct {
    const char* writers;
    const char* command;
    bool definite;
    const char* writes;
    const char* looks;
  } cases[] = {
      {"0", "GET", true, "", "invoke"},       {"1", "GET", false, "", ""},
      {"1", "INCR", false, "", ""},           {"1", "SET", true, "invoke fail", ""},
      {"1", "SET", false, "invoke info", ""},
  };
  for (const auto& [writers, command, definite, writes, looks] : cases) {
    SCOPED_TRACE(std::string(command) + " of " + writers);
    CatalogueScene scene(writers);
    scene.store.failures[command] = {.definite = definite};
    scene.Step();
    EXPECT_EQ(scene.TypesOf(Op::kWrite), writes);
    EXPECT_EQ(scene.TypesOf(Op::kLook), looks);
    EXPECT_TRUE(scene.lock.said.back().ends_with("release 1"));
  }
}

TEST(Catalogue, AHalfWithoutReplyMakesTheWriteUnknown) {
  CatalogueScene scene("1");
  scene.world.on_step = [&](Step step) {
    if (step == Step::kBeforeWrite) scene.store.failures["SET"] = {.definite = true};
  };
  scene.Step();
  EXPECT_EQ(scene.TypesOf(Op::kWrite), "invoke info") << "the first half stands";
  EXPECT_EQ(scene.Halves(), (Numbers{{"first", 1}, {"second", 0}}));
}

TEST(Catalogue, NothingIsDoneWithoutTheLock) {
  for (const char* writers : {"0", "1"}) {
    CatalogueScene scene(writers, CatalogueOutcome::kBusy);
    EXPECT_EQ(scene.Step(), Lines{});
  }
}

}  // namespace
}  // namespace doublehold
