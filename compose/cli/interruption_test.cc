// Tests interrupted runs and suites, and runs in which a process dies.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "compose/os/run_folder.h"
#include "compose/testing/program.h"
#include "lib/base/paths.h"
#include "lib/os/run_tool.h"
#include "lib/testing/trials.h"

namespace doublehold {
namespace {

namespace fs = std::filesystem;

struct LongRun {
  TestFolder folder;
  fs::path run = folder.path() / "run";
  Program program{{"run", "--lock", "redlock", "--faults", "pause", "--clients", "3", "--duration",
                   "60s", "--into", run.string()}};

  // 1 janitor, 6 servers, 3 clients, 1 referee. Client 3 has set its process name, so every process
  // has started.
  bool IsUp() const {
    return Eventually([&] {
      return program.Descendants().size() >= 11 && program.DescendantNamed("dh-client-3") != 0;
    });
  }
};

TEST(Interruption, CtrlCEndsTheRunWhichIsStillJudgedAndStored) {
  LongRun run;
  ASSERT_TRUE(run.IsUp());
  std::this_thread::sleep_for(std::chrono::seconds(1));  // the history then has events to judge
  run.program.Signal(SIGINT);
  const int status = run.program.Wait();
  EXPECT_TRUE(status == 1 || status == 2) << status << run.program.Out() << run.program.Err();
  EXPECT_NE(run.program.Out().find("verdict: "), std::string::npos) << run.program.Out();
  EXPECT_NE(run.program.Out().find("\ninterrupted after "), std::string::npos) << run.program.Out();
  EXPECT_NE(run.program.Out().find(" s of 60 s\n"), std::string::npos) << run.program.Out();
  EXPECT_TRUE(fs::exists(run.run / "history.jsonl"));
  EXPECT_EQ(run.program.TemporaryFiles(), 0U);
}

TEST(Interruption, CtrlCTwiceEndsTheRunAtOnceAndStillJudgesIt) {
  LongRun run;
  ASSERT_TRUE(run.IsUp());
  std::this_thread::sleep_for(std::chrono::seconds(1));
  run.program.Signal(SIGINT);
  run.program.Signal(SIGTERM);
  const int status = run.program.Wait();
  EXPECT_TRUE(status == 1 || status == 2) << status << run.program.Out() << run.program.Err();
  EXPECT_TRUE(fs::exists(run.run / "verdict.json"));
  EXPECT_EQ(run.program.TemporaryFiles(), 0U);
}

TEST(Interruption, CtrlCWhileARunIsJudgedKeepsWhatItRecorded) {
  LongRun run;
  ASSERT_TRUE(run.IsUp());
  std::this_thread::sleep_for(std::chrono::seconds(1));  // before, no run has begun
  run.program.Signal(SIGINT);
  ASSERT_TRUE(Eventually([&] { return fs::exists(run.run / "history.bin"); }));
  run.program.Signal(SIGINT);
  const int status = run.program.Wait();
  EXPECT_LT(status, 128) << "it says nothing";
  const bool judged = fs::exists(run.run / "verdict.json");
  EXPECT_NE((run.program.Out() + run.program.Err()).find(judged ? "verdict" : "doublehold check "),
            std::string::npos)
      << run.program.Out() << run.program.Err();
}

// A package manager has children of its own; here npm waits for a child.
TEST(Interruption, AnInterruptedInstallationLeavesNothingRunning) {
  const TestFolder folder;
  const std::filesystem::path npm = folder.path() / "npm";
  std::ofstream(npm) << "#!/bin/sh\nsleep 300 &\necho $! > " << (folder.path() / "made").string()
                     << "\nmv " << (folder.path() / "made").string() << " "
                     << (folder.path() / "pid").string() << "\nwait\n";
  std::filesystem::permissions(npm, std::filesystem::perms::owner_all);
  const std::string path = std::getenv("PATH");
  setenv("PATH", (folder.path().string() + ":" + path).c_str(), 1);
  setenv("XDG_CACHE_HOME", (folder.path() / "cache").c_str(), 1);
  Program program({"run", "--driver", "redis-semaphore"});
  unsetenv("XDG_CACHE_HOME");
  setenv("PATH", path.c_str(), 1);
  ASSERT_TRUE(Eventually([&] { return std::filesystem::exists(folder.path() / "pid"); }));
  pid_t child = 0;
  std::ifstream(folder.path() / "pid") >> child;
  ASSERT_EQ(kill(child, 0), 0);
  program.Signal(SIGINT);
  program.Wait();
  EXPECT_TRUE(Eventually([&] { return kill(child, 0) != 0; }));
  EXPECT_TRUE(Eventually(
      [&] { return std::filesystem::is_empty(folder.path() / "cache" / "doublehold"); }));
}

// Kills the program with SIGKILL. Expects that after five seconds none of its processes and
// temporary files is left.
void ExpectNothingLeftInterruption(Program& program) {
  const std::vector<pid_t> started = program.Descendants();
  ASSERT_GT(program.TemporaryFiles(), 0U);
  program.Signal(SIGKILL);
  EXPECT_EQ(program.Wait(), 128 + SIGKILL);
  EXPECT_TRUE(
      Eventually([&] { return std::ranges::all_of(started, IsOver); }, std::chrono::seconds(5)));
  EXPECT_TRUE(Eventually([&] { return program.TemporaryFiles() == 0; }, std::chrono::seconds(5)));
}

TEST(Interruption, KillingTheSupervisorLeavesNothingBehind) {
  LongRun run;
  ASSERT_TRUE(run.IsUp());
  ExpectNothingLeftInterruption(run.program);
}

TEST(Interruption, KillingTheSupervisorKeepsWhatTheRunRecorded) {
  LongRun run;
  ASSERT_TRUE(run.IsUp());
  std::this_thread::sleep_for(std::chrono::seconds(2));  // the history then has events to judge
  ExpectNothingLeftInterruption(run.program);            // the janitor has ended too
  const Result<History> history = ReadHistory(run.run);
  ASSERT_TRUE(history.has_value()) << history.error().message;
  EXPECT_GT(std::ranges::count(history->events, Op::kAcquire, &Event::op), 10);
  EXPECT_EQ(std::ranges::count(history->events, Op::kDied, &Event::op), 1);
  EXPECT_TRUE(fs::exists(run.run / "history.jsonl"));
  const std::string cut = " (planned: 60s): its supervisor was killed";
  const Finished checked = RunProgram({"check", run.run.string()});
  EXPECT_TRUE(checked.exit_code == 1 || checked.exit_code == 2) << checked.exit_code;
  EXPECT_NE(checked.out.find("the run was cut short at "), std::string::npos) << checked.out;
  EXPECT_NE(checked.out.find(cut), std::string::npos) << checked.out;
  const nlohmann::json verdict = ReadJson(run.run / "verdict.json");
  EXPECT_NE(verdict.at("warnings").dump().find(cut), std::string::npos) << verdict.dump();
  EXPECT_EQ(verdict.at("environment").at("interrupted"), true);
  const Finished reported = RunProgram({"report", run.run.string()});
  EXPECT_EQ(reported.exit_code, 0) << reported.err;
  std::ifstream page(run.run / "report.html");
  const std::string text(std::istreambuf_iterator<char>(page), {});
  EXPECT_NE(text.find("the run was cut short</title>"), std::string::npos);
  EXPECT_NE(text.find(cut + ".</dd>"), std::string::npos);
}

// Two cells run in parallel for a minute each, and a third cell waits.
struct LongSuite {
  TestFolder folder;
  Program program{{"suite", WriteIt(), "--out", (folder.path() / "runs").string()}};

