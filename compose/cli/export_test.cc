// Tests `export` with the whole program: formats that other tools read.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "compose/testing/program.h"
#include "lib/os/run_tool.h"

namespace doublehold {
namespace {

namespace fs = std::filesystem;

// Compares the rows of a CSV file with the lines of a history.jsonl, as a user's script would.
constexpr const char* kCompareCsv = R"(
import csv, json, sys
lines = [json.loads(line) for line in open(sys.argv[2], encoding="utf-8")]
with open(sys.argv[1], encoding="utf-8", newline="") as file:
    rows = list(csv.DictReader(file, strict=True))
assert len(rows) == len(lines) > 1, (len(rows), len(lines))
facts = {"events": len(lines) - 1, **lines[0].pop("value")}
assert json.loads(rows[0].pop("run")) == facts, (rows[0], facts)
lines[0]["value"] = {}
for row, line in zip(rows, lines):
    expected = {"thread": 0, "task_kind": line.pop("task", "session"), **line.pop("value"), **line}
    expected["time_ns"] = expected.pop("time")
    found = {name: field for name, field in row.items() if field != ""}
    assert found == {name: str(value) for name, value in expected.items()}, (found, expected)
print(len(rows))
)";

// A simulated execution in which client 1 is stopped.
constexpr const char* kReplay = "v1/lock.name=set-nx-px/1/pause/0:1";

class Export : public ::testing::Test {
 protected:
  Finished ExportRun(const std::string& run, const std::string& format, const std::string& out) {
    return RunProgram({"export", run, "--format", format, "-o", (folder_.path() / out).string()});
  }

  std::string MakeExecution() {
    const std::string run = (folder_.path() / "execution").string();
    const Finished finished = RunProgram({"replay", kReplay, "--into", run});
    EXPECT_TRUE(fs::exists(fs::path(run) / "frames.jsonl")) << finished.err;
    return run;
  }

  const TestFolder folder_;
};

TEST_F(Export, ACsvFileEqualsHistoryJsonlEventByEvent) {
  const std::string run = MakeExecution();
  // A second history: with a key that needs quotes, a watchdog, threads and a value named `task`.
  const std::string other = (folder_.path() / "other.jsonl").string();
  std::ofstream(other)
      << R"({"index":0,"time":0,"process":"supervisor","type":"info","f":"start","value":{)"
         R"("experiment":"x","lock":"none","workload":"tasks","write":"read-modify-write",)"
         R"("seed":1,)"
         R"("lease_ns":9,"grace_ns":5,"duration_ns":0,"clients":2,"nodes":1,"initial_stock":5,)"
         R"("keys":["a,\"b\"\r\n"],"faults":[],"claims":[],"expect":{}}})"
         "\n"
         R"({"index":1,"time":4,"process":1,"type":"invoke","f":"save","key":"a,\"b\"\r\n",)"
         R"("thread":2,"value":{"hold":3,"task":8}})"
         "\n"
         R"({"index":2,"time":5,"process":2,"task":"watchdog","type":"invoke","f":"extend",)"
         R"("key":"a,\"b\"\r\n","value":{"hold":3,"lease_ns":7}})"
         "\n"
         R"({"index":3,"time":6,"process":"node 1","task":"meter","type":"info","f":"stall",)"
         R"("value":{"length_ns":-7,"value3":9}})"
         "\n";
  for (const std::string& history : {run + "/history.jsonl", other}) {
    const Finished finished = ExportRun(history, "csv", "events.csv");
    ASSERT_EQ(finished.exit_code, 0) << finished.err;
    const auto compared =
        RunTool({"python3", "-c", kCompareCsv, (folder_.path() / "events.csv").string(), history});
    EXPECT_TRUE(compared.has_value()) << compared.error().message;
  }
}

TEST_F(Export, ACsvFileIsJudgedAsTheRunIs) {
  const std::string run = MakeExecution();
  ASSERT_EQ(ExportRun(run, "csv", "events.csv").exit_code, 0);
  const std::string file = (folder_.path() / "events.csv").string();
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--json"}, {"--verbose"}, {"--model", "mutex", "--json"}}) {
    std::vector<std::string> of_run{"check", run}, of_file{"check", file};
    of_run.insert(of_run.end(), options.begin(), options.end());
    of_file.insert(of_file.end(), options.begin(), options.end());
    const Finished expected = RunProgram(of_run);
    const Finished found = RunProgram(of_file);
    EXPECT_EQ(found.exit_code, expected.exit_code) << found.err;
    EXPECT_FALSE(found.out.empty()) << options.front();
    EXPECT_EQ(found.out, expected.out) << options.front();
  }
  EXPECT_EQ(ExportRun(file, "jsonl", "again.jsonl").exit_code, 0);
  const auto read = [](const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  };
  EXPECT_TRUE(read(folder_.path() / "again.jsonl") == read(fs::path(run) / "history.jsonl"));
  const Finished page = RunProgram({"report", file});
  ASSERT_EQ(page.exit_code, 0) << page.err;
  EXPECT_EQ(page.out, file + ".html\n");
  EXPECT_NE(read(file + ".html").find("shows a history alone, events.csv"), std::string::npos);
}

