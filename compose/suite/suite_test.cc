#include "compose/suite/suite.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <fstream>

#include "compose/plan/plan_builder.h"
#include "compose/suite/suite_tables.h"
#include "compose/testing/program.h"
#include "lib/base/paths.h"
#include "lib/base/words.h"
#include "lib/locks/registry.h"

namespace doublehold {
namespace {

TEST(RunSuite, ReturnsItsRunsEvenIfSuiteJsonCannotBeWritten) {
  const TestFolder folder;
  // suite.json is a folder, so that it cannot be written.
  std::filesystem::create_directory(folder.path() / "suite.json");
  const Suite suite{.name = "none", .rows = {}, .columns = {}, .about = {}, .cells = {}};
  const SuiteResult result = RunSuite({.suite = suite, .folder = folder.path(), .finished = {}});
  ASSERT_TRUE(result.error.has_value());
  EXPECT_NE(result.error->message.find("suite.json: cannot be written: "), std::string::npos);
}

class SuiteFile : public ::testing::Test {
 protected:
  Result<Suite> Read(const std::string& text) {
    std::ofstream(file_) << text;
    return ReadSuite(file_);
  }
  Suite Good(const std::string& text) {
    Result<Suite> suite = Read(text);
    EXPECT_TRUE(suite.has_value()) << suite.error().message;
    return suite.value_or(Suite{});
  }
  // The error message without the path of the file.
  std::string Refusal(const std::string& text) {
    const Result<Suite> suite = Read(text);
    if (suite) return "accepted";
    EXPECT_EQ(suite.error().code, ExitCode::kBadInput);
    const std::string path = file_.string();
    if (!suite.error().message.starts_with(path)) return "no place: " + suite.error().message;
    return suite.error().message.substr(path.size());
  }