  // Two runs, each with its own process, a janitor, two servers, four clients and the referee.
  bool IsUp() const {
    return Eventually([&] { return program.Descendants().size() >= 18; });
  }

 private:
  [[nodiscard]] std::string WriteIt() const {
    const fs::path file = folder.path() / "long.toml";
    WriteFile(
        file,
        "[experiment]\nlock.name = 'set-nx-px'\nworkload.duration = '60s'\n"
        "expect.stock = 'valid'\n"
        "[[cell]]\nrow = 'a'\ncolumn = 'x'\nlock.name = 'none'\n"
        "expect.stock = 'violated'\nexpect.exclusion = 'any'\nexpect.lease-exclusion = 'any'\n"
        "[[cell]]\nrow = 'b'\ncolumn = 'x'\n"
        "[[cell]]\nrow = 'c'\ncolumn = 'x'\n");
    return file.string();
  }
};

TEST(Interruption, KillingASuiteLeavesNothingBehind) {
  LongSuite suite;
  ASSERT_TRUE(suite.IsUp());
  ExpectNothingLeftInterruption(suite.program);
}

// A cell of a minute keeps the suite running after the short cell has ended.
TEST(Interruption, AKilledSuiteCanBeReadAndReported) {
  const TestFolder folder;
  const fs::path file = folder.path() / "killed.toml";
  WriteFile(file,
            "[experiment]\nlock.name = 'set-nx-px'\n[[cell]]\nrow = 'a'\ncolumn = 'short'\n"
            "workload.duration = '300ms'\n[[cell]]\nrow = 'a'\ncolumn = 'long'\n"
            "workload.duration = '60s'\n");
  const fs::path suite = folder.path() / "runs" / "killed" / "latest";
  Program program({"suite", file.string(), "--out", (folder.path() / "runs").string()});
  ASSERT_TRUE(Eventually([&] {
    const nlohmann::json so_far = ReadJson(suite / "suite.json");
    return so_far.is_object() && so_far.at("cells").size() == 1;
  }));
  program.Signal(SIGKILL);
  program.Wait();
  const nlohmann::json left = ReadJson(suite / "suite.json");
  EXPECT_EQ(left.at("interrupted"), true);
  EXPECT_EQ(left.at("as_expected"), false);
  EXPECT_EQ(left["cells"][0]["name"], "a/short");
  const Finished reported = RunProgram({"report", suite.string()});
  EXPECT_EQ(reported.exit_code, 0) << reported.err;
}

TEST(Interruption, AnInterruptedSuiteFailsNoCell) {
  LongSuite suite;
  ASSERT_TRUE(suite.IsUp());
  std::this_thread::sleep_for(std::chrono::seconds(1));
  suite.program.Signal(SIGINT);
  EXPECT_EQ(suite.program.Wait(), 2) << suite.program.Out() << suite.program.Err();
  EXPECT_EQ(suite.program.Out().find("NOT AS EXPECTED"), std::string::npos) << suite.program.Out();
  EXPECT_NE(suite.program.Out().find("interrupted: 2 cut short, 1 not begun"), std::string::npos)
      << suite.program.Out();
  EXPECT_EQ(suite.program.Out().find("violated"), std::string::npos)
      << "the expected violation of a/x does not count: " << suite.program.Out();
}

TEST(Interruption, ASuiteSaysHowARunWithoutALogEnded) {
  LongSuite suite;
  ASSERT_TRUE(suite.IsUp());
  const std::vector<pid_t> runs = suite.program.DescendantsNamed("doublehold");
  ASSERT_FALSE(runs.empty());
  for (const pid_t run : runs) kill(run, SIGKILL);
  ASSERT_TRUE(Eventually([&] { return Lines(suite.program.Out()) > 0; }));
  suite.program.Signal(SIGINT);
  EXPECT_EQ(suite.program.Wait(), 4) << suite.program.Err();
  EXPECT_NE(suite.program.Out().find("it was killed by signal 9, and its log is empty"),
            std::string::npos)
      << suite.program.Out();
}

TEST(Interruption, AServerThatDiesEndsTheRunWithTheTailOfItsLog) {
  LongRun run;
  ASSERT_TRUE(run.IsUp());
  kill(run.program.DescendantNamed("redis-server"), SIGKILL);
  EXPECT_EQ(run.program.Wait(), 4);
  EXPECT_NE(run.program.Err().find("was killed by signal 9 by itself; its log ends: "),
            std::string::npos)
      << run.program.Err();
  EXPECT_EQ(Lines(run.program.Err()), 1U);
  EXPECT_EQ(run.program.TemporaryFiles(), 0U);
}

TEST(Interruption, AClientThatDiesMakesTheRunUnknownAndLosesNothing) {
  const TestFolder folder;
  Program program({"run", "--lock", "set-nx-px", "--lease", "2s", "--clients", "3", "--duration",
                   "3s", "--set", "workload.work=10ms", "--into", folder.path().string()});
  ASSERT_TRUE(Eventually([&] { return program.DescendantNamed("dh-client-2") != 0; }));
  const pid_t victim = program.DescendantNamed("dh-client-2");
  // The history is in shared memory; after a second it has events.
  std::this_thread::sleep_for(std::chrono::seconds(1));
  kill(victim, SIGKILL);
  EXPECT_EQ(program.Wait(), 2) << program.Out() << program.Err();
  EXPECT_EQ(ReadJson(folder.path() / "verdict.json").at("overall"), "unknown");
  const Result<History> history = ReadHistory(folder.path());
  ASSERT_TRUE(history.has_value()) << history.error().message;
  const auto count = [&](Op op) {
    return std::ranges::count_if(
        history->events, [&](const Event& event) { return event.client == 2 && event.op == op; });
  };
  EXPECT_EQ(count(Op::kDied), 1);
  EXPECT_GT(count(Op::kAcquire), 1);
}

// The server prints its version, but never starts.
TEST(Interruption, CtrlCBeforeTheRunBeginsIsUnknownAndNotAnEnvironmentFailure) {
  const TestFolder folder;
  const fs::path server = folder.path() / "server";
  std::ofstream(server) << "#!/bin/sh\n[ \"$1\" = --version ] && exec redis-server --version\n"
                           "exec sleep 100\n";
  fs::permissions(server, fs::perms::owner_all);
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"run", "--lock", "none", "--into",
                                 (folder.path() / "run").string()},
        {"doctor"}}) {
    std::vector<std::string> words = command;
    words.insert(words.end(), {"--redis-server", server.string()});
    Program program(words);
    ASSERT_TRUE(Eventually([&] { return program.DescendantNamed("sleep") != 0; }));
    program.Signal(SIGINT);
    EXPECT_EQ(program.Wait(), 2) << program.Out() << program.Err();
    EXPECT_NE(program.Err().find("interrupted"), std::string::npos) << program.Err();
  }
}

