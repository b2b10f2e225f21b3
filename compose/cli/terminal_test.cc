// Tests the output of `run` and `check` with the whole program.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "compose/testing/program.h"
#include "lib/base/paths.h"

namespace doublehold {
namespace {

namespace fs = std::filesystem;

// A run of K14, whose outcome is certain.
struct ShownRun {
  TestFolder folder;
  Finished finished;
  ShownRun() {
    finished = RunProgram({"run", SourceDir() + "/compose/testdata/known/k14.toml", "--into",
                           folder.path().string()});
  }
};

TEST(Terminal, ARunFitsOnAScreenFromItsVerdictToTheNextStep) {
  const ShownRun run;
  const std::string& out = run.finished.out;
  EXPECT_TRUE(out.starts_with("verdict: violated (exclusion, stock), as expected\n")) << out;
  EXPECT_LE(Lines(out), 30U) << out;
  const size_t end = out.rfind("\nverdict: violated ");
  ASSERT_NE(end, std::string::npos) << out;
  const size_t throughput = out.find("\nthroughput: ", end), latency = out.find("\nlatency: ", end);
  EXPECT_LT(throughput, latency) << out;
  EXPECT_TRUE(out.ends_with("\nnext: doublehold report " + run.folder.path().string() + "\n"))
      << out;
}

TEST(Terminal, VerbosePrintsTheMarginsThatTheShortTextOmits) {
  const ShownRun run;
  const Finished verbose = RunProgram({"check", run.folder.path().string(), "--verbose"});
  const Finished brief = RunProgram({"check", run.folder.path().string()});
  EXPECT_NE(verbose.out.find("\nmargins:\n"), std::string::npos) << verbose.out;
  EXPECT_EQ(brief.out.find("\nmargins:\n"), std::string::npos) << brief.out;
  EXPECT_EQ(brief.exit_code, verbose.exit_code);
}

TEST(Terminal, ARunWritesJUnitToo) {
  const TestFolder folder;
  const fs::path junit = folder.path() / "junit.xml";
  const Finished finished =
      RunProgram({"run", SourceDir() + "/compose/testdata/known/k14.toml", "--junit",
                  junit.string(), "--into", (folder.path() / "run").string()});
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  std::ifstream in(junit);
  const std::string xml{std::istreambuf_iterator<char>(in), {}};
  EXPECT_NE(xml.find("tests=\"1\" failures=\"0\" errors=\"0\""), std::string::npos) << xml;
  const Finished missing = RunProgram(
      {"run", "--driver", "/nosuch/program", "--junit", junit.string(), "--out", folder.path()});
  EXPECT_EQ(missing.exit_code, 4) << missing.err;
  std::ifstream again(junit);
  const std::string error{std::istreambuf_iterator<char>(again), {}};
  EXPECT_NE(error.find("<error message="), std::string::npos) << error;
  EXPECT_EQ(RunProgram({"run", "--lock", "none", "--junit", "/nosuch/folder/x.xml"}).exit_code, 3);
}

TEST(Terminal, APipeGetsNoProgressLine) {
  const ShownRun run;
  EXPECT_EQ(run.finished.err, "");
  EXPECT_EQ(run.finished.out.find('\r'), std::string::npos);
  EXPECT_EQ(run.finished.out.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace doublehold
