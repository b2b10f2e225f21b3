// Tests sweeps on real servers of locks whose weak places are known.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "compose/testing/program.h"
#include "lib/base/paths.h"
#include "lib/testing/trials.h"

namespace doublehold {
namespace {

using SweepNames = std::vector<std::string>;

class SweepOnServers : public ::testing::Test {
 protected:
  // Returns the cells of a sweep with these faults.
  nlohmann::json Sweep(const std::string& lock, const std::string& faults,
                       const std::string& section = "1") {
    const Finished finished =
        RunProgram({"sweep", "--lock", lock, "--clients", RunsAllTrials() ? "4" : "2", "--faults",
                    faults, "--section", section, "--json", "--out", folder_.path().string()});
    EXPECT_EQ(finished.exit_code, 1) << finished.err;
    const nlohmann::json swept = nlohmann::json::parse(finished.out, nullptr, false);
    EXPECT_TRUE(swept.is_object()) << finished.out;
    return swept.value("cells", nlohmann::json::array());
  }

  static nlohmann::json At(const nlohmann::json& cells, const std::string& name) {
    const auto found = std::ranges::find_if(
        cells, [&](const nlohmann::json& cell) { return cell.at("name") == name; });
    if (found == cells.end()) ADD_FAILURE() << "no cell " << name;
    return found == cells.end() ? nlohmann::json{} : *found;
  }
  static SweepNames ViolatedAt(const nlohmann::json& cells, const std::string& name) {
    return At(cells, name).value("violated", SweepNames{"no such cell"});
  }

  TestFolder folder_;
};

TEST_F(SweepOnServers, FindsK14K15AndK16OfSetNxPx) {
  const nlohmann::json cells =
      Sweep("set-nx-px", RunsAllTrials() ? "pause,drop-reply,hold-request" : "pause,drop-reply");
  const SweepNames oversold{"exclusion", "stock"};
  EXPECT_EQ(ViolatedAt(cells, "after-read/pause"), oversold);           // K14
  EXPECT_EQ(At(cells, "SET to node 1/drop-reply").at("letters"), "w");  // K16
  if (RunsAllTrials()) {
    EXPECT_EQ(ViolatedAt(cells, "SET to the store/hold-request"), oversold);  // K15
  }
  // At these places a pause is harmless.
  EXPECT_EQ(At(cells, "start/pause").at("letters"), ".");
  EXPECT_EQ(At(cells, "after-release/pause").at("letters"), ".");
}

TEST_F(SweepOnServers, FindsK14InALaterSection) {
  if (!RunsAllTrials()) GTEST_SKIP() << kVariation;
  const nlohmann::json cells = Sweep("set-nx-px", "pause", "3");
  EXPECT_EQ(cells.front().at("name"), "after-acquire/pause") << "the client has started long ago";
  EXPECT_EQ(ViolatedAt(cells, "after-read/pause"), (SweepNames{"exclusion", "stock"}));
  EXPECT_EQ(At(cells, "after-release/pause").at("letters"), ".");
}

TEST_F(SweepOnServers, FindsK01OfSetnxExpire) {
  if (!RunsAllTrials()) GTEST_SKIP() << kVariation;
  const nlohmann::json cells = Sweep("setnx-expire", "crash");
  EXPECT_EQ(ViolatedAt(cells, "mid-acquire/crash"), SweepNames{"liveness"});
  EXPECT_EQ(At(cells, "after-acquire/crash").at("letters"), "w");
}

TEST_F(SweepOnServers, NamesTheLibraryOfADriver) {
  const Finished finished = RunProgram(
      {"sweep", "--driver", "/usr/bin/python3 " + SourceDir() + "/drivers/template.py", "--clients",
       RunsAllTrials() ? "4" : "2", "--workload", RunsAllTrials() ? "inventory" : "cycle",
       "--faults", "crash", "--json", "--out", folder_.path().string()});
  const nlohmann::json swept = nlohmann::json::parse(finished.out, nullptr, false);
  ASSERT_TRUE(swept.is_object()) << finished.out << finished.err;
  EXPECT_EQ(swept.at("library"), (nlohmann::json{{"name", "template"}, {"version", "1"}}));
}

TEST_F(SweepOnServers, ARunWithFramesRecordsEachCommandAndItsReply) {
  const std::string into = (folder_.path() / "run").string();
  const Finished finished =
      RunProgram({"run", "--lock", "set-nx-px", "--clients", "1", "--duration", "300ms", "--lease",
                  "300ms", "--frames", "--into", into});
  EXPECT_EQ(finished.exit_code, 2) << finished.err;  // a run with a single client proves nothing
  std::ifstream in(into + "/frames.jsonl");
  std::vector<std::string> told;
  int64_t last_ns = 0;
  for (std::string line; std::getline(in, line);) {
    const nlohmann::json frame = nlohmann::json::parse(line);
    EXPECT_EQ(frame.at("client"), 1);
    EXPECT_GE(frame.at("time"), last_ns);
    last_ns = frame.at("time");
    if (told.size() < 8) {
      EXPECT_GE(frame.value("arrived", int64_t{0}), last_ns) << "no fault loses a message";
    }
    told.push_back(frame.at("direction").get<std::string>() + " " +
                   frame.at("command").get<std::string>() + " " + frame.at("node").dump());
  }
  ASSERT_GE(told.size(), 10U);
  told.resize(8);
  EXPECT_EQ(told, (SweepNames{"request SET 1", "reply SET 1", "request GET 0", "reply GET 0",
                              "request SET 0", "reply SET 0", "request RPUSH 0", "reply RPUSH 0"}));
}

TEST(SweepHelp, DoesNotOfferOptionsThatASweepRefuses) {
  for (const char* option : {"--nemesis", "--every"}) {
    EXPECT_NE(RunProgram({"run", "--help"}).out.find(option), std::string::npos);
    EXPECT_EQ(RunProgram({"sweep", "--help"}).out.find(option), std::string::npos);
  }
}

}  // namespace
}  // namespace doublehold