// Interrupts the program. Expects that it ends within a few seconds. On an idle machine it takes
// one second.
int StatusAfterCtrlC(Program& program) {
  const auto begun = std::chrono::steady_clock::now();
  program.Signal(SIGINT);
  const int status = program.Wait();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(5));
  return status;
}

// Interrupts an exploration whose first execution is judged. The output does not show when that is,
// so each try gives the exploration more time. An exploration that was interrupted earlier must say
// so.
Finished InterruptedExploration(bool as_json) {
  std::vector<std::string> words{"explore",    "--lock", "none",     "--clients", "3",
                                 "--strategy", "random", "--budget", "1000000000"};
  if (as_json) words.emplace_back("--json");
  for (auto time = std::chrono::milliseconds(500);; time *= 2) {
    Program program(words);
    EXPECT_TRUE(Eventually([&] { return program.CpuTime() >= time; }));
    const int status = StatusAfterCtrlC(program);
    const bool is_early =
        program.Err() == "doublehold explore: interrupted before an execution was judged\n";
    if (!is_early || time > std::chrono::seconds(10))
      return {.exit_code = status, .out = program.Out(), .err = program.Err()};
    EXPECT_EQ(status, 2);
    EXPECT_EQ(program.Out(), "");
  }
}

TEST(Interruption, AnExplorationPrintsItsResultSoFar) {
  for (const bool as_json : {false, true}) {
    if (as_json && !RunsAllTrials()) continue;
    const Finished explored = InterruptedExploration(as_json);
    EXPECT_EQ(explored.exit_code, 1);  // the first executions violate exclusion
    EXPECT_TRUE(explored.err.starts_with("doublehold explore: interrupted after ")) << explored.err;
    EXPECT_EQ(Lines(explored.err), 1U);
    if (as_json) {
      EXPECT_EQ(nlohmann::json::parse(explored.out).at("ended"), "interrupted");
    } else {
      EXPECT_NE(explored.out.find("  exclusion               violated in "), std::string::npos)
          << explored.out;
      EXPECT_NE(explored.out.find("interrupted, not all within the bounds"), std::string::npos)
          << explored.out;
    }
  }
}

