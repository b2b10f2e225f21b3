// Tests suites that end early, and go on with --resume.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "compose/testing/program.h"
#include "lib/testing/trials.h"

namespace doublehold {
namespace {

namespace fs = std::filesystem;

// Four short cells, one after the other.
struct ShortSuite {
  TestFolder folder;
  fs::path file = folder.path() / "short.toml";
  fs::path suite = folder.path() / "runs" / "short" / "latest";

  ShortSuite() { Write("a b c d", "set-nx-px"); }

  void Write(const std::string& rows, const std::string& lock) const {
    std::string text = "[experiment]\nworkload.duration = '1s'\nexpect.exclusion = 'valid'\n";
    text += "lock.name = '" + lock + "'\n";
    for (const char row : rows)
      if (row != ' ') text += std::string("[[cell]]\nrow = '") + row + "'\ncolumn = 'x'\n";
    WriteFile(file, text);
  }
  [[nodiscard]] std::vector<std::string> Words(std::vector<std::string> more = {}) const {
    std::vector<std::string> words{
        "suite", file.string(), "--out", (folder.path() / "runs").string(), "--jobs", "1"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  [[nodiscard]] std::vector<std::string> Resuming() const {
    return Words({"--resume", suite.string()});
  }
  // The number of finished runs in suite.json.
  [[nodiscard]] size_t CountFinished() const {
    const nlohmann::json so_far = ReadJson(suite / "suite.json");
    return so_far.is_object() ? so_far.at("cells").size() : 0;
  }
};

// The janitor of the killed run writes a verdict. It says that the run was cut short.
TEST(Resume, ARunWhoseProcessWasKilledIsRepeated) {
  const ShortSuite suite;
  suite.Write("a", "set-nx-px");
  Program program(suite.Words());
  ASSERT_TRUE(Eventually([&] { return program.DescendantNamed("dh-client-2") != 0; }));
  for (const pid_t run : program.DescendantsNamed("doublehold")) kill(run, SIGKILL);
  EXPECT_EQ(program.Wait(), 4) << program.Out();
  const fs::path run = suite.suite / "cells/a-x/1";
  ASSERT_TRUE(Eventually([&] { return fs::exists(run / "verdict.json"); }));
  EXPECT_EQ(ReadJson(run / "verdict.json").at("environment").at("interrupted"), true);
  const Finished resumed = RunProgram(suite.Resuming());
  EXPECT_EQ(resumed.exit_code, 0) << resumed.out << resumed.err;
  EXPECT_EQ(resumed.out.find("had been finished before"), std::string::npos) << resumed.out;
  EXPECT_FALSE(ReadJson(run / "verdict.json").at("environment").contains("interrupted"));
}

TEST(Resume, ASuiteThatWasKilledAndInterruptedEndsWithAllItsCells) {
  const ShortSuite suite;
  {
    const Program killed(suite.Words());
    ASSERT_TRUE(Eventually([&] { return suite.CountFinished() == 1; }));
  }  // kills it
  const std::string first = ReadJson(suite.suite / "cells/a-x/1/verdict.json").dump();
  Program interrupted(suite.Resuming());
  ASSERT_TRUE(Eventually([&] { return suite.CountFinished() == 2; }));
  interrupted.Signal(SIGINT);
  EXPECT_EQ(interrupted.Wait(), 2) << interrupted.Out();
  EXPECT_NE(interrupted.Out().find("to continue: doublehold suite " + suite.file.string() +
                                   " --out " + (suite.folder.path() / "runs").string() +
                                   " --jobs 1 --resume " + suite.suite.string() + "\n"),
            std::string::npos)
      << interrupted.Out();
  // A damaged run is made again.
  WriteFile(suite.suite / "cells/b-x/1/verdict.json", "{");

  const Finished resumed = RunProgram(suite.Resuming());
  EXPECT_EQ(resumed.exit_code, 0) << resumed.out << resumed.err;
  EXPECT_NE(resumed.out.find("4 of 4 runs as expected"), std::string::npos) << resumed.out;
  EXPECT_NE(resumed.out.find("; 1 run had been finished before"), std::string::npos) << resumed.out;
  const nlohmann::json whole = ReadJson(suite.suite / "suite.json");
  EXPECT_EQ(whole.at("interrupted"), false);
  EXPECT_EQ(whole.at("as_expected"), true);
  std::string names;
  for (const nlohmann::json& cell : whole.at("cells")) {
    names += cell.at("name").get<std::string>() + " ";
    ASSERT_EQ(cell.at("runs").size(), 1U);
    EXPECT_EQ(cell.at("runs")[0].at("overall"), "valid");
    EXPECT_EQ(cell.at("runs")[0].at("seed"), 1);
  }
  EXPECT_EQ(names, "a/x b/x c/x d/x ");
  EXPECT_EQ(ReadJson(suite.suite / "cells/a-x/1/verdict.json").dump(), first) << "a/x was kept";

  WriteFile(suite.suite / "cells/c-x/1/plan.json", "{");
  WriteFile(suite.suite / "cells/d-x/1/history.bin", "");
  WriteFile(suite.suite / "cells/a-x/1/verdict.json", "{}");
  fs::remove(suite.suite / "cells/b-x/1/verdict.json");
  fs::create_directory(suite.suite / "cells/b-x/1/verdict.json");
  const Finished again = RunProgram(suite.Resuming());
  EXPECT_EQ(again.exit_code, 0) << again.out << again.err;
  EXPECT_EQ(again.out.find("finished before"), std::string::npos) << again.out;
}

// As a batch system does with a task that failed.
TEST(Resume, APartThatDiedIsRunAgainByTheSameCommand) {
  const ShortSuite suite;
  const fs::path into = suite.folder.path() / "part-2";
  const auto words = [&](std::vector<std::string> more) {
    std::vector<std::string> all = suite.Words({"--into", into.string()});
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  {
    const Program killed(words({"--shard", "2/2"}));
    ASSERT_TRUE(Eventually([&] {
      const nlohmann::json so_far = ReadJson(into / "suite.json");
      return so_far.is_object() && so_far.at("cells").size() == 1;
    }));
  }  // kills it
  const Finished again = RunProgram(words({"--shard", "2/2"}));
  EXPECT_EQ(again.exit_code, 0) << again.out << again.err;
  EXPECT_NE(again.out.find("2 of 2 runs as expected"), std::string::npos) << again.out;
  EXPECT_NE(again.out.find("; 1 run had been finished before"), std::string::npos) << again.out;
  EXPECT_FALSE(fs::exists(suite.suite)) << "--into replaces --out";

  const Finished other = RunProgram(words({"--shard", "1/2"}));
  EXPECT_EQ(other.exit_code, 3);
  EXPECT_NE(other.err.find("'shard' is \"2/2\", not \"1/2\""), std::string::npos) << other.err;
}

TEST(Resume, OnlyAnInterruptedRunOfTheSameSuiteIsResumed) {
  const ShortSuite suite;
  suite.Write("a", "set-nx-px");
  ASSERT_EQ(RunProgram(suite.Words()).exit_code, 0);
  const auto refused = [&](const std::vector<std::string>& words, const std::string& why) {
    const Finished finished = RunProgram(words);
    EXPECT_EQ(finished.exit_code, 3) << finished.out;
    EXPECT_NE(finished.err.find(why), std::string::npos) << finished.err;
    EXPECT_EQ(Lines(finished.err), 1U) << finished.err;
  };
  refused(suite.Words({"--resume", suite.folder.path().string()}), "has no readable suite.json");
  // With other options, the resumed suite would leave out runs, perhaps violated ones.
  const auto with = [&](const std::string& option, const std::string& value) {
    std::vector<std::string> words = suite.Resuming();
    words.insert(words.end(), {option, value});
    return words;
  };
  refused(with("--seed", "9"), "'seed' is 1, not 9");
  refused(with("--repeat", "2"), "'repeat' is 1, not 2");
  refused(with("--until", "rate < 10%"), "'repeat' is 1, not 1000");
  refused(with("--only", "a/x"), "'only' is [], not [\"a/x\"]");
  suite.Write("a b", "set-nx-px");
  refused(with("--shard", "1/2"), "the experiments differ");
  suite.Write("a", "redisson");
  refused(suite.Resuming(), "the experiments differ");
  suite.Write("a", "set-nx-px");
  nlohmann::json plan = ReadJson(suite.suite / "cells/a-x/1/plan.json");
  plan["clients"] = 3;
  WriteFile(suite.suite / "cells/a-x/1/plan.json", plan.dump());
  refused(suite.Resuming(), "plan.json: differs from the plan of the suite file");
  fs::rename(suite.file, suite.folder.path() / "other.toml");
  refused(
      {"suite", (suite.folder.path() / "other.toml").string(), "--resume", suite.suite.string()},
      "'suite' is \"short\", not \"other\"");
}

TEST(Resume, ARunThatWasCutShortAfterItsExpectedViolationsIsRepeated) {
  const ShortSuite suite;
  suite.Write("a", "none");
  std::ofstream(suite.file, std::ios::app) << "expect.exclusion = 'violated'\n"
                                              "expect.lease-exclusion = 'any'\n"
                                              "expect.stock = 'any'\nexpect.liveness = 'any'\n";
  ASSERT_EQ(RunProgram(suite.Words()).exit_code, 0);
  const fs::path verdict = suite.suite / "cells/a-x/1/verdict.json";
  nlohmann::json json = ReadJson(verdict);
  json["environment"]["interrupted"] = true;
  json["as_expected"] = false;
  WriteFile(verdict, json.dump());
  const Finished resumed = RunProgram(suite.Resuming());
  EXPECT_EQ(resumed.exit_code, 0) << resumed.out << resumed.err;
  EXPECT_EQ(resumed.out.find("finished before"), std::string::npos) << resumed.out;
  EXPECT_EQ(ReadJson(verdict).at("as_expected"), true);
}

TEST(Resume, AnInterruptedRunIsKeptOnlyIfItWasViolated) {
  const ShortSuite suite;
  const fs::path verdict = suite.suite / "cells/a-x/1/verdict.json";
  for (const auto& [lock, kept] : {std::pair("none", 1), std::pair("set-nx-px", 0)}) {
    suite.Write("a", lock);
    const int status = RunProgram(suite.Words()).exit_code;
    ASSERT_EQ(status, kept == 1 ? 1 : 0) << lock;
    nlohmann::json json = ReadJson(verdict);
    json["environment"]["interrupted"] = true;
    WriteFile(verdict, json.dump());
    const Finished resumed = RunProgram(suite.Resuming());
    EXPECT_EQ(resumed.exit_code, status) << resumed.out << resumed.err;
    EXPECT_EQ(resumed.out.find("; 1 run had been finished before") != std::string::npos, kept == 1)
        << resumed.out;
  }
}

TEST(Resume, AViolationIsKeptEvenIfItsHistoryIsDamaged) {
  const ShortSuite suite;
  suite.Write("a", "none");
  ASSERT_EQ(RunProgram(suite.Words()).exit_code, 1);
  WriteFile(suite.suite / "cells/a-x/1/history.bin", "");
  const Finished resumed = RunProgram(suite.Resuming());
  EXPECT_EQ(resumed.exit_code, 1) << resumed.out << resumed.err;
  EXPECT_NE(resumed.out.find("its plan.json or history.bin is damaged"), std::string::npos)
      << resumed.out;
}

TEST(Resume, TwoProcessesCannotRunASuiteInOneFolder) {
  const ShortSuite suite;
  const Program running(suite.Words());
  ASSERT_TRUE(Eventually([&] { return fs::exists(suite.suite / "suite.json"); }));
  const Finished second = RunProgram(suite.Resuming());
  EXPECT_EQ(second.exit_code, 3) << second.out;
  EXPECT_NE(second.err.find("another process runs a suite in it"), std::string::npos) << second.err;
}

// Parts of the suite, as two machines run them.
struct SuiteParts : ShortSuite {
  std::vector<std::string> folders;

  void Run(const std::string& shard) {
    const Finished finished = RunProgram(Words({"--shard", shard}));
    EXPECT_EQ(finished.exit_code, 0) << finished.out << finished.err;
    const size_t begin = finished.out.find("\nfiles: ") + 8;
    folders.push_back(finished.out.substr(begin, finished.out.find('\n', begin) - begin));
  }
  [[nodiscard]] Finished Merge() const {
    std::vector<std::string> words{"merge", "--out", (folder.path() / "runs").string()};
    words.insert(words.end(), folders.begin(), folders.end());
    return RunProgram(words);
  }
};

TEST(Merge, PartsOfASuiteEqualTheWhole) {
  SuiteParts parts;
  parts.Run("2/2");
  const Finished half = parts.Merge();
  EXPECT_EQ(half.exit_code, 2) << half.out << half.err;
  EXPECT_NE(half.out.find("no part has a run of: a/x, c/x\n"), std::string::npos) << half.out;
  EXPECT_NE(half.out.find("2 of 2 runs as expected in "), std::string::npos) << half.out;
  EXPECT_NE(half.out.find("; 2 not begun\n"), std::string::npos) << half.out;
  parts.Run("1/2");
  parts.folders.push_back(parts.folders.front());  // a part that is named twice counts once
  const Finished whole = parts.Merge();
  EXPECT_EQ(whole.exit_code, 0) << whole.out << whole.err;
  EXPECT_NE(whole.out.find("4 of 4 runs as expected"), std::string::npos) << whole.out;
  const fs::path elsewhere = parts.folder.path() / "once";
  ASSERT_EQ(RunProgram({"suite", parts.file.string(), "--out", elsewhere.string()}).exit_code, 0);
  const nlohmann::json merged = ReadJson(parts.suite / "suite.json");
  const nlohmann::json once = ReadJson(elsewhere / "short/latest/suite.json");
  for (const char* key : {"suite", "seed", "repeat", "rows", "columns", "planned", "plans",
                          "as_expected", "interrupted"})
    EXPECT_EQ(merged.at(key), once.at(key)) << key;
  ASSERT_EQ(merged.at("cells").size(), once.at("cells").size());
  for (size_t i = 0; i < once.at("cells").size(); ++i) {
    EXPECT_EQ(merged["cells"][i]["name"], once["cells"][i]["name"]);
    EXPECT_EQ(merged["cells"][i]["rates"], once["cells"][i]["rates"]);
    for (const char* key : {"dir", "seed", "overall", "as_expected", "exit_code"})
      EXPECT_EQ(merged["cells"][i]["runs"][0][key], once["cells"][i]["runs"][0][key]) << key;
  }
  EXPECT_EQ(RunProgram({"report", parts.suite.string()}).exit_code, 0);
}

TEST(Merge, OnlyPartsOfOneSuiteAreMerged) {
  SuiteParts parts;
  parts.Run("1/4");
  const auto refused = [&](const std::string& why) {
    const Finished finished = parts.Merge();
    EXPECT_EQ(finished.exit_code, 3) << finished.out;
    EXPECT_NE(finished.err.find(why), std::string::npos) << finished.err;
    EXPECT_EQ(Lines(finished.err), 1U) << finished.err;
  };
  parts.folders.push_back(parts.folder.path().string());
  refused("has no readable suite.json");
  parts.folders.pop_back();
  parts.Write("a b c d", "redisson");
  parts.Run("2/4");
  refused("is not a part of the same suite as");
  parts.folders.pop_back();
  WriteFile(fs::path(parts.folders.front()) / "cells/a-x/1/verdict.json", "{");
  refused("verdict.json: is damaged; run this part again with --resume");
  parts.folders = {(parts.folder.path() / "gone").string()};
  refused("gone: no such folder; a part has no link `latest`");
}

TEST(Merge, ARunThatWasNotFinishedGivesWayToTheResumedOne) {
  SuiteParts parts;
  parts.Write("a b", "set-nx-px");
  parts.Run("1/1");
  const fs::path cut = parts.folder.path() / "cut";
  fs::copy(parts.folders.front(), cut, fs::copy_options::recursive);
  nlohmann::json json = ReadJson(cut / "suite.json");
  json["cells"][1]["runs"][0]["interrupted"] = true;
  json["cells"][0]["runs"][0]["seconds"] = 99;  // resumed runs have the time of their verdict
  WriteFile(cut / "suite.json", json.dump());
  fs::remove(cut / "cells/b-x/1/verdict.json");
  for (const bool first : {true, false}) {
    parts.folders.insert(first ? parts.folders.begin() : parts.folders.end(), cut.string());
    const Finished merged = parts.Merge();
    EXPECT_EQ(merged.exit_code, 0) << merged.out << merged.err;
    EXPECT_NE(merged.out.find("2 of 2 runs as expected"), std::string::npos) << merged.out;
    std::erase(parts.folders, cut.string());
  }
  parts.folders = {cut.string()};
  for (const auto& [key, value] : {std::pair<std::string, nlohmann::json>{"/cells", 5},
                                   {"/cells/0/name", "z/x"},
                                   {"/cells/0/runs/0/dir", "cells/a-x/../../../1"},
                                   {"/cells/0/runs/0/dir", "cells/a-x/0"}}) {
    nlohmann::json changed = json;
    changed[nlohmann::json::json_pointer(key)] = value;
    WriteFile(cut / "suite.json", changed.dump());
    const Finished merged = parts.Merge();
    EXPECT_EQ(merged.exit_code, 3) << key << merged.out << merged.err;
    EXPECT_NE(merged.err.find("suite.json is damaged"), std::string::npos) << merged.err;
  }
}

TEST(Merge, AMissingPartLeavesTheAnswersOpen) {
  SuiteParts parts;
  parts.Write("a b", "set-nx-px");
  const Finished part = RunProgram(parts.Words({"--shard", "1/2", "--until", "rate < 90% @ 60%"}));
  ASSERT_EQ(part.exit_code, 0) << part.out << part.err;
  const size_t begin = part.out.find("\nfiles: ") + 8;
  parts.folders.push_back(part.out.substr(begin, part.out.find('\n', begin) - begin));
  const Finished merged = parts.Merge();
  EXPECT_EQ(merged.exit_code, 2) << merged.out << merged.err;
  EXPECT_NE(merged.out.find("verdict: not decided"), std::string::npos) << merged.out;
  // Without its plan, the claims of a run are not known.
  fs::remove(fs::path(parts.folders.front()) / "cells/a-x/1/plan.json");
  const Finished refused = parts.Merge();
  EXPECT_EQ(refused.exit_code, 3) << refused.out;
  EXPECT_NE(refused.err.find("plan.json: "), std::string::npos) << refused.err;
}

TEST(Merge, SelectedCellsAreNotTheWholeSuite) {
  if (!RunsAllTrials()) GTEST_SKIP() << kVariation;
  SuiteParts parts;
  ASSERT_EQ(RunProgram(parts.Words()).exit_code, 0);
  const fs::path latest = fs::read_symlink(parts.suite);
  const Finished some = RunProgram(parts.Words({"--only", "a/"}));
  const size_t begin = some.out.find("\nfiles: ") + 8;
  parts.folders.push_back(some.out.substr(begin, some.out.find('\n', begin) - begin));
  EXPECT_EQ(parts.Merge().exit_code, 0);
  EXPECT_EQ(fs::read_symlink(parts.suite), latest) << "the link did not move";
  parts.folders.push_back(parts.suite.string());
  const Finished refused = parts.Merge();
  EXPECT_EQ(refused.exit_code, 3) << refused.out;
  EXPECT_NE(refused.err.find("'only' is [], not [\"a/\"]"), std::string::npos) << refused.err;
}

TEST(Merge, TwoResultsOfOneRunAreRefused) {
  SuiteParts parts;
  parts.Run("1/4");
  parts.Run("1/4");
  const Finished merged = parts.Merge();
  EXPECT_EQ(merged.exit_code, 3) << merged.out;
  EXPECT_NE(merged.err.find("another part has this run too, with another result"),
            std::string::npos)
      << merged.err;
}

// The earlier run and the present one differ in their locks, as two versions of a driver would.
TEST(Baseline, TheExitStatusSaysWhetherASuiteIsWorse) {
  struct Case {
    const char* before;
    const char* now;
    int exit_code;
    const char* says;
  };
  std::vector<Case> cases{
      {"set-nx-px", "none", 1, "exclusion          newly violated: 1 of 1 run, before 0 of 1 run"},
      {"set-nx-px", "set-nx-px", 0, ": 0 of "}};
  if (RunsAllTrials()) cases.push_back({"none", "set-nx-px", 0, ": 0 of "});
  for (const Case& one : cases) {
    const ShortSuite suite;
    suite.Write("a", one.before);
    RunProgram(suite.Words());
    const fs::path before = fs::canonical(suite.suite);
    suite.Write("a", one.now);
    RunProgram(suite.Words());
    const std::string plans = ReadJson(suite.suite / "suite.json").at("plans").get<std::string>();
    nlohmann::json earlier = ReadJson(before / "suite.json");
    if (plans != earlier.at("plans")) {
      const Finished refused = RunProgram(suite.Words({"--baseline", before.string()}));
      EXPECT_EQ(refused.exit_code, 3) << refused.out;
      EXPECT_NE(refused.err.find("has other experiments; name a run of this suite"),
                std::string::npos);
      earlier["plans"] = plans;
      WriteFile(before / "suite.json", earlier.dump());
    }
    const Finished finished = RunProgram(suite.Words({"--baseline", before.string()}));
    EXPECT_EQ(finished.exit_code, one.exit_code) << one.now << finished.out << finished.err;
    EXPECT_NE(finished.out.find("against " + before.string()), std::string::npos) << finished.out;
    EXPECT_NE(finished.out.find(one.says), std::string::npos) << finished.out;
  }
}

TEST(FailFast, NoRunStartsAfterTheFirstThatIsNotAsExpected) {
  const ShortSuite suite;
  suite.Write("a b c d", "none");
  const Finished finished = RunProgram(suite.Words({"--fail-fast"}));
  EXPECT_EQ(finished.exit_code, 1) << finished.out << finished.err;
  EXPECT_NE(finished.out.find("0 of 1 run as expected"), std::string::npos) << finished.out;
  EXPECT_NE(finished.out.find("; --fail-fast: 3 not begun"), std::string::npos) << finished.out;
  const nlohmann::json json = ReadJson(suite.suite / "suite.json");
  EXPECT_EQ(json.at("cells").size(), 1U);
  EXPECT_EQ(json.at("interrupted"), true);
  // The failure that ended the suite does not end the resumed one.
  std::vector<std::string> words = suite.Resuming();
  words.emplace_back("--fail-fast");
  EXPECT_EQ(RunProgram(words).exit_code, 1);
  EXPECT_EQ(suite.CountFinished(), 2U);
}

}  // namespace
}  // namespace doublehold
