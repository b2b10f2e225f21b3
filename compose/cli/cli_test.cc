// Tests the command line with the whole program: stored histories, plans, and the files of a run.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

#include "compose/testing/program.h"
#include "lib/base/paths.h"

namespace doublehold {
namespace {

namespace fs = std::filesystem;

// A run of K14, whose outcome is certain, for tests of the files of a run.
struct StoredRun {
  TestFolder folder;
  Finished finished;
  StoredRun() {
    finished = RunProgram({"run", SourceDir() + "/compose/testdata/known/k14.toml", "--seed", "11",
                           "--into", folder.path().string()});
  }
};

nlohmann::json JudgedCli(const std::string& what) {
  return nlohmann::json::parse(RunProgram({"check", what, "--json"}).out, nullptr, false);
}

TEST(CommandLine, AStoredHistoryGivesItsVerdictAgain) {
  const StoredRun run;
  ASSERT_EQ(run.finished.exit_code, 0) << run.finished.out << run.finished.err;
  nlohmann::json verdict = ReadJson(run.folder.path() / "verdict.json");
  verdict.erase("environment");
  EXPECT_EQ(verdict.at("overall"), "violated");
  EXPECT_EQ(JudgedCli(run.folder.path()), verdict);
  EXPECT_EQ(JudgedCli(run.folder.path() / "history.jsonl"), verdict);
  EXPECT_EQ(JudgedCli(run.folder.path() / "history.bin"), verdict);
}

TEST(CommandLine, AHistoryIsExportedAsEdnAndCheckedAgainstAModel) {
  const StoredRun run;
  const std::string edn = (run.folder.path() / "history.edn").string();
  ASSERT_EQ(RunProgram({"export", run.folder.path().string(), "--functions", "acquire,release",
                        "--output", edn})
                .exit_code,
            0);
  // In K14 two clients hold the lock at once, so no order of the operations fits a mutex. The model
  // refuses events of other functions unless the export left them out.
  const std::vector<std::string> check{"check",          edn,  "--model", "owner-mutex",
                                       "--partition-by", "key"};
  const Finished finished = RunProgram(check);
  EXPECT_EQ(finished.exit_code, 1) << finished.out << finished.err;
  EXPECT_NE(finished.out.find("cannot follow, because the state is held by 1"), std::string::npos)
      << finished.out;
  const std::string whole = (run.folder.path() / "whole.edn").string();
  ASSERT_EQ(RunProgram({"export", run.folder.path().string(), "--output", whole}).exit_code, 0);
  const Finished of_whole = RunProgram({"check", whole, "--model", "owner-mutex"});
  EXPECT_EQ(of_whole.exit_code, 1) << of_whole.out << of_whole.err;
  const Finished same = RunProgram(
      {"check", run.folder.path().string(), "--model", "owner-mutex", "--partition-by", "key"});
  EXPECT_EQ(same.exit_code, 1) << same.out << same.err;
  const Finished other = RunProgram({"check", edn, "--model", "register"});
  EXPECT_EQ(other.exit_code, 3);
  EXPECT_NE(other.err.find("history.edn:1: model register: function 'acquire' is unknown"),
            std::string::npos)
      << other.err;
}

// Returns a history in which a client holds the lock longer than its lease. If `extended`, a
// watchdog extends the lease.
std::string KeptPastItsLease(bool extended) {
  std::string text =
      R"({"index":0,"time":0,"process":"supervisor","type":"info","f":"start","value":{)"
      R"("experiment":"x","lock":"drawn","workload":"inventory","write":"read-modify-write",)"
      R"("seed":1,"lease_ns":100,"grace_ns":50,"duration_ns":0,"clients":2,"nodes":1,)"
      R"("initial_stock":5,"keys":["k"],"faults":[],"claims":[],"expect":{}}})"
      "\n";
  int index = 0;
  const auto add = [&](int time, const std::string& event) {
    text += R"({"index":)" + std::to_string(++index) + R"(,"time":)" + std::to_string(time) +
            R"(,"process":1,"key":"k",)" + event + "}\n";
  };
  add(0, R"("type":"invoke","f":"acquire","value":{"lease_ns":100})");
  add(1, R"("type":"ok","f":"acquire","value":{"hold":1,"valid_until_ns":100,"token":0})");
  if (extended) {
    add(50, R"("task":"watchdog","type":"invoke","f":"extend","value":{"hold":1,"lease_ns":600})");
    add(51,
        R"("task":"watchdog","type":"ok","f":"extend","value":{"hold":1,"valid_until_ns":650})");
  }
  add(500, R"("type":"invoke","f":"release","value":{"hold":1})");
  add(501, R"("type":"ok","f":"release","value":{"hold":1})");
  return text;
}

TEST(CommandLine, AnExportDoesNotClaimLeasesThatAWatchdogExtends) {
  const TestFolder folder;
  const std::string kept = (folder.path() / "history.jsonl").string();
  const std::string out = (folder.path() / "out").string();
  const auto status = [&](bool extended, const char* format, const char* model) {
    std::ofstream(kept) << KeptPastItsLease(extended);
    const Finished exported = RunProgram(
        {"export", kept, "--format", format, "--functions", "acquire,release", "--output", out});
    EXPECT_EQ(exported.exit_code, 0) << exported.err;
    return RunProgram({"check", out, "--model", model}).exit_code;
  };
  for (const char* format : {"edn", "jsonl"}) {
    EXPECT_EQ(status(false, format, "lease-mutex"), 1) << format;
    // An acquire without a lease is refused.
    EXPECT_EQ(status(true, format, "lease-mutex"), 3) << format;
    EXPECT_EQ(status(true, format, "owner-mutex"), 0) << format;
    EXPECT_EQ(status(true, format, "fenced-mutex"), 2) << format;  // a token of 0 means no token
  }
}

TEST(CommandLine, AHistoryThatIsCutOffIsRefused) {
  const StoredRun run;
  const fs::path history = run.folder.path() / "history.jsonl";
  fs::resize_file(history, fs::file_size(history) - 20);
  const Finished finished = RunProgram({"check", history.string()});
  EXPECT_EQ(finished.exit_code, 3);
  EXPECT_EQ(Lines(finished.err), 1U) << finished.err;
}

TEST(CommandLine, TheSamePlanGivesTheSameFaults) {
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

// A store with fencing tokens never oversells, whatever the nemesis does. No fault is active after
// the run.
TEST(CommandLine, AFencedStoreDoesNotOversellUnderANemesisAndNoFaultStaysActive) {
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

// The second fault, a delay on the client's links, detects frames. It begins at the same step and
// ends before the client continues. It acts only if a frame passes while the client is stopped.
TEST(CommandLine, AClientPausedAtAStepSendsNothingUntilItContinues) {
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

TEST(CommandLine, AnExplorationOfOneExecutionReportsThatItIsOne) {
  const Finished finished = RunProgram({"explore", "--lock", "set-nx-px", "--depth", "0"});
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_NE(
      finished.out.find("exclusion               clean within this bound, the one execution\n"),
      std::string::npos)
      << finished.out;
}

TEST(CommandLine, ASearchInWhichNoFaultCouldBeginIsUnknown) {
  const Finished none = RunProgram(
      {"explore", "--lock", "set-nx-px", "--faults", "hold-news"});  // set-nx-px publishes nothing
  EXPECT_EQ(none.exit_code, 2) << none.err;
  EXPECT_NE(none.out.find("stock                   unknown: there is no point at which one of "
                          "these faults could begin\n"),
            std::string::npos)
      << none.out;
  EXPECT_EQ(RunProgram({"explore", "--lock", "set-nx-px", "--depth", "0"}).exit_code, 0);
}

TEST(SuiteCommand, WritesTheResultOfEveryRunAndFailsIfOneIsNotAsExpected) {
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
  const Finished twice = RunProgram({"suite", suite.string(), "--repeat", "2", "--out", out});
  EXPECT_EQ(twice.exit_code, 0);
  EXPECT_NE(twice.out.find("any claim              2 of 2 runs, 15.8-100.0 %\n"), std::string::npos)
      << twice.out;
  const nlohmann::json json = ReadJson(folder.path() / "runs" / "tiny" / "latest" / "suite.json");
  EXPECT_EQ(json.at("as_expected"), true);
  ASSERT_EQ(json.at("cells").size(), 1U);
  EXPECT_EQ(json["cells"][0]["runs"].size(), 2U);
  EXPECT_EQ(json["cells"][0]["runs"][0]["overall"], "violated");
  EXPECT_EQ(json["until"], nullptr);
  const nlohmann::json& rate = json["cells"][0]["rates"][0];
  EXPECT_EQ(rate["claim"], nullptr);
  EXPECT_EQ(rate["unit"], "run");
  EXPECT_EQ(rate["of"], 2);
  EXPECT_EQ(rate["violated"], 2);
  EXPECT_NEAR(rate["clopper_pearson_95"][0].get<double>(), 0.158, 1e-3);
  WriteFile(suite, common + "expect = { stock = 'valid' }\n");
  EXPECT_EQ(RunProgram({"suite", suite.string(), "--out", out}).exit_code, 1);
}

// Without a lock every run is violated. Four violations in four runs prove at 80 % confidence that
// the rate is not below one half. Three violations in three runs do not.
class AskedSuite : public ::testing::Test {
 protected:
  AskedSuite() {
    WriteFile(suite_,
              "name = 'tiny'\n[experiment]\nworkload.duration = '300ms'\nworkload.clients = 2\n"
              "[row.none]\nlock.name = 'none'\n[row.lock]\nlock.name = 'set-nx-px'\n"
              "[column.calm]\n[[cell]]\nrow = ['none', 'lock']\ncolumn = 'calm'\n");
  }
  Finished Ask(const std::string& cell, const std::string& until, const std::string& most,
               const std::string& server = "redis-server") {
    return RunProgram({"suite", suite_.string(), "--only", cell, "--until", until, "--repeat", most,
                       "--jobs", "1", "--redis-server", server, "--junit", junit_.string(), "--out",
                       (folder_.path() / "runs").string()});
  }
  // Returns the folder of the only suite that was run. A run of a part of a suite does not move the
  // link `latest`.
  fs::path Folder() {
    const fs::path all = folder_.path() / "runs" / "tiny";
    EXPECT_FALSE(fs::exists(all / "latest"));
    EXPECT_EQ(std::distance(fs::directory_iterator(all), {}), 1);
    return fs::directory_iterator(all)->path();
  }
  nlohmann::json Cell() { return ReadJson(Folder() / "suite.json").at("cells").at(0); }
  std::string JUnit() {
    std::ifstream in(junit_);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  TestFolder folder_;
  fs::path suite_ = folder_.path() / "tiny.toml";
  fs::path junit_ = folder_.path() / "junit.xml";
};

TEST_F(AskedSuite, StopsWhenTheRateIsKnownNotToBeBelow) {
  const Finished known = Ask("none/calm", "rate of stock per run < 50% @ 80%", "9");
  EXPECT_EQ(known.exit_code, 1) << known.out << known.err;
  EXPECT_NE(known.out.find("0 below, 1 not below, 0 not decided\n"), std::string::npos)
      << known.out;
  const nlohmann::json cell = Cell();
  EXPECT_EQ(cell["until"]["answer"], "not below");
  EXPECT_EQ(cell["until"]["violated"], 4);
  EXPECT_EQ(cell["runs"].size(), 4U);
  EXPECT_NE(JUnit().find("tests=\"1\" failures=\"1\""), std::string::npos) << JUnit();
}

TEST_F(AskedSuite, StopsWhenTheRateIsKnownToBeBelow) {
  const Finished known = Ask("lock/calm", "rate < 60% @ 80%", "20");
  EXPECT_EQ(known.exit_code, 0) << known.out << known.err;
  EXPECT_NE(known.out.find("\nverdict: below (rate < 60% @ 80%)\n"), std::string::npos)
      << known.out;
  EXPECT_EQ(known.out.find(" valid in "), std::string::npos) << "what counts is the answer";
  const nlohmann::json cell = Cell();
  EXPECT_EQ(cell["until"]["answer"], "below");
  EXPECT_LT(cell["until"]["upper_bound"], 0.6);
  EXPECT_EQ(cell["runs"].size(), cell["until"]["runs"]);
  EXPECT_LT(cell["runs"].size(), 20U);
  EXPECT_NE(JUnit().find("tests=\"1\" failures=\"0\""), std::string::npos) << JUnit();
}

TEST_F(AskedSuite, IsUndecidedAtTheLimitOfItsRuns) {
  const Finished open = Ask("none/calm", "rate of stock per run < 50% @ 80%", "3");
  EXPECT_EQ(open.exit_code, 2) << open.out << open.err;
  EXPECT_NE(open.out.find("not decided after 3 runs: 3 of 3 runs, "), std::string::npos)
      << open.out;
  EXPECT_NE(open.out.find("0 below, 0 not below, 1 not decided\n"), std::string::npos) << open.out;
  EXPECT_EQ(Cell()["until"]["answer"], "not decided");
}

TEST_F(AskedSuite, GivesUpAfterSeveralRunsWithoutAVerdict) {
  const fs::path server = folder_.path() / "redis-server";
  WriteFile(server,
            "#!/bin/sh\ncase \"$*\" in *--version*) exec redis-server --version;; esac\n"
            "echo 'no memory' >&2\nexit 1\n");
  fs::permissions(server, fs::perms::owner_all);
  const Finished failed = Ask("lock/calm", "rate < 1%", "50", server.string());
  EXPECT_EQ(failed.exit_code, 4) << failed.out << failed.err;
  EXPECT_NE(failed.out.find("(5 unknown), 0.0-100.0 %; the last runs came to no verdict\n"),
            std::string::npos)
      << failed.out;
  EXPECT_EQ(Cell()["runs"].size(), 5U);
  EXPECT_EQ(Cell()["until"]["undecided"], 5);
}

TEST_F(AskedSuite, AnUnanswerableQuestionIsRefusedBeforeAnyRun) {
  const Finished refused = Ask("none/calm", "rate of fencing < 1%", "3");
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_NE(refused.err.find("none/calm does not judge fencing (it judges "), std::string::npos)
      << refused.err;
  EXPECT_EQ(Lines(refused.err), 1U);
  EXPECT_FALSE(fs::exists(folder_.path() / "runs"));
}

TEST(RunCommand, ARunWithOnlyABinaryHistoryIsCheckedExportedAndReported) {
  const TestFolder folder;
  const std::string run = (folder.path() / "run").string();
  const Finished finished =
      RunProgram({"run", "--lock", "set-nx-px", "--clients", "2", "--duration", "300ms",
                  "--history", "binary", "--into", run});
  ASSERT_EQ(finished.exit_code, 0) << finished.out << finished.err;
  EXPECT_FALSE(fs::exists(fs::path(run) / "history.jsonl"));
  EXPECT_EQ(RunProgram({"check", run}).exit_code, 0);
  const Finished modelled =
      RunProgram({"check", run, "--model", "owner-mutex", "--partition-by", "key"});
  const Finished reported = RunProgram({"report", run});
  EXPECT_EQ(reported.exit_code, 0) << reported.err;
  EXPECT_TRUE(fs::exists(fs::path(run) / "report.html"));
  const std::string lines = (fs::path(run) / "history.jsonl").string();
  EXPECT_EQ(RunProgram({"export", run, "--format", "jsonl", "-o", lines}).exit_code, 0);
  const Finished same =
      RunProgram({"check", lines, "--model", "owner-mutex", "--partition-by", "key"});
  EXPECT_EQ(modelled.exit_code, same.exit_code) << modelled.err << same.err;
  // The text before the first ": " names the file, which differs.
  EXPECT_EQ(modelled.out.substr(modelled.out.find(": ")), same.out.substr(same.out.find(": ")));
}

TEST(RunCommand, WithRepeatRunsASuiteOfOneCell) {
  const TestFolder folder;
  const fs::path out = folder.path() / "runs";
  const std::vector<std::string> words{"run",       "--lock", "set-nx-px", "--duration", "300ms",
                                       "--clients", "2",      "--out",     out.string()};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), words.begin(), words.end());
    return RunProgram(more);
  };
  const Finished twice = with({"--repeat", "2", "--seed", "5"});
  EXPECT_EQ(twice.exit_code, 0) << twice.out << twice.err;
  EXPECT_NE(twice.out.find("2 of 2 runs valid in "), std::string::npos) << twice.out;
  const nlohmann::json suite = ReadJson(out / "run" / "latest" / "suite.json");
  const nlohmann::json& runs = suite.at("cells").at(0).at("runs");
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0]["seed"], 5);
  EXPECT_NE(runs[1]["seed"], 5);
  const Finished asked = with({"--until", "rate < 60% @ 80%", "--quiet"});
  EXPECT_EQ(asked.exit_code, 0) << asked.err;
  EXPECT_EQ(asked.out, "");
  EXPECT_EQ(ReadJson(out / "run" / "latest" / "suite.json")["cells"][0]["until"]["answer"],
            "below");
}

}  // namespace
}  // namespace doublehold
