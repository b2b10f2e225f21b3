// Tests suites whose rows drivers serve, and suites with unavailable drivers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "compose/testing/program.h"
#include "lib/base/paths.h"

namespace doublehold {
namespace {

const std::string kDriverSuiteTemplate = "/usr/bin/python3 " + SourceDir() + "/drivers/template.py";

class DriverSuite : public ::testing::Test {
 protected:
  // Runs a suite with two columns. It has a row for each driver, and a row for a lock of this
  // project.
  Finished Run(const std::vector<std::string>& drivers, const std::string& shard = "1/1") {
    std::string text =
        "[experiment]\nlock.lease = '400ms'\nworkload.duration = '600ms'\nworkload.clients = 2\n"
        "[row.ours]\nlock.name = 'set-nx-px'\n";
    std::string rows = "'ours'";
    for (size_t i = 0; i < drivers.size(); ++i) {
      text += fmt::format("[row.driver-{}]\nlock.driver = '''{}'''\n", i, drivers[i]);
      rows += fmt::format(", 'driver-{}'", i);
    }
    text += fmt::format(
        "[[cell]]\nrow = [{}]\ncolumn = ['one', 'two']\nexpect.exclusion = 'valid'\n", rows);
    WriteFile(folder_.path() / "suite.toml", text);
    return RunProgram({"suite", (folder_.path() / "suite.toml").string(), "--out",
                       (folder_.path() / "runs").string(), "--json", "--shard", shard});
  }
  [[nodiscard]] std::vector<std::string> Outcomes(const Finished& finished) const {
    std::vector<std::string> outcomes;
    const nlohmann::json told = nlohmann::json::parse(finished.out);
    const nlohmann::json suite =
        ReadJson(std::filesystem::path(told.at("folder").get<std::string>()) / "suite.json");
    for (const nlohmann::json& cell : suite.at("cells")) {
      const nlohmann::json& run = cell.at("runs").at(0);
      outcomes.push_back(fmt::format(
          "{} {} {}", cell.at("name").get<std::string>(), run.at("overall").get<std::string>(),
          run.at("error").is_null() ? "" : run.at("error").get<std::string>()));
    }
    return outcomes;
  }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }

 private:
  TestFolder folder_;
};

TEST_F(DriverSuite, ACellWithAnUnavailableDriverIsUnknownAndOtherCellsRun) {
  const std::string asked = (folder() / "asked").string();
  const std::string missing =
      fmt::format("echo once >> {}; echo 'it needs a JVM (apt-get install it)' >&2; exit 4", asked);
  const Finished finished = Run({missing, kDriverSuiteTemplate});
  EXPECT_EQ(finished.exit_code, 4) << finished.err;
  const std::vector<std::string> outcomes = Outcomes(finished);
  ASSERT_EQ(outcomes.size(), 6U);
  for (const size_t at : {0U, 1U, 4U, 5U})
    EXPECT_TRUE(outcomes[at].ends_with(" valid ")) << outcomes[at];
  for (const size_t at : {2U, 3U}) {
    EXPECT_NE(outcomes[at].find(" unknown the driver \"echo once"), std::string::npos)
        << outcomes[at];
    EXPECT_NE(outcomes[at].find("apt-get install it"), std::string::npos) << outcomes[at];
  }
  std::ifstream in(asked);
  EXPECT_EQ(std::distance(std::istream_iterator<std::string>(in), {}), 1)
      << "asked once for all cells";
}

TEST_F(DriverSuite, ADriverOfTheFileCanBeReplaced) {
  ASSERT_EQ(Run({"false"}).exit_code, 4);
  const Finished finished = RunProgram(
      {"suite", (folder() / "suite.toml").string(), "--only", "driver-0/one", "--driver",
       kDriverSuiteTemplate, "--set", "lock.lease=500ms", "--into", (folder() / "mine").string()});
  EXPECT_EQ(finished.exit_code, 0) << finished.out << finished.err;
  const std::string changed =
      fmt::format("the driver {} replaces false; set lock.lease=500ms", kDriverSuiteTemplate);
  EXPECT_NE(finished.out.find("\nchanged: " + changed +
                              "; the suite's file still says what is expected: "),
            std::string::npos)
      << finished.out;
  EXPECT_EQ(ReadJson(folder() / "mine/suite.json").at("changed"), changed);
  const nlohmann::json plan = ReadJson(folder() / "mine/cells/driver-0-one/1/plan.json");
  EXPECT_EQ(plan.at("driver").at("command"), kDriverSuiteTemplate);
  const std::string resumed = (folder() / "mine").string();
  EXPECT_EQ(RunProgram({"suite", (folder() / "suite.toml").string(), "--only", "driver-0/one",
                        "--resume", resumed})
                .exit_code,
            3)
      << "the suite of the file is another one";
}

TEST_F(DriverSuite, AMatrixNeedsNoDriver) {
  const std::string asked = (folder() / "asked").string();
  WriteFile(folder() / "matrix.toml",
            fmt::format("[row.a]\nlock.driver = 'touch {}'\n[[cell]]\nrow = 'a'\ncolumn = 'b'\n"
                        "expect.exclusion = 'violated'\n",
                        asked));
  const Finished finished = RunProgram({"suite", (folder() / "matrix.toml").string(), "--matrix"});
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_NE(finished.out.find("| `a` | **exclusion** |"), std::string::npos) << finished.out;
  EXPECT_FALSE(std::filesystem::exists(asked));
}

// An option that a driver refuses is reported before anything runs.
TEST_F(DriverSuite, AnOptionThatADriverRefusesIsBadInput) {
  const Finished finished = Run({kDriverSuiteTemplate + "'''\nlock.options.nosuch = '''1"});
  EXPECT_EQ(finished.exit_code, 3) << finished.err;
  EXPECT_NE(finished.err.find("driver-0/one: "), std::string::npos) << finished.err;
  EXPECT_NE(finished.err.find("no such option: nosuch"), std::string::npos) << finished.err;
}

TEST_F(DriverSuite, QueriesNoDriverOfAnotherShard) {
  const std::filesystem::path asked = folder() / "asked";
  const Finished finished = Run({fmt::format("echo once >> {}; exit 4", asked.string())}, "1/4");
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_FALSE(std::filesystem::exists(asked));
}

}  // namespace
}  // namespace doublehold