TEST(Interruption, AnExplorationOfAllLocksKeepsTheCellsSoFar) {
  const TestFolder folder;
  const fs::path into = folder.path() / "x";
  Program program({"explore", "--all", "--depth", "3", "--into", into.string()});
  ASSERT_TRUE(Eventually([&] {
    const nlohmann::json so_far = ReadJson(into / "explore.json");
    return so_far.is_object() && !so_far.at("rows").empty();
  }));
  EXPECT_EQ(StatusAfterCtrlC(program), 2) << program.Err();
  EXPECT_NE(program.Err().find("; files: " + into.string()), std::string::npos) << program.Err();
  EXPECT_NE(program.Out().find("| `none` | 2 |"), std::string::npos) << program.Out();
  const nlohmann::json found = ReadJson(into / "explore.json");
  EXPECT_EQ(found.at("interrupted"), true);
  EXPECT_EQ(found.at("rows").at(0).at("lock"), "none");
  EXPECT_EQ(RunProgram({"report", into.string()}).exit_code, 0);
}

TEST(Interruption, ACheckOfADriverSaysThatItIsNotComplete) {
  Program program({"driver", "check", "--", "python3", SourceDir() + "/drivers/template.py"});
  ASSERT_TRUE(Eventually([&] { return Lines(program.Out()) > 0; }));
  EXPECT_EQ(StatusAfterCtrlC(program), 2) << program.Out() << program.Err();
  EXPECT_EQ(program.Err(), "doublehold driver check: interrupted; the steps so far are above\n");
  EXPECT_TRUE(Eventually([&] { return program.TemporaryFiles() == 0; }));
}

