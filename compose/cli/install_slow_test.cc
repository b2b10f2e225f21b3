// Installs the program below a prefix, and runs it as a user does: by its name, from any folder.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compose/testing/program.h"
#include "lib/base/paths.h"
#include "lib/os/run_tool.h"

namespace doublehold {
namespace {

namespace fs = std::filesystem;

class Installed : public ::testing::Test {
 protected:
  void SetUp() override {
    const Result<std::string> done =
        RunTool({"cmake", "--install", BinaryDir(), "--prefix",
                 (folder_.path() / "prefix").string(), "--component", "program"});
    ASSERT_TRUE(done.has_value()) << done.error().message;
    // Moves the installed program, so that it does not run from the prefix of the installation.
    fs::rename(folder_.path() / "prefix", folder_.path() / "moved");
  }
  // Runs a shell command with the installed program on the PATH.
  [[nodiscard]] RunResult Shell(const std::string& command) const {
    return RunToEnd({"/bin/sh", "-c",
                     fmt::format("cd {0} && PATH={0}/moved/bin:$PATH && {1}",
                                 folder_.path().string(), command)},
                    {.with_errors = true})
        .value();
  }

  TestFolder folder_;
};

TEST_F(Installed, TheProgramRunsASuiteByNameAndReportsIt) {
  const RunResult suite = Shell("doublehold suite npc --only none/calm --jobs 1");
  EXPECT_EQ(suite.status, 0) << suite.output;
  const RunResult run = Shell(
      "doublehold run --lock set-nx-px --faults clock --duration 3s --into run; "
      "doublehold report run");
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_TRUE(fs::exists(folder_.path() / "run" / "report.html")) << run.output;
  const RunResult doctor = Shell("doublehold doctor");
  EXPECT_NE(doctor.output.find((folder_.path() / "moved/lib/doublehold").string()),
            std::string::npos)
      << doctor.output;
}

TEST_F(Installed, APrintedReplayCommandCanBePasted) {
  const RunResult explored = Shell("doublehold explore --lock set-nx-px --depth 1");
  const std::string start = "  doublehold replay ";
  const size_t at = explored.output.find(start);
  ASSERT_NE(at, std::string::npos) << explored.output;
  const std::string command = explored.output.substr(at, explored.output.find('\n', at) - at);
  const RunResult replayed = Shell(command);
  EXPECT_EQ(WEXITSTATUS(replayed.status), 1) << replayed.output;
  EXPECT_NE(replayed.output.find("verdict: "), std::string::npos) << replayed.output;
}

}  // namespace
}  // namespace doublehold
