// Tests `doublehold compare` on real servers.
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compose/testing/program.h"

namespace doublehold {
namespace {

namespace fs = std::filesystem;

// When a run began and ended, by the files that are written then.
struct RunTime {
  bool measures_cost = false;
  fs::file_time_type from, to;
};

std::vector<RunTime> ListRunTimes(const fs::path& suite) {
  std::vector<RunTime> times;
  for (const auto& cell : fs::directory_iterator(suite / "cells")) {
    for (const auto& run : fs::directory_iterator(cell))
      times.push_back({.measures_cost = cell.path().string().ends_with("-cost"),
                       .from = fs::last_write_time(run.path() / "plan.json"),
                       .to = fs::last_write_time(run.path() / "verdict.json")});
  }
  return times;
}

// Whether a budget, which is a time of the wall clock, sufficed for this run on this machine.
bool HasRun(const fs::path& suite, const std::string& cell, const std::string& block) {
  return fs::exists(suite / "cells" / cell / block / "verdict.json");
}

TEST(Compare, RunsPairsWithEqualSeedsAndFaultsUntilTheBudgetEnds) {
  const TestFolder folder;
  const Finished finished =
      RunProgram({"compare", "--locks", "set-nx-px,fenced", "--faults", "pause", "--budget", "15s",
                  "--jobs", "3", "--out", folder.path().string()});
  EXPECT_EQ(finished.exit_code, 0) << finished.out << finished.err;
  EXPECT_NE(finished.out.find("\ncompared with set-nx-px, in pairs"), std::string::npos)
      << finished.out;
  EXPECT_NE(finished.out.find("\nnot decided, since the budget ended:\n"), std::string::npos)
      << finished.out;
  EXPECT_NE(finished.out.find(" runs, about "), std::string::npos)
      << "a pipe gets no progress: " << finished.out;
  const fs::path suite = folder.path() / "comparison/latest";
  const nlohmann::json json = ReadJson(suite / "suite.json");
  EXPECT_EQ(json.at("interrupted"), false);
  EXPECT_EQ(json.at("comparison").at("baseline"), "set-nx-px");
  for (const char* cell : {"set-nx-px-pause", "fenced-pause"})
    if (!HasRun(suite, cell, "2")) GTEST_SKIP() << "the budget ended before a second block";
  std::vector<nlohmann::json> plans;
  for (const char* lock : {"set-nx-px", "fenced"}) {
    for (const char* block : {"1", "2"}) {
      nlohmann::json plan =
          ReadJson(suite / "cells" / (std::string(lock) + "-pause") / block / "plan.json");
      plans.push_back({plan.at("seed"), plan.at("faults"), plan.at("duration_ns")});
    }
  }
  EXPECT_EQ(plans[0], plans[2]);
  EXPECT_EQ(plans[1], plans[3]);
  EXPECT_NE(plans[0], plans[1]) << "each block has its own seed";
  const std::vector<RunTime> times = ListRunTimes(suite);
  // The planned runs fit into the budget: 0.5 s for a cost, else 1.5 s, three at once.
  EXPECT_LE(0.5 * static_cast<double>(times.size()), 15);
  for (size_t i = 0; i < times.size(); ++i) {
    for (size_t j = 0; j < times.size(); ++j) {
      const bool overlap = times[i].from < times[j].to && times[j].from < times[i].to;
      EXPECT_FALSE(i != j && times[i].measures_cost && overlap) << "a cost was not measured alone";
    }
  }
  EXPECT_EQ(RunProgram({"report", suite.string()}).exit_code, 0);
}

TEST(Compare, LoadCurvesShowThroughputWaitsFairnessAndTraffic) {
  const TestFolder folder;
  const Finished finished =
      RunProgram({"compare", "--locks", "set-nx-px,redisson", "--faults", "none", "--load",
                  "4,50/s,hold", "--budget", "20s", "--out", folder.path().string()});
  EXPECT_EQ(finished.exit_code, 0) << finished.out << finished.err;
  const fs::path suite = folder.path() / "comparison/latest";
  for (const std::string lock : {"set-nx-px", "redisson"}) {
    for (const char* column : {"-calm", "-4-clients", "-50-a-second", "-hold"})
      if (!HasRun(suite, lock + column, "1"))
        GTEST_SKIP() << "the budget ended before all loads had run: " << lock << column;
  }
  for (const char* lock : {"set-nx-px", "redisson"}) {
    const auto retry = [&](const char* column) {
      return ReadJson(suite / "cells" / (std::string(lock) + column) / "1/plan.json").at("retry");
    };
    EXPECT_EQ(retry("-4-clients").at("interval_ns"), retry("-calm").at("interval_ns"))
        << "the long lease of a load does not slow a lock that polls";
  }
  const nlohmann::json load = ReadJson(suite / "suite.json").at("load");
  ASSERT_EQ(load.size(), 6U);
  for (const auto& [number, point] : load.items()) {
    SCOPED_TRACE(point.at("row").get<std::string>() + "/" + point.at("column").get<std::string>());
    const nlohmann::json& measures = point.at("measures");
    EXPECT_GE(measures.at("commands a hold").at("median"), 2);
    EXPECT_GT(measures.at("bytes a hold").at("median"), 100);
    EXPECT_EQ(measures.contains("Jain's index"), point.at("sessions") > 1);
    const bool by_schedule = point.at("column") == "50 a second";
    EXPECT_EQ(point.at("latency").at("response").at("count") > 0, by_schedule);
    EXPECT_EQ(measures.contains("renewals a second"), point.at("column") == "hold");
    if (point.at("column") == "4 clients") {
      EXPECT_GT(point.at("latency").at("handover").at("count"), 0);
    } else if (point.at("column") == "hold") {
      EXPECT_EQ(measures.at("renewals a second").at("median") > 0, point.at("row") == "redisson")
          << "of these locks, only redisson has a watchdog";
    }
  }
}

TEST(Compare, WhatCannotBeComparedIsRefused) {
  const TestFolder folder;
  struct Case {
    std::vector<std::string> words;
    std::string why;
  };
  for (const Case& refused : std::vector<Case>{
           {{}, "name the locks: --locks "},
           {{"--locks", ""}, "name the locks: --locks "},
           {{"--locks", "redlock"}, "--baseline: there is only redlock; name one more"},
           {{"--locks", "redlock,set-nx"}, "(did you mean 'set-nx-px-del'?)"},
           {{"--locks", "redlock,fenced", "--baseline", "fence"}, "(did you mean 'fenced'?)"},
           {{"--locks", "redlock,fenced", "--faults", "pause,clocks"}, "(did you mean 'clock'?)"},
           {{"--locks", "redlock,fenced", "--budget", "soon"}, "--budget: "},
           {{"--locks", "redlock,fenced", "--budget", "3s"},
            "--budget 3s: too short: one block of 10 runs"},
           {{"--locks", "redlock,fenced", "--rate", "rate < 2"}, "--rate: "},
           {{"--locks", "redlock,fenced", "--load", "8,0"}, "--load: '0' is neither"},
           {{"--locks", "redlock,fenced", "--load", "9/m"}, "--load: '9/m' is neither"},
           {{"--locks", "redlock,fenced", "--load", "1000"}, "--load: 1000 is not in 1..256"},
           {{"--locks", "redlock,fenced", "--workload", "nested"},
            "needs a lock that is reentrant"}}) {
    std::vector<std::string> words{"compare", "--out", folder.path().string()};
    words.insert(words.end(), refused.words.begin(), refused.words.end());
    const Finished finished = RunProgram(words);
    EXPECT_EQ(finished.exit_code, 3) << finished.out << finished.err;
    EXPECT_NE(finished.err.find(refused.why), std::string::npos) << finished.err;
    EXPECT_EQ(Lines(finished.err), 1U) << finished.err;
  }
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(Compare, ALockThatCannotRunHereIsReportedBeforeTheBudgetIsSpent) {
  const TestFolder folder;
  const Finished finished =
      RunProgram({"compare", "--locks", "set-nx-px,driver:false", "--out", folder.path().string()});
  EXPECT_EQ(finished.exit_code, 4) << finished.out << finished.err;
  EXPECT_NE(finished.err.find("driver"), std::string::npos) << finished.err;
  EXPECT_EQ(Lines(finished.err), 1U) << finished.err;
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

// A budget allows up to a thousand runs of a cell, but plans none of them.
TEST(Compare, AnInterruptedComparisonCountsTheCellsWithoutARun) {
  const TestFolder folder;
  Program program({"compare", "--locks", "set-nx-px,none", "--faults", "none", "--budget", "10m",
                   "--out", folder.path().string()});
  ASSERT_TRUE(Eventually([&] { return program.DescendantNamed("dh-client-1") != 0; }));
  program.Signal(SIGINT);
  EXPECT_EQ(program.Wait(), 2) << program.Out() << program.Err();
  EXPECT_NE(program.Out().find("; interrupted: "), std::string::npos) << program.Out();
  EXPECT_NE(program.Out().find(" cells without a run"), std::string::npos) << program.Out();
  EXPECT_EQ(program.Out().find("not begun"), std::string::npos) << program.Out();
}

TEST(Compare, ASuiteFileComparesItsRows) {
  const TestFolder folder;
  const fs::path file = folder.path() / "two.toml";
  const std::string cells =
      "[experiment]\nworkload.duration = '1500ms'\n"
      "[row.a]\nlock.name = 'set-nx-px'\n[row.b]\nlock.name = 'none'\n"
      "[[cell]]\nrow = ['a', 'b']\ncolumn = 'x'\n";
  WriteFile(file, "[compare]\nbaseline = 'b'\nbudget = '8s'\n" + cells);
  const std::vector<std::string> words{"suite", file.string(), "--out", folder.path().string()};
  const Finished finished = RunProgram(words);
  EXPECT_EQ(finished.exit_code, 0) << finished.out << finished.err;
  EXPECT_NE(finished.out.find("\ncompared with b, in pairs"), std::string::npos) << finished.out;
  std::vector<std::string> split = words;
  split.insert(split.end(), {"--shard", "1/2"});
  EXPECT_EQ(RunProgram(split).exit_code, 3) << "a part would not have the pairs";
  const Finished merged = RunProgram({"merge", (folder.path() / "two/latest").string()});
  EXPECT_EQ(merged.exit_code, 3) << merged.out;
  WriteFile(file, "[compare]\nbaseline = 'c'\n" + cells);
  const Finished refused = RunProgram(words);
  EXPECT_EQ(refused.exit_code, 3) << refused.out;
  EXPECT_NE(refused.err.find("two.toml: compare.baseline: "), std::string::npos) << refused.err;
}

}  // namespace
}  // namespace doublehold