  TestFolder folder_;
  std::filesystem::path file_ = folder_.path() / "tiny.toml";
};

constexpr const char* kTwoByTwo = R"(
seed = 3
[experiment]
lock.lease = "300ms"
workload.duration = "2s"
workload.stock = 10
[row.redlock]
lock.name = "redlock"
[row.none]
lock.name = "none"
workload.stock = 20
[column.pause]
faults = ["pause"]
[column.calm]
workload.duration = "1s"
[[cell]]
row = "redlock"
column = "pause"
expect = { exclusion = "violated" }
[[cell]]
row = "none"
column = "pause"
workload.stock = 30
[[cell]]
row = "none"
column = "calm"
[[cell.fault]]
kind = "pause"
client = 1
for = "100ms"
)";

TEST_F(SuiteFile, TheMatrixOfSelectedCellsHasOnlyTheirRowsAndColumns) {
  Suite suite = Good(kTwoByTwo);
  EXPECT_EQ(FormatMatrix(suite),
            "| lock | pause | calm |\n|---|---|---|\n"
            "| `redlock` | **exclusion** |  |\n| `none` | ok | ok |\n");
  suite.cells.resize(1);
  EXPECT_EQ(FormatMatrix(suite), "| lock | pause |\n|---|---|\n| `redlock` | **exclusion** |\n");
  EXPECT_EQ(FormatCases(suite),
            "| case | what happens | what breaks | what does not |\n|---|---|---|---|\n"
            "| pause |  | `redlock`: **exclusion** |  |\n");
  suite.cells[0].plan.expect["stock"] = "any";
  EXPECT_EQ(FormatMatrix(suite),
            "| lock | pause |\n|---|---|\n| `redlock` | **exclusion**, perhaps stock |\n");
  suite.cells[0].plan.expect["exclusion"] = "any";
  EXPECT_EQ(FormatMatrix(suite),
            "| lock | pause |\n|---|---|\n| `redlock` | perhaps exclusion, stock |\n");
}

TEST_F(SuiteFile, ACellAddsItsRowItsColumnAndItsOwnSettingsInThatOrder) {
  const Suite suite = Good(kTwoByTwo);
  EXPECT_EQ(suite.name, "tiny") << "the file's own name, when it gives none";
  EXPECT_EQ(suite.rows, (std::vector<std::string>{"redlock", "none"}));
  EXPECT_EQ(suite.columns, (std::vector<std::string>{"pause", "calm"}));
  ASSERT_EQ(suite.cells.size(), 3u);
  const Plan& first = suite.cells[0].plan;
  EXPECT_EQ(suite.cells[0].name, "redlock/pause");
  EXPECT_EQ(first.experiment, "redlock/pause");
  EXPECT_EQ(first.lock, "redlock");
  EXPECT_EQ(first.lease, 300ms);
  EXPECT_EQ(first.duration, 2s);
  EXPECT_EQ(first.workload_options.at("stock"), "10");
  EXPECT_EQ(first.faults.size(), 1u);
  EXPECT_EQ(first.expect.at("exclusion"), "violated");
  EXPECT_EQ(suite.cells[1].plan.workload_options.at("stock"), "30") << "a cell's own word is last";
  const Plan& last = suite.cells[2].plan;
  EXPECT_EQ(last.workload_options.at("stock"), "20");
  EXPECT_EQ(last.duration, 1s);
  ASSERT_EQ(last.faults.size(), 1u);
  EXPECT_EQ(last.faults[0].kind, "pause");
}

TEST_F(SuiteFile, TheSeedOfTheSuiteIsTheSeedOfEveryCell) {
  for (const SuiteCell& cell : Good(kTwoByTwo).cells) EXPECT_EQ(cell.plan.seed, 3u);
}

TEST_F(SuiteFile, ErrorsNameTheirPlaceInTheFile) {
  const std::string good = "[row.none]\nlock.name = 'none'\n[column.calm]\n";  // has three lines
  const std::string cell = "[[cell]]\nrow = 'none'\ncolumn = 'calm'\n";
  const struct {
    std::string text;
    std::string message;
  } cases[] = {
      {"", ": has no [[cell]], so there is nothing to run"},
      {good, ": has no [[cell]], so there is nothing to run"},
      {good + "[[cell]]\ncolumn = 'calm'\n", ": cell 1: 'row' is missing"},
      {good + "[[cell]]\nrow = 'none'\n", ": cell 1: 'column' is missing"},
      {good + cell + "[[cell]]\n", ":7: cell: the table is empty; remove it"},
      {good + cell + cell, ": cell 2: two cells are called none/calm"},
      {good + "[[cell]]\nrow = 'noen'\ncolumn = 'calm'\n",
       ":5: cell.0.row: row 'noen' is unknown (did you mean 'none'?)"},
      {good + "[[cell]]\nrow = 'none'\ncolumn = 'clam'\n",
       ":6: cell.0.column: column 'clam' is unknown (did you mean 'calm'?)"},
      {good + cell + "lock.leese = '1s'\n",
       ":7: lock.leese: lock none has no such setting (did you mean 'lease'?)"},
      {good + cell + "expect = { exclusin = 'valid' }\n",
       ":7: expect.exclusin: claim 'exclusin' is unknown (did you mean 'exclusion'?)"},
      {good + cell + "[[cell.fault]]\nkind = 'puase'\n",
       ":8: fault.0.kind: fault 'puase' is unknown (did you mean 'pause'?)"},
      {good + "[colum.x]\na = 1\n" + cell,
       ":5: setting of a suite 'colum.x.a' is unknown (one of: name, seed)"},
      {"sead = 1\n" + good + cell,
       ":1: setting of a suite 'sead' is unknown (did you mean 'seed'?)"},
      {"[experiment]\nlock.lease = '1'\n" + good + cell,
       ":2: lock.lease: '1' has no unit (ns, us, ms, s, m, h): did you mean 1ms?"},
      {"[column.calm]\n[[cell]]\nrow = 'none'\ncolumn = 'calm'\n",
       fmt::format(
           ": cell 1 (none/calm): lock.name: no lock is named; use --lock NAME (one of: {})",
           fmt::join(ListNames(Locks()), ", "))},
      {good + "[row.used]\nlock.name = 'none'\n[row.spare]\nlock.name = 'none'\n" + cell,
       ":7: row 'spare' has no cell; name it in a [[cell]], or remove its table"},
      {good + "[column.empty]\n" + cell,
       ": column 'empty' has no cell; name it in a [[cell]], or remove its table"},
      {"[[cell]\n", ":1: Error while parsing table header: expected ']', saw '\\n'"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(Refusal(text), message);
}

TEST_F(SuiteFile, TwoCellsNeverShareAFolder) {
  const std::string text =
      "[row.'a b']\nlock.name = 'none'\n[row.a-b]\nlock.name = 'none'\n[column.x]\nseed = 1\n"
      "[[cell]]\nrow = 'a b'\ncolumn = 'x'\n[[cell]]\nrow = 'a-b'\ncolumn = 'x'\n";
  EXPECT_EQ(Refusal(text), ": cell 2: cells 'a b/x' and 'a-b/x' would have the same folder, a-b-x");
}

TEST_F(SuiteFile, AMissingFileIsRefused) {
  EXPECT_EQ(ReadSuite(folder_.path() / "none.toml").error().message,
            (folder_.path() / "none.toml").string() + ": no such file");
}

TEST(Suites, EverySuiteOfThisProjectCanBeRead) {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(SourceDir() + "/compose/suites")) {
    const Result<Suite> suite = ReadSuite(entry.path());
    EXPECT_TRUE(suite.has_value()) << suite.error().message;
    ++count;
  }
  EXPECT_GE(count, 1u);
}

TEST_F(SuiteFile, ACellWithListsOfRowsAndColumnsIsEveryPairOfThem) {
  const Suite suite = Good(
      "[row.a]\nlock.name = 'none'\n[row.b]\nlock.name = 'redlock'\n"
      "[column.x]\nworkload.stock = 5\n[column.y]\nworkload.stock = 6\n"
      "[[cell]]\nrow = ['a', 'b']\ncolumn = ['x', 'y']\n");
  std::vector<std::string> names;
  for (const SuiteCell& cell : suite.cells) names.push_back(cell.name);
  EXPECT_EQ(names, (std::vector<std::string>{"a/x", "a/y", "b/x", "b/y"}));
  EXPECT_EQ(suite.cells[3].plan.lock, "redlock");
  EXPECT_EQ(suite.cells[3].plan.workload_options.at("stock"), "6");
}

}  // namespace
}  // namespace doublehold