TEST_F(Export, ALogOfAnotherToolIsRefusedInOneLine) {
  const fs::path log = folder_.path() / "log.csv";
  const std::vector<std::string> map{"--model", "owner-mutex", "--map",
                                     "worker=process,ts=time,lock=acquire,unlock=release"};
  const auto check = [&](const std::string& text, std::vector<std::string> options) {
    std::ofstream(log) << text;
    options.insert(options.begin(), {"check", log.string()});
    return RunProgram(options);
  };
  const std::string good =
      "worker,ts,f,type,key\n1,5,lock,invoke,k\n1,6,lock,ok,k\n1,7,unlock,invoke,k\n"
      "1,8,unlock,ok,k\n";
  EXPECT_EQ(check(good, map).exit_code, 0);
  EXPECT_EQ(
      check(good + "2,9,lock,invoke,k\n2,9,lock,ok,k\n3,10,lock,invoke,k\n3,11,lock,ok,k\n", map)
          .exit_code,
      1);
  const struct {
    std::string text;
    std::vector<std::string> options;
    std::string error;
  } cases[] = {
      {good, {}, ":1: lacks the columns of `doublehold export --format csv`"},
      {good,
       {"--model", "owner-mutex"},
       "log.csv:2: no 'process'; if its 'worker' is the process, "},
      {good,
       {"--model", "mutex", "--map", "worker=proces"},
       "meaning 'proces' is unknown (did you mean 'process'?)"},
      {good + "2,9,lokc,invoke,k\n", map,
       "log.csv:6: model owner-mutex: function 'lokc' is unknown"},
      {good + "2,9,lock,invok,k\n", map,
       "log.csv:6: its type 'invok' is unknown (did you mean 'invoke'?)"},
      {good + "2,9,lock\n", map, "log.csv:6: has 3 fields, and the header has 5"},
  };
  for (const auto& each : cases) {
    const Finished refused = check(each.text, each.options);
    EXPECT_EQ(refused.exit_code, 3) << refused.out;
    EXPECT_EQ(Lines(refused.err), 1U) << refused.err;
    EXPECT_NE(refused.err.find(each.error), std::string::npos) << refused.err;
  }
}

TEST_F(Export, ASuiteFolderIsRefusedAndARunIsSuggested) {
  const fs::path suite = folder_.path() / "suite";
  fs::create_directories(suite / "cells" / "a" / "1");  // has no history
  std::ofstream(suite / "suite.json") << "{}";
  EXPECT_NE(ExportRun(suite, "csv", "out")
                .err.find("suite: no history.bin or history.jsonl in this folder"),
            std::string::npos);
  fs::create_directories(suite / "cells" / "b" / "2");
  std::ofstream(suite / "cells" / "b" / "2" / "history.bin") << "";
  const Finished finished = ExportRun(suite, "csv", "out");
  EXPECT_EQ(finished.exit_code, 3);
  EXPECT_EQ(Lines(finished.err), 1U) << finished.err;
  EXPECT_NE(finished.err.find("suite: has many runs; name one of them, such as " +
                              (suite / "cells" / "b" / "2").string()),
            std::string::npos)
      << finished.err;
}

// /dev/stdout is the file to which the test redirects the output. Opened a second time, it would be
// written from its start by both.
TEST_F(Export, AFileThatIsStdoutKeepsAllThatTheCommandPrints) {
  const fs::path link = folder_.path() / "stdout";
  fs::create_symlink("/dev/stdout", link);  // so that a defect breaks this link alone
  const std::string trace = (folder_.path() / "trace.json").string();
  const Finished apart = RunProgram({"replay", kReplay, "--json", trace});
  const Finished together = RunProgram({"replay", kReplay, "--json", link.string()});
  std::ostringstream written;
  written << std::ifstream(trace).rdbuf();
  EXPECT_TRUE(together.out == written.str() + apart.out) << together.out.substr(0, 200);
  EXPECT_TRUE(fs::is_symlink(link));
}

}  // namespace
}  // namespace doublehold
