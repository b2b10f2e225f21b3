// Tests that an execution is written into files and read from them.
#include "compose/replay/trace.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "compose/explore/testing_explore.h"
#include "compose/os/run_folder.h"
#include "compose/testing/program.h"

namespace doublehold {
namespace {

class TraceFiles : public ::testing::Test {
 protected:
  // Writes an execution with one pause.
  Result<void> WriteTo(const std::filesystem::path& folder) {
    const Searched searched{.lock = "set-nx-px", .faults = {FaultForm::kPause}};
    replay_.settings.Set("lock.name", "set-nx-px", "test");
    replay_.faults = searched.faults;
    replay_.choices = *sim::ParseDeviations("0:1");
    Scenario scenario = ScenarioOf(searched);
    sim::GivenChoices given(replay_.choices);
    scenario.terms.frames = &frames_;
    execution_ = Simulate(scenario, given);
    scenario.terms.frames = nullptr;
    verdict_ = Judge(execution_.history);
    return WriteTrace(folder, {.replay = replay_,
                               .plan = scenario.plan,
                               .execution = execution_,
                               .frames = frames_,
                               .verdict = verdict_,
                               .steps = DescribeSteps(execution_.history, verdict_, frames_),
                               .safe = FindNearestSafe(replay_, scenario, verdict_),
                               .curve = curve_});
  }

  TestFolder folder_;
  ReplayString replay_;
  Execution execution_;
  std::vector<Frame> frames_;
  RunVerdict verdict_;
  std::optional<NoReturnCurve> curve_;
};

TEST_F(TraceFiles, AreARunFolderWithTheVerdictOfTheExecution) {
  const std::filesystem::path folder = folder_.path() / "deep" / "execution";
  ASSERT_TRUE(WriteTo(folder).has_value());
  for (const char* file : {"history.jsonl", "history.bin"}) {
    const Result<History> history = ReadHistory(folder / file);
    ASSERT_TRUE(history.has_value()) << history.error().message;
    EXPECT_EQ(history->events, execution_.history.events) << file;
  }
  std::ifstream in(folder / "frames.jsonl");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), ToJsonLines(frames_));
  EXPECT_EQ(frames_.at(0).command, "SET");
  EXPECT_EQ(ReadJson(folder / "verdict.json").at("overall"), "violated");
  const nlohmann::json trace = ReadJson(folder / "trace.json");
  EXPECT_EQ(trace.at("version"), 1);
  EXPECT_EQ(trace.at("choices").dump(), R"([{"at":0,"choice":1}])");
  EXPECT_EQ(trace.at("faults").dump(),
            R"([{"fault":"pause","what":"client 1 stopped for 640ms"}])");
  EXPECT_EQ(trace.at("steps").at(2).dump(),
            R"({"at_ns":200000,"kind":"fault","text":"client 1 stopped for 640ms"})");
}

TEST_F(TraceFiles, HaveTheCurveOfNoReturnIfItWasComputed) {
  ASSERT_TRUE(WriteTo(folder_.path() / "without").has_value());
  EXPECT_FALSE(ReadJson(folder_.path() / "without" / "trace.json").contains("curve"));
  curve_ = {.claim = "exclusion",
            .points = {{.step = 0, .violated = {.of = 40, .violated = 0, .undecided = 1}},
                       {.step = 3, .violated = {.of = 40, .violated = 40}}}};
  ASSERT_TRUE(WriteTo(folder_.path() / "with").has_value());
  const nlohmann::json curve = ReadJson(folder_.path() / "with" / "trace.json").at("curve");
  EXPECT_EQ(curve.at("claim"), "exclusion");
  EXPECT_EQ(curve.at("continuations"), 40);
  EXPECT_EQ(curve.at("jump"), 3);
  EXPECT_EQ(curve.at("sentence"),
            "The share that violates exclusion jumps most at step 3, from 0 % to 100 %: client 1 "
            "stopped for 640ms.");
  nlohmann::json start = curve.at("points").at(0);
  EXPECT_GT(start.at("clopper_pearson_95").at(1), 0.1);
  start.erase("clopper_pearson_95");
  EXPECT_EQ(start.dump(),
            R"({"share":0.0,"step":0,"text":"the start","undecided":1,"violated":0})");
  EXPECT_EQ(curve.at("points").at(1).at("violated"), 40);
}

TEST_F(TraceFiles, AreReplayedAsWritten) {
  const std::filesystem::path folder = folder_.path() / "execution";
  ASSERT_TRUE(WriteTo(folder).has_value());
  for (const std::string& what :
       {folder.string(), (folder / "trace.json").string(), ToText(replay_)}) {
    const Result<ReplayString> read = ReadReplay(what);
    ASSERT_TRUE(read.has_value()) << read.error().message;
    EXPECT_EQ(ToText(*read), ToText(replay_));
  }
}

TEST_F(TraceFiles, NeedAnEmptyFolder) {
  std::filesystem::create_directories(folder_.path() / "full");
  WriteFile(folder_.path() / "full" / "mine", "mine");
  const Result<void> refused = WriteTo(folder_.path() / "full");
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message.find("full: not empty: use a new or an empty folder"),
            std::string::npos)
      << refused.error().message;
}

TEST_F(TraceFiles, ErrorsSayWhatIsWrongWithATrace) {
  const std::filesystem::path file = folder_.path() / "trace.json";
  const struct {
    const char* text;
    const char* why;
  } cases[] = {
      {"", "trace.json: not a trace of an execution; replay --into writes one"},
      {"{}", "trace.json: not a trace of an execution; replay --into writes one"},
      {R"({"version":"1","replay":"v1/"})", "not a trace of an execution"},
      {R"({"version":2,"replay":"v1/"})", "trace.json: a trace of version 2; this program reads 1"},
      {R"({"version":1,"replay":"v1/"})", "2 parts between slashes"},
  };
  for (const auto& each : cases) {
    WriteFile(file, each.text);
    const Result<ReplayString> read = ReadReplay(file.string());
    ASSERT_FALSE(read.has_value()) << each.text;
    EXPECT_NE(read.error().message.find(each.why), std::string::npos) << read.error().message;
  }
  const Result<ReplayString> none = ReadReplay((folder_.path() / "none.json").string());
  ASSERT_FALSE(none.has_value());
  EXPECT_NE(none.error().message.find("none.json: no such file"), std::string::npos);
}

}  // namespace
}  // namespace doublehold
