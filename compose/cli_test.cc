// The command line as a user meets it: bad input, stored histories, plans, interruptions.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <thread>

#include "compose/program.h"
#include "compose/run_once.h"

namespace doublehold {
namespace {

namespace fs = std::filesystem;

void WriteFile(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

size_t Lines(const std::string& text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

struct BadInputCase {
  std::vector<std::string> words;
  int exit_code = 3;
  std::string says;  // part of the one line
};

TEST(CommandLine, BadInputIsOneLineThatNamesWhatWhereAndTheNearestWord) {
  const TestFolder folder;
  const fs::path& in = folder.path();
  const std::string out = (in / "runs").string();
  WriteFile(in / "node5.toml",
            "[lock]\nname = 'redlock'\n[topology]\nnodes = 2\n[[fault]]\nkind = 'pause'\nnodes = "
            "[5]\nfor = '1s'\n");
  WriteFile(in / "endless.toml",
            "[lock]\nname = 'set-nx-px'\n[[fault]]\nkind = 'pause'\nclient = 1\n");
  WriteFile(in / "typo.toml", "[lock]\nname = 'set-nx-px'\nleese = '1s'\n");
  WriteFile(in / "kind.toml", "[lock]\nname = 'set-nx-px'\n[[fault]]\nkind = 'paus'\n");
  WriteFile(in / "broken.toml", "[lock\n");
  WriteFile(in / "garbled.jsonl", "this is not a history\n");
  WriteFile(in / "empty.jsonl", "");
  const std::vector<BadInputCase> cases{
      {{"run", "--lock", "redlok", "--out", out},
       3,
       "--lock: lock 'redlok' is unknown (did you mean 'redlock'?)"},
      {{"run", "--out", out}, 3, "which lock?"},
      {{"run", "--lock", "none", "--duration", "5", "--out", out},
       3,
       "--duration: '5' has no unit"},
      {{"run", "--lock", "none", "--lease", "0s", "--out", out}, 3, "--lease: a lease of"},
      {{"run", "--lock", "none", "--stock", "-1", "--out", out}, 3, "--stock: "},
      {{"run", "--lock", "none", "--clients", "0", "--out", out},
       3,
       "--clients: 0 is not in 1..200"},
      {{"run", "--lock", "none", "--faults", "puase", "--out", out}, 3, "did you mean 'pause'?"},
      {{"run", "--lock", "none", "--clientz", "2", "--out", out}, 3, "did you mean '--clients'?"},
      {{"run", "--lock", "none", "--set", "claims=exclusin", "--out", out},
       3,
       "did you mean 'exclusion'?"},
      {{"run", "--lock", "set-nx-px", "--nodes", "5", "--out", out},
       3,
       "uses exactly 1 node, not 5"},
      {{"run", "--lock", "redlock", "--direct", "--faults", "network", "--out", out},
       3,
       "'direct' goes round"},
      {{"run", (in / "node5.toml").string(), "--out", out},
       3,
       "node 5 does not exist: the run has nodes 1..2"},
      {{"run", (in / "endless.toml").string(), "--out", out}, 3, "never heals"},
      {{"run", (in / "typo.toml").string(), "--out", out}, 3, "typo.toml:3: lock.leese: "},
      {{"run", (in / "kind.toml").string(), "--out", out}, 3, "kind.toml:4: "},
      {{"run", (in / "broken.toml").string(), "--out", out}, 3, "broken.toml:1: "},
      {{"run", (in / "missing.toml").string(), "--out", out}, 3, "missing.toml: no such file"},
      {{"run", "--plan", (in / "node5.toml").string(), "--out", out}, 3, "not JSON"},
      {{"suite", (in / "missing.toml").string(), "--out", out}, 3, "missing.toml: no such file"},
      {{"suite", (in / "typo.toml").string(), "--out", out}, 3, "nothing to run"},
      {{"run", "--lock", "none", "--out", "/dev/null/runs"}, 3, "cannot be written"},
      {{"check", (in / "garbled.jsonl").string()}, 3, "garbled.jsonl:1: "},
      {{"check", (in / "empty.jsonl").string()}, 3, "empty.jsonl"},
      {{"check", (in / "missing.jsonl").string()}, 3, "missing.jsonl: no such file"},
      {{"check"}, 3, "name one run folder"},
      {{"check", "x.edn", "--model", "mutexx"}, 3, "did you mean 'mutex'?"},
      {{"check", "x.edn", "--permits", "2"}, 3, "--permits: only with --model"},
      {{"check", "x.edn", "--model", "semaphore", "--permits", "0"}, 3, "--permits 0: not a whole"},
      {{"check", "missing.edn", "--model", "mutex"}, 3, "missing.edn: cannot be read"},
      {{"export", "missing.bin"}, 3, "missing.bin: no such file"},
      {{"export", "x", "--format", "end"}, 3, "did you mean 'edn'?"},
      {{"list", "loks"}, 3, "did you mean 'locks'?"},
      {{"chekc"}, 3, "did you mean 'check'?"},
      {{"run", "--lock", "none", "--redis-server", "/nonexistent", "--out", out},
       4,
       "install the Debian package"},
      {{"run", "--lock", "none", "--redis-server", "/bin/echo", "--out", out},
       4,
       "not a redis-server"},
  };
  for (const BadInputCase& test : cases) {
    const Finished finished = RunProgram(test.words);
    EXPECT_EQ(finished.exit_code, test.exit_code) << test.says << "\n" << finished.err;
    EXPECT_EQ(Lines(finished.err), 1U) << finished.err;
    EXPECT_NE(finished.err.find(test.says), std::string::npos)
        << finished.err << "does not say: " << test.says;
    EXPECT_FALSE(fs::exists(out)) << "something was written: " << test.says;
  }
}

// K14, whose outcome is certain, for the tests that look at what a run leaves.
struct StoredRun {
  TestFolder folder;
  Finished finished;
  StoredRun() {
    finished = RunProgram({"run", DOUBLEHOLD_SOURCE_DIR "/compose/testdata/known/k14.toml",
                           "--seed", "11", "--into", folder.path().string()});
  }
};

nlohmann::json Judged(const std::string& what) {
  return nlohmann::json::parse(RunProgram({"check", what, "--json"}).out, nullptr, false);
}

TEST(CommandLine, AStoredHistoryGivesItsVerdictAgain) {
  const StoredRun run;
  ASSERT_EQ(run.finished.exit_code, 0) << run.finished.out << run.finished.err;
  nlohmann::json verdict = ReadJson(run.folder.path() / "verdict.json");
  verdict.erase("environment");
  EXPECT_EQ(verdict.at("overall"), "violated");
  EXPECT_EQ(Judged(run.folder.path()), verdict);
  EXPECT_EQ(Judged(run.folder.path() / "history.jsonl"), verdict);
  EXPECT_EQ(Judged(run.folder.path() / "history.bin"), verdict);
}

TEST(CommandLine, AHistoryGoesOutAsEdnAndIsHeldAgainstAModel) {
  const StoredRun run;
  const std::string edn = (run.folder.path() / "history.edn").string();
  ASSERT_EQ(RunProgram({"export", run.folder.path().string(), "--functions", "acquire,release",
                        "--output", edn})
                .exit_code,
            0);
  // K14: held twice, so no order fits a mutex; what is no lock's business was left out, or is refused.
  const std::vector<std::string> check{"check",          edn,  "--model", "owner-mutex",
                                       "--partition-by", "key"};
  const Finished finished = RunProgram(check);
  EXPECT_EQ(finished.exit_code, 1) << finished.out << finished.err;
  EXPECT_NE(finished.out.find("has no place: it would be held by 1"), std::string::npos)
      << finished.out;
  const Finished same = RunProgram(
      {"check", run.folder.path().string(), "--model", "owner-mutex", "--partition-by", "key"});
  EXPECT_EQ(same.exit_code, 1) << same.out << same.err;
  const Finished other = RunProgram({"check", edn, "--model", "register"});
  EXPECT_EQ(other.exit_code, 3);
  EXPECT_NE(other.err.find("history.edn:1: of the model register, function 'acquire' is unknown"),
            std::string::npos)
      << other.err;
}

TEST(CommandLine, AHistoryThatIsCutOffIsRefused) {
  const StoredRun run;
  const fs::path history = run.folder.path() / "history.jsonl";
  fs::resize_file(history, fs::file_size(history) - 20);
  const Finished finished = RunProgram({"check", history.string()});
  EXPECT_EQ(finished.exit_code, 3);
  EXPECT_EQ(Lines(finished.err), 1U) << finished.err;
}

TEST(CommandLine, OnePlanCarriesOutTheSameFaults) {
  const StoredRun run;
  const TestFolder again;
  RunProgram({"run", "--plan", (run.folder.path() / "plan.json").string(), "--into",
              again.path().string()});
  EXPECT_EQ(ReadJson(again.path() / "plan.json"), ReadJson(run.folder.path() / "plan.json"));
  const auto timeline = [](const fs::path& folder) {
    std::vector<std::string> strikes;
    const nlohmann::json verdict = ReadJson(folder / "verdict.json");
    for (const nlohmann::json& fault : verdict.at("faults")) {
      for (const nlohmann::json& episode : fault.at("episodes")) {
        strikes.push_back(fault.at("name").get<std::string>() + " " + episode.at("client").dump() +
                          " " + episode.at("node").dump() + " " + episode.at("asked_ns").dump());
      }
    }
    return strikes;
  };
  EXPECT_FALSE(timeline(run.folder.path()).empty());
  EXPECT_EQ(timeline(again.path()), timeline(run.folder.path()));
}

// What a fenced store promises whatever happens; and that nothing is left of what a nemesis did.
TEST(CommandLine, ANemesisLeavesAFencedStockRightAndNothingBehind) {
  const TestFolder folder;
  Program program({"run", "--lock", "fenced", "--nemesis", "pause,clock,network,partition",
                   "--every", "100ms", "--clients", "3", "--duration", "6s", "--lease", "300ms",
                   "--stock", "100000", "--seed", "5", "--into", folder.path().string()});
  EXPECT_LE(program.Wait(), 2) << program.Err();
  EXPECT_EQ(program.TemporaryFiles(), 0U);
  EXPECT_TRUE(program.Descendants().empty());
  const nlohmann::json verdict = ReadJson(folder.path() / "verdict.json");
  for (const nlohmann::json& claim : verdict.at("claims")) {
    if (claim.at("claim") == "stock") {
      EXPECT_EQ(claim.at("outcome"), "valid") << claim;
    }
  }
  const nlohmann::json plan = ReadJson(folder.path() / "plan.json");
  EXPECT_GT(plan.at("faults").size(), 40U);
  int64_t last_ns = 0;
  for (const nlohmann::json& fault : verdict.at("faults")) {
    for (const nlohmann::json& episode : fault.at("episodes")) {
      last_ns = std::max(last_ns, episode.at("from_ns").get<int64_t>());
    }
  }
  EXPECT_LE(last_ns, 6'000'000'000) << "none begins once the clients have ended";
}

// A fault on the client's links is the witness: begun at the same step and over before the client goes on, it acts when a
// frame comes by, and is recorded as started then only.
TEST(CommandLine, AClientPausedAtAStepSendsNothingUntilItGoesOn) {
  const std::string experiment =
      "[lock]\nname = \"set-nx-px\"\nlease = \"2s\"\n[workload]\nduration = \"1s\"\nclients = "
      "2\n";
  const std::string witness =
      "[[fault]]\nkind = \"delay\"\nname = \"witness\"\nclient = 1\ndirection = \"request\"\n"
      "on = \"client 1 before-write\"\ndelay = \"1ms\"\nfor = \"300ms\"\n";
  const std::string pause =
      "[[fault]]\nkind = \"pause\"\nname = \"stop\"\non = \"client 1 before-write\"\n"
      "for = \"600ms\"\n";
  for (const bool paused : {false, true}) {
    const TestFolder folder;
    const fs::path file = folder.path() / "x.toml";
    WriteFile(file, experiment + (paused ? pause : "") + witness);
    RunProgram({"run", file.string(), "--into", (folder.path() / "run").string()});
    const nlohmann::json verdict = ReadJson(folder.path() / "run" / "verdict.json");
    std::map<std::string, int> started;
    for (const nlohmann::json& fault : verdict.at("faults")) {
      started[fault.at("name")] = fault.at("started").get<int>();
    }
    EXPECT_EQ(started["witness"], paused ? 0 : 1);
    EXPECT_EQ(started["stop"], paused ? 1 : 0);
  }
}

TEST(CommandLine, APipeSeesNoProgressLine) {
  const StoredRun run;
  EXPECT_EQ(run.finished.err, "");
  EXPECT_EQ(run.finished.out.find('\r'), std::string::npos);
  EXPECT_EQ(run.finished.out.find('\x1b'), std::string::npos);
}

// ---- interruptions -------------------------------------------------------------------------------------------------

struct LongRun {
  TestFolder folder;
  fs::path run = folder.path() / "run";
  Program program{{"run", "--lock", "redlock", "--faults", "pause", "--clients", "3", "--duration",
                   "60s", "--into", run.string()}};

  // 1 janitor, 6 servers, 3 clients, 1 referee; and client 1 is past its start, so the run has begun: it waits for
  // its first fault, or has met it.
  bool IsUp() const {
    return Eventually([&] {
      return program.Descendants().size() >= 11 && program.DescendantNamed("dh-client-3") != 0;
    });
  }
};

TEST(Interruption, CtrlCStillJudgesAndKeepsTheHistory) {
  LongRun run;
  ASSERT_TRUE(run.IsUp());
  std::this_thread::sleep_for(std::chrono::seconds(1));  // some work to judge
  run.program.Signal(SIGINT);
  const int status = run.program.Wait();
  EXPECT_TRUE(status == 1 || status == 2) << status << run.program.Out() << run.program.Err();
  EXPECT_NE(run.program.Out().find("verdict: "), std::string::npos) << run.program.Out();
  EXPECT_TRUE(fs::exists(run.run / "history.jsonl"));
  EXPECT_EQ(run.program.TemporaryFiles(), 0U);
}

TEST(Interruption, CtrlCTwiceEndsItAtOnceAndStillJudges) {
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

// What kill -9 of the program leaves, five seconds later.
void ExpectNothingLeft(Program& program) {
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
  ExpectNothingLeft(run.program);
}

// Two cells side by side, for a minute each, and a third that waits for its turn.
struct LongSuite {
  TestFolder folder;
  Program program{{"suite", WriteIt(), "--out", (folder.path() / "runs").string()}};

  // Twice: itself, a janitor, two servers, four clients and the referee.
  bool IsUp() const {
    return Eventually([&] { return program.Descendants().size() >= 18; });
  }

 private:
  [[nodiscard]] std::string WriteIt() const {
    const fs::path file = folder.path() / "long.toml";
    WriteFile(file,
              "[experiment]\nlock.name = 'set-nx-px'\nworkload.duration = '60s'\n"
              "[[cell]]\nrow = 'a'\ncolumn = 'x'\n[[cell]]\nrow = 'b'\ncolumn = 'x'\n"
              "[[cell]]\nrow = 'c'\ncolumn = 'x'\n");
    return file.string();
  }
};

TEST(Interruption, KillingASuiteLeavesNothingBehind) {
  LongSuite suite;
  ASSERT_TRUE(suite.IsUp());
  ExpectNothingLeft(suite.program);
}

TEST(Interruption, ASuiteThatIsInterruptedBlamesNoCell) {
  LongSuite suite;
  ASSERT_TRUE(suite.IsUp());
  std::this_thread::sleep_for(std::chrono::seconds(1));
  suite.program.Signal(SIGINT);
  EXPECT_EQ(suite.program.Wait(), 2) << suite.program.Out() << suite.program.Err();
  EXPECT_EQ(suite.program.Out().find("NOT AS EXPECTED"), std::string::npos) << suite.program.Out();
  EXPECT_NE(suite.program.Out().find("interrupted: 2 cut short, 1 not begun"), std::string::npos)
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
  // Its history is in shared memory: a second later there is some.
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

TEST(SuiteCommand, WritesWhatBecameOfEveryRunAndFailsOnWhatWasNotExpected) {
  const TestFolder folder;
  const fs::path suite = folder.path() / "tiny.toml";
  const std::string common =
      "name = 'tiny'\n[experiment]\nworkload.duration = '300ms'\nworkload.clients = "
      "2\n[row.none]\nlock.name = 'none'\n"
      "[column.calm]\n[[cell]]\nrow = 'none'\ncolumn = 'calm'\n";
  WriteFile(suite, common +
                       "expect = { stock = 'violated', exclusion = 'violated', lease-exclusion = "
                       "'violated' }\n");
  const std::string out = (folder.path() / "runs").string();
  EXPECT_EQ(RunProgram({"suite", suite.string(), "--repeat", "2", "--out", out}).exit_code, 0);
  const nlohmann::json json = ReadJson(folder.path() / "runs" / "tiny" / "latest" / "suite.json");
  EXPECT_EQ(json.at("as_expected"), true);
  ASSERT_EQ(json.at("cells").size(), 1U);
  EXPECT_EQ(json["cells"][0]["runs"].size(), 2U);
  EXPECT_EQ(json["cells"][0]["runs"][0]["overall"], "violated");
  WriteFile(suite, common + "expect = { stock = 'valid' }\n");
  EXPECT_EQ(RunProgram({"suite", suite.string(), "--out", out}).exit_code, 1);
}

}  // namespace
}  // namespace doublehold
