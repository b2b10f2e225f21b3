<<<<<<< HEAD
// An execution as files, and back.
=======
// One simulated execution told step by step, and written down.
>>>>>>> 0485f83 (replay: --json, its test; report: --svg, the picture of a run alone; the docs of explore and replay; a stock that is never sold out)
#include "compose/trace.h"

#include <gtest/gtest.h>

<<<<<<< HEAD
#include <nlohmann/json.hpp>
#include <string>

#include "compose/program.h"
#include "compose/run_once.h"
#include "compose/testing_explore.h"
=======
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "compose/run_once.h"
#include "compose/scenario_settings.h"
#include "lib/base/check.h"
>>>>>>> 0485f83 (replay: --json, its test; report: --svg, the picture of a run alone; the docs of explore and replay; a stock that is never sold out)

namespace doublehold {
namespace {

<<<<<<< HEAD
using sim::SimFault;

class TraceFiles : public ::testing::Test {
 protected:
  // What is written there of an execution with one pause.
  Result<void> WriteTo(const std::filesystem::path& folder) {
    const Searched searched{.lock = "set-nx-px", .faults = {SimFault::kPause}};
    replay_.settings.Set("lock.name", "set-nx-px", "test");
    replay_.faults = searched.faults;
    replay_.choices = *sim::ParseDeviations("0:1");
    const Scenario scenario = ScenarioOf(searched);
    sim::GivenChoices given(replay_.choices);
    execution_ = Simulate(scenario, given);
    verdict_ = Judge(execution_.history);
    return WriteTrace(folder, {.replay = replay_,
                               .plan = scenario.plan,
                               .execution = execution_,
                               .verdict = verdict_,
                               .steps = StepsOf(execution_.history, verdict_)});
  }

