// Tests the choice of etcd's server program with --etcd.
#include <gtest/gtest.h>

#include <algorithm>

#include "compose/testing/program.h"
#include "lib/base/paths.h"
#include "lib/etcd/connection.h"
#include "lib/os/run_tool.h"

namespace doublehold {
namespace {

namespace fs = std::filesystem;

class EtcdProgram : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!HasEtcd()) GTEST_SKIP() << "built without libcurl";
  }

  // Writes a shell script into the folder.
  [[nodiscard]] std::string Script(const std::string& name, const std::string& text) const {
    const fs::path file = folder_.path() / name;
    WriteFile(file, "#!/bin/sh\n" + text);
    fs::permissions(file, fs::perms::owner_all);
    return file.string();
  }

  const TestFolder folder_;
};

TEST_F(EtcdProgram, AWrongChoiceIsBadInputAndNamesTheReason) {
  WriteFile(folder_.path() / "text", "");
  const std::vector<std::pair<std::string, std::string>> cases{
      {"/nonexistent", "/nonexistent: not found"},
      {folder_.path().string(), "Permission denied"},
      {(folder_.path() / "text").string(), "Permission denied"},
      {"/bin/echo", "/bin/echo: not an etcd server: it says"},
      {Script("silent", "exit 1\n"), "not an etcd server: it says ''"},
      {Script("old", "echo 'etcd Version: 3.3.25'\n"),
       "version 3.3.25 is too old; 3.4 or later is needed"},
      {Script("ancient", "echo 'etcd Version: 2'\n"), "version 2 is too old"},
  };
  const fs::path out = folder_.path() / "out";
  const std::string suite = SourceDir() + "/compose/suites/services.toml";
  for (const auto& [program, says] : cases) {
    for (std::vector<std::string> words :
         {std::vector<std::string>{"run", "--lock", "etcd", "--lease", "1s"},
          std::vector<std::string>{"suite", suite, "--only", "etcd/calm"}}) {
      words.insert(words.end(), {"--etcd", program, "--out", out.string()});
      const Finished finished = RunProgram(words);
      EXPECT_EQ(finished.exit_code, 3) << finished.err;
      EXPECT_EQ(std::ranges::count(finished.err, '\n'), 1) << finished.err;
      EXPECT_NE(finished.err.find("--etcd: "), std::string::npos) << finished.err;
      EXPECT_NE(finished.err.find(says), std::string::npos) << finished.err;
      EXPECT_FALSE(fs::exists(out)) << program;
    }
  }
}

TEST_F(EtcdProgram, TheChosenProgramServesTheRunsOfASuiteAndItsVersionIsRecorded) {
  if (!RunToEnd({"etcd", "--version"})) GTEST_SKIP() << "etcd is not installed";
  const std::string program = Script("etcd-next",
                                     "[ \"$1\" != --version ] || exec echo 'etcd Version: 3.5.99'\n"
                                     "exec etcd \"$@\"\n");
  const Finished finished =
      RunProgram({"suite", SourceDir() + "/compose/suites/services.toml", "--only", "etcd/calm",
                  "--etcd", program, "--out", (folder_.path() / "out").string()});
  EXPECT_EQ(finished.exit_code, 0) << finished.out << finished.err;
  int verdicts = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder_.path() / "out")) {
    if (entry.path().filename() != "verdict.json") continue;
    ++verdicts;
    EXPECT_EQ(ReadJson(entry.path()).at("environment").at("etcd"), "3.5.99");
  }
  EXPECT_EQ(verdicts, 1);
}

}  // namespace
}  // namespace doublehold
