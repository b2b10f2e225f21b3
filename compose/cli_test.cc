// The command line as a user meets it: bad input, stored histories, plans, interruptions.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <thread>

#include "compose/program.h"

namespace doublehold {
namespace {

namespace fs = std::filesystem;

constexpr auto kPatience = std::chrono::seconds(30);

template <typename Condition>
bool Eventually(const Condition& condition, std::chrono::seconds patience = kPatience) {
  const auto give_up = std::chrono::steady_clock::now() + patience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > give_up) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

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

// A run of set-nx-px with a stopped client, shared by the tests that look at what a run leaves.
struct StoredRun {
  TestFolder folder;
  Finished finished;
  StoredRun() {
    finished = RunProgram({"run", "--lock", "set-nx-px", "--faults", "pause", "--duration", "2s",
                           "--clients", "3", "--seed", "11", "--into", folder.path().string()});
  }
};

nlohmann::json Judged(const std::string& what) {
  return nlohmann::json::parse(RunProgram({"check", what, "--json"}).out, nullptr, false);
}

TEST(CommandLine, AStoredHistoryGivesItsVerdictAgain) {
  const StoredRun run;
  ASSERT_EQ(run.finished.exit_code, 1) << run.finished.err;
  nlohmann::json verdict = ReadJson(run.folder.path() / "verdict.json");
  verdict.erase("environment");
  EXPECT_EQ(verdict.at("overall"), "violated");
  EXPECT_EQ(Judged(run.folder.path()), verdict);
  EXPECT_EQ(Judged(run.folder.path() / "history.jsonl"), verdict);
  EXPECT_EQ(Judged(run.folder.path() / "history.bin"), verdict);
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

TEST(CommandLine, APipeSeesNoProgressLine) {
  const StoredRun run;
  EXPECT_EQ(run.finished.err, "");
  EXPECT_EQ(run.finished.out.find('\r'), std::string::npos);
  EXPECT_EQ(run.finished.out.find('\x1b'), std::string::npos);
}

// ---- interruptions -------------------------------------------------------------------------------------------------

pid_t StartProgram(std::vector<std::string> words, const fs::path& out) {
  words.insert(words.begin(), DOUBLEHOLD_BINARY_DIR "/doublehold");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    if (freopen(out.c_str(), "w", stdout) == nullptr || dup2(1, 2) < 0) _exit(126);
    execv(argv[0], argv.data());
    _exit(127);
  }
  return child;
}

std::vector<pid_t> ChildrenOf(pid_t parent) {
  std::vector<pid_t> children;
  std::ifstream in("/proc/" + std::to_string(parent) + "/task/" + std::to_string(parent) +
                   "/children");
  for (pid_t child = 0; in >> child;) children.push_back(child);
  return children;
}

std::string NameOf(pid_t pid) {
  std::string name;
  std::getline(std::ifstream("/proc/" + std::to_string(pid) + "/comm") >> std::ws, name);
  return name;
}

// Neither running nor stopped: gone, or dead and not yet waited for.
bool IsOver(pid_t pid) {
  std::string stat;
  std::getline(std::ifstream("/proc/" + std::to_string(pid) + "/stat"), stat);
  const size_t name_end = stat.rfind(')');
  return name_end == std::string::npos || stat.at(name_end + 2) == 'Z';
}

size_t ScratchFolders() {
  size_t count = 0;
  for (const auto& entry : fs::directory_iterator(fs::temp_directory_path())) {
    if (entry.path().filename().string().starts_with("doublehold-")) ++count;
  }
  return count;
}

struct LongRun {
  TestFolder folder;
  fs::path out = folder.path() / "out.txt";
  fs::path run = folder.path() / "run";
  pid_t pid = 0;

  LongRun() {
    pid = StartProgram({"run", "--lock", "redlock", "--faults", "pause", "--clients", "3",
                        "--duration", "60s", "--into", run.string()},
                       out);
  }
  ~LongRun() {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  // 1 janitor, 6 servers, 3 clients, 1 referee, and the clients at work.
  bool IsUp() const {
    return Eventually([&] {
      size_t clients = 0;
      for (const pid_t child : ChildrenOf(pid))
        clients += NameOf(child).starts_with("dh-client") ? 1 : 0;
      return ChildrenOf(pid).size() >= 11 && clients >= 3;
    });
  }
  pid_t ChildNamed(const std::string& start) const {
    for (const pid_t child : ChildrenOf(pid)) {
      if (NameOf(child).starts_with(start)) return child;
    }
    return 0;
  }
  int Wait() const {
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  std::string Output() const {
    std::ifstream in(out);
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

TEST(Interruption, CtrlCStillJudgesAndKeepsTheHistory) {
  const LongRun run;
  ASSERT_TRUE(run.IsUp());
  std::this_thread::sleep_for(std::chrono::seconds(1));  // some work to judge
  kill(run.pid, SIGINT);
  const int status = run.Wait();
  EXPECT_TRUE(status == 1 || status == 2) << status << run.Output();
  EXPECT_NE(run.Output().find("verdict: "), std::string::npos) << run.Output();
  EXPECT_TRUE(fs::exists(run.run / "history.jsonl"));
}

TEST(Interruption, KillingTheSupervisorLeavesNothingBehind) {
  const size_t before = ScratchFolders();
  const LongRun run;
  ASSERT_TRUE(run.IsUp());
  const std::vector<pid_t> children = ChildrenOf(run.pid);
  EXPECT_GT(ScratchFolders(), before);
  kill(run.pid, SIGKILL);
  EXPECT_TRUE(Eventually([&] { return std::all_of(children.begin(), children.end(), IsOver); },
                         std::chrono::seconds(5)));
  EXPECT_TRUE(Eventually([&] { return ScratchFolders() == before; }, std::chrono::seconds(5)));
}

TEST(Interruption, AServerThatDiesEndsTheRunWithTheTailOfItsLog) {
  const LongRun run;
  ASSERT_TRUE(run.IsUp());
  kill(run.ChildNamed("redis-server"), SIGKILL);
  EXPECT_EQ(run.Wait(), 4);
  EXPECT_NE(run.Output().find("was killed by signal 9 by itself; its log ends: "),
            std::string::npos)
      << run.Output();
}

TEST(Interruption, AClientThatDiesMakesTheRunUnknownAndLosesNothing) {
  const TestFolder folder;
  const fs::path out = folder.path() / "out.txt";
  const pid_t pid = StartProgram({"run", "--lock", "set-nx-px", "--clients", "3", "--duration",
                                  "2s", "--into", (folder.path() / "run").string()},
                                 out);
  ASSERT_TRUE(Eventually([&] {
    for (const pid_t child : ChildrenOf(pid)) {
      if (NameOf(child) == "dh-client-2") return kill(child, SIGKILL) == 0;
    }
    return false;
  }));
  int status = 0;
  waitpid(pid, &status, 0);
  // Killed before the run began, it is a client that did not start.
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 4) return;
  EXPECT_EQ(WEXITSTATUS(status), 2);
  EXPECT_EQ(ReadJson(folder.path() / "run" / "verdict.json").at("overall"), "unknown");
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