  TestFolder folder_;
  ReplayString replay_;
  Execution execution_;
  RunVerdict verdict_;
};

TEST_F(TraceFiles, AreARunFolderThatJudgesAsTheExecutionDid) {
  const std::filesystem::path folder = folder_.path() / "deep" / "execution";
  ASSERT_TRUE(WriteTo(folder).has_value());
  for (const char* file : {"history.jsonl", "history.bin"}) {
    const Result<History> history = ReadHistory(folder / file);
    ASSERT_TRUE(history.has_value()) << history.error().message;
    EXPECT_EQ(history->events, execution_.history.events) << file;
  }
  EXPECT_EQ(ReadJson(folder / "verdict.json").at("overall"), "violated");
  const nlohmann::json trace = ReadJson(folder / "trace.json");
  EXPECT_EQ(trace.at("version"), 1);
  EXPECT_EQ(trace.at("choices").dump(), R"([{"at":0,"choice":1}])");
  EXPECT_EQ(trace.at("faults").dump(),
            R"([{"fault":"pause","what":"client 1 stopped for 640ms"}])");
  EXPECT_EQ(trace.at("steps").at(1).dump(),
            R"({"at_ns":200000,"kind":"fault","text":"client 1 stopped for 640ms"})");
}

TEST_F(TraceFiles, AreReplayedAsTheyWereWritten) {
  const std::filesystem::path folder = folder_.path() / "execution";
  ASSERT_TRUE(WriteTo(folder).has_value());
  for (const std::string& what :
       {folder.string(), (folder / "trace.json").string(), ToText(replay_)}) {
    const Result<ReplayString> read = ReadReplay(what);
    ASSERT_TRUE(read.has_value()) << read.error().message;
    EXPECT_EQ(ToText(*read), ToText(replay_));
  }
}

TEST_F(TraceFiles, GoIntoAFolderOfTheirOwn) {
  std::filesystem::create_directories(folder_.path() / "full");
  WriteFile(folder_.path() / "full" / "mine", "mine");
  const Result<void> refused = WriteTo(folder_.path() / "full");
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message.find("full: not empty: name a folder that is new, or empty"),
            std::string::npos)
      << refused.error().message;
}

TEST_F(TraceFiles, WhatIsNoneIsSaidWhatIsWrongWith) {
  const std::filesystem::path file = folder_.path() / "trace.json";
  const struct {
    const char* text;
    const char* why;
  } cases[] = {
      {"", "trace.json: no trace of an execution: replay --into writes one"},
      {"{}", "trace.json: no trace of an execution: replay --into writes one"},
      {R"({"version":"1","replay":"v1/"})", "no trace of an execution"},
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
=======
namespace fs = std::filesystem;

// A new folder, gone with the object.
class TempFolder {
 public:
  TempFolder() {
    std::string name = (fs::temp_directory_path() / "doublehold-trace-XXXXXX").string();
    CHECK(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~TempFolder() { fs::remove_all(path_); }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

constexpr const char* kStopped =
    "v1/lock.lease=400ms;lock.name=set-nx-px;retry.interval=0.2 lease;retry.timeout=4 lease;"
    "workload.clients=2;workload.stock=5;workload.think=0s;workload.work=0.5 lease;"
    "workload.work-distribution=fixed/1/pause/";

// What is replayed, with all that is told of it.
struct Told {
  explicit Told(const std::string& text)
      : replay(*ParseReplayString(text)),
        plan(*SimulatedPlan(replay.settings)),
        scenario(ScenarioOf(plan, replay)),
        given(replay.choices),
        execution(Simulate(scenario, given)),
        verdict(Judge(execution.history)),
        steps(StepsOf(execution.history, verdict)) {}
  [[nodiscard]] Trace trace() const {
    return {
        .replay = replay, .plan = plan, .execution = execution, .verdict = verdict, .steps = steps};
  }

  ReplayString replay;
  Plan plan;
  Scenario scenario;
  sim::GivenChoices given;
  Execution execution;
  RunVerdict verdict;
  std::vector<ExecutionStep> steps;
};

TEST(ExecutionStory, IsTheStepsInOrderWithTheFaultsAndWhatIsViolated) {
  const Told told(std::string(kStopped) + "0:1");
  EXPECT_EQ(ToText(told.steps), R"(   1      0.100 ms    client 1 asks for dh:item:0
   2      0.200 ms  ! client 1 stopped for 640ms
   3      0.200 ms    client 2 asks for dh:item:0 8 times until 399.384 ms, and is refused each time
   4    454.179 ms    client 2 is granted dh:item:0; its lease runs until 854.079 ms
   5    454.279 ms    client 2 reads stock 5
   6    640.200 ms  ! that is over: client 1 stopped for 640ms
   7    640.200 ms    client 1 is granted dh:item:0; its lease was over at 400.100 ms
   8    640.200 ms  * exclusion is violated: client 2, which holds since 454.179 ms, and client 1, since 640.200 ms
   9    640.300 ms    client 1 reads stock 5
  10    654.379 ms    client 2 writes 4 over 5
  11    654.479 ms    client 2 tells its customer that it is sold
  12    654.579 ms    client 2 releases dh:item:0
  13    840.300 ms  * stock is violated: client 1, which holds since 640.200 ms, and client 2, since 454.179 ms
  14    840.400 ms    client 1 writes 4 over 5
  15    840.500 ms    client 1 tells its customer that it is sold
  16    840.600 ms    client 1 is told that dh:item:0 is not its own, or gone
  17    840.800 ms    the referee can have dh:item:0, after 0.100 ms
  18    841.100 ms    at the end the stock is 4, of 2 orders
)");
}

TEST(ExecutionStory, OfNothingUnusualHasNeitherFaultsNorViolations) {
  const Told told(kStopped);
  EXPECT_GT(told.steps.size(), 8u);
  for (const ExecutionStep& step : told.steps) EXPECT_EQ(step.kind, ExecutionStep::Kind::kDone);
}

TEST(Trace, IsTheFolderOfARunAndIsReplayed) {
  const Told told(std::string(kStopped) + "0:1");
  const TempFolder folder;
  const fs::path into = folder.path() / "story";
  ASSERT_TRUE(WriteTrace(into, told.trace()).has_value());
  const Result<History> history = ReadHistory(into);
  ASSERT_TRUE(history.has_value()) << history.error().message;
  EXPECT_EQ(history->events, told.execution.history.events);
  EXPECT_EQ(history->facts, told.execution.history.facts);
  for (const fs::path& from : {into, into / "trace.json"}) {
    const Result<ReplayString> replay = ReadReplay(from);
    ASSERT_TRUE(replay.has_value()) << replay.error().message;
    EXPECT_EQ(ToText(*replay), ToText(told.replay));
  }
  const Result<void> again = WriteTrace(into, told.trace());
  ASSERT_FALSE(again.has_value());
  EXPECT_NE(again.error().message.find("not empty: name a folder that is new, or empty"),
            std::string::npos);
}

TEST(Trace, WhatIsNoneIsRefused) {
  const TempFolder folder;
  const fs::path file = folder.path() / "trace.json";
  const struct {
    const char* content;
    const char* why;
  } cases[] = {
      {R"({"version": 2, "replay": "v1"})", "a trace of version 2; this program reads 1"},
      {R"({"version": 1})", "no trace of an execution"},
      {R"({"version": "1", "replay": "v1"})", "no trace of an execution"},
      {R"([1])", "no trace of an execution"},
      {R"({"version": 1, )", "no trace of an execution"},
      {"", "no trace of an execution"},
      {R"({"version": 1, "replay": "v9/a/b/c/d"})", "a replay string of version v9"},
  };
  for (const auto& each : cases) {
    std::ofstream(file) << each.content;
    const Result<ReplayString> read = ReadReplay(file);
    ASSERT_FALSE(read.has_value()) << each.content;
    EXPECT_NE(read.error().message.find(each.why), std::string::npos) << read.error().message;
    EXPECT_EQ(read.error().code, ExitCode::kBadInput);
  }
>>>>>>> 0485f83 (replay: --json, its test; report: --svg, the picture of a run alone; the docs of explore and replay; a stock that is never sold out)
}

}  // namespace
}  // namespace doublehold