// The check waits for the rest of a history that comes through a pipe.
TEST(Interruption, ACheckReportsThatItHasNoVerdictYet) {
  const TestFolder folder;
  const Result<RunResult> run = RunToEnd(
      {"/bin/sh", "-c",
       "mkfifo \"$1\"; exec 3<>\"$1\"; timeout --preserve-status -s INT 1 \"$0\" check /dev/fd/3 "
       "--model mutex --format edn",
       BinaryDir() + "/doublehold", (folder.path() / "pipe").string()},
      {.with_errors = true});
  ASSERT_TRUE(run.has_value()) << run.error().message;
  EXPECT_EQ(WEXITSTATUS(run->status), 2) << run->output;
  EXPECT_TRUE(run->output.starts_with("doublehold check: interrupted; ")) << run->output;
  EXPECT_EQ(Lines(run->output), 1U) << run->output;
}

TEST(Interruption, ADoctorPrintsItsFindingsSoFar) {
  Program program({"doctor", "--faults"});
  ASSERT_TRUE(Eventually([&] { return Lines(program.Out()) > 0; }));
  EXPECT_EQ(StatusAfterCtrlC(program), 2) << program.Out() << program.Err();
  EXPECT_EQ(program.Err(), "doublehold doctor: interrupted; the findings so far are above\n");
  // If the signal arrives between two runs, the janitor removes the folder after the program's end.
  EXPECT_TRUE(Eventually([&] { return program.TemporaryFiles() == 0; }));
}

// Simulates a full disk: the `.part` file is a link to /dev/full.
TEST(Interruption, OnAFullDiskOnlyTheFileThatDoesNotFitIsMissing) {
  for (const auto& [full, other] :
       {std::pair("history.jsonl", "verdict.json"), std::pair("verdict.json", "history.jsonl")}) {
    const TestFolder folder;
    for (const bool as_json : {false, true}) {
      std::vector<std::string> words{
          "run",        "--lock", "set-nx-px", "--clients", "2",
          "--duration", "300ms",  "--replace", "--into",    folder.path().string()};
      if (as_json) words.emplace_back("--json");
      fs::create_symlink("/dev/full", folder.path() / (std::string(full) + ".part"));
      const Finished finished = RunProgram(words);
      EXPECT_EQ(finished.exit_code, 4) << finished.out << finished.err;
      EXPECT_NE(finished.out.find(as_json ? "\"overall\"" : "verdict: "), std::string::npos)
          << finished.out;
      EXPECT_NE(
          finished.err.find(std::string(full) + ": cannot be written: No space left on device"),
          std::string::npos)
          << finished.err;
      EXPECT_EQ(Lines(finished.err), 1U) << finished.err;
      EXPECT_TRUE(fs::exists(folder.path() / other));
      EXPECT_TRUE(fs::exists(folder.path() / "history.bin"));
      EXPECT_FALSE(fs::exists(folder.path() / full));
    }
  }
}

TEST(Interruption, ARunNeedsNoStandardInput) {
  const TestFolder folder;
  const Result<std::string> ran =
      RunTool({"/bin/sh", "-c",
               "exec \"$0\" run --lock set-nx-px --clients 2 --lease 300ms --duration 500ms --into "
               "\"$1\" <&-",
               BinaryDir() + "/doublehold", (folder.path() / "run").string()});
  EXPECT_TRUE(ran.has_value()) << ran.error().message;
}

}  // namespace
}  // namespace doublehold
