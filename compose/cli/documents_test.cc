// Tests that the experiments in the documentation are accepted, and that docs/experiment-file.md
// lists each setting with its default.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/algorithm/string/trim.hpp>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "compose/explore/replay_string.h"
#include "compose/explore/scenario_settings.h"
#include "compose/options/option_rows.h"
#include "compose/plan/plan_builder.h"
#include "compose/suite/suite.h"
#include "compose/sweep/sweep.h"
#include "compose/testing/plan_testing.h"
#include "faults/fault.h"
#include "faults/plans/nemesis.h"
#include "faults/plans/profiles.h"
#include "lib/base/fault_forms.h"
#include "lib/base/paths.h"
#include "lib/locks/registry.h"

namespace doublehold {
namespace {

using testing::Good;
using testing::Refusal;

constexpr std::string_view kPage = "docs/experiment-file.md";

std::vector<std::string> SplitLines(std::string_view document) {
  std::ifstream in(std::filesystem::path(SourceDir()) / document);
  EXPECT_TRUE(in) << document;
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Returns the indented blocks of a document that contain the line `wanted`.
std::vector<std::string> BlocksWith(std::string_view document, std::string_view wanted) {
  constexpr std::string_view kIndent = "    ";
  std::vector<std::string> lines = SplitLines(document);
  lines.emplace_back("the end");
  std::vector<std::string> found;
  std::string block;
  for (const std::string& line : lines) {
    if (line.starts_with(kIndent) || (line.empty() && !block.empty())) {
      block += (line.empty() ? "" : line.substr(kIndent.size())) + "\n";
      continue;
    }
    if (block.find(wanted) != std::string::npos) found.push_back(block);
    block.clear();
  }
  return found;
}

// Returns the rows of a document's tables, each as a list of cells.
std::vector<std::vector<std::string>> ReadTableRows(std::string_view document) {
  std::vector<std::vector<std::string>> rows;
  for (const std::string& line : SplitLines(document)) {
    if (!line.starts_with("| ") || !line.ends_with(" |")) continue;
    rows.emplace_back();
    std::istringstream in(line.substr(1));
    for (std::string cell; std::getline(in, cell, '|');) {
      boost::trim(cell);
      rows.back().push_back(cell);
    }
  }
  return rows;
}

// Returns the words in backquotes: "`drip`, `delay`: late" has drip and delay.
std::set<std::string> QuotedIn(const std::string& cell) {
  std::set<std::string> words;
  for (size_t open = cell.find('`'); open != std::string::npos;) {
    const size_t close = cell.find('`', open + 1);
    if (close == std::string::npos) break;
    words.insert(cell.substr(open + 1, close - open - 1));
    open = cell.find('`', close + 1);
  }
  return words;
}

std::string FirstQuoted(const std::string& cell) {
  return cell.starts_with('`') ? cell.substr(1, cell.find('`', 1) - 1) : "";
}

// Returns all settings that an experiment with these lines may have.
std::set<std::string> ListKnownSettings(const std::string& toml) {
  const std::string word(60, 'z');
  const std::string refusal = Refusal(fmt::format("{} = 1\n{}", word, toml));
  constexpr std::string_view kStart = "(one of: ";
  const size_t start = refusal.find(kStart);
  EXPECT_NE(start, std::string::npos) << refusal;
  std::set<std::string> known{"lock.name"};  // `toml` has this setting already
  if (start == std::string::npos) return known;
  std::string list = refusal.substr(start + kStart.size());
  list.pop_back();
  for (size_t comma = 0; comma != std::string::npos; list.erase(0, comma + 2)) {
    comma = list.find(", ");
    std::string key = list.substr(0, comma);
    for (const char* table : {"expect", "expect_cause"}) {
      if (key.starts_with(fmt::format("{}.", table))) key = fmt::format("{}.CLAIM", table);
    }
    known.insert(key);
    if (comma == std::string::npos) break;
  }
  return known;
}

std::set<std::string> OptionKeys() {
  std::set<std::string> keys;
  for (const auto& rows : {LockOptionRows(), WorkloadOptionRows()}) {
    for (const OptionRow& row : rows) keys.insert(row.name);
  }
  return keys;
}

TEST(Documents, TheirExperimentsAreAccepted) {
  for (const auto& [document, count] : {std::pair("docs/faults.md", 2u), {kPage.data(), 1u}}) {
    const std::vector<std::string> blocks = BlocksWith(document, "[[fault]]\n");
    EXPECT_EQ(blocks.size(), count) << document;
    for (const std::string& block : blocks) {
      const Plan plan = Good(block);
      EXPECT_FALSE(plan.faults.empty()) << block;
      EXPECT_FALSE(plan.expect.empty()) << block;
    }
  }
}

TEST(Documents, TheirSuiteIsAccepted) {
  const std::vector<std::string> blocks = BlocksWith(kPage, "[[cell]]\n");
  ASSERT_EQ(blocks.size(), 1u);
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / fmt::format("documents-{}.toml", getpid());
  std::ofstream(file) << blocks.front();
  const Result<Suite> suite = ReadSuite(file);
  std::filesystem::remove(file);
  ASSERT_TRUE(suite.has_value()) << suite.error().message;
  EXPECT_EQ(suite->cells.size(), 4u);
  EXPECT_EQ(suite->seed, 3u);
  EXPECT_EQ(suite->cells.back().plan.faults.size(), 1u);
}

TEST(Documents, ThePageOfAnExperimentFileListsExactlyTheSettings) {
  std::set<std::string> told;
  for (const auto& row : ReadTableRows(kPage)) told.insert(FirstQuoted(row[0]));
  for (const char* of_drivers : {"lock.driver", "lock.options.NAME"}) told.erase(of_drivers);
  for (const char* other : {"", "[experiment]", "[row.NAME]", "column.NAME.about", "[[cell]]"})
    told.erase(other);
  std::set<std::string> known = OptionKeys();
  for (const LockEntry& lock : Locks())
    known.merge(ListKnownSettings(fmt::format("lock.name = \"{}\"\n", lock.name)));
  known.merge(ListKnownSettings("lock.name = \"set-nx-px\"\ntopology.name = \"sentinel\"\n"));
  known.insert("topology.name");
  EXPECT_EQ(told, known);
}

TEST(Documents, ThePageOfAnExperimentFileListsTheActualDefaults) {
  const std::set<std::string> by_others{"topology.name", "expect.CLAIM", "name"};
  int count = 0;
  for (const auto& row : ReadTableRows(kPage)) {
    const std::string key = FirstQuoted(row[0]);
    if (row.size() != 3 || FirstQuoted(row[2]).empty() || by_others.contains(key)) continue;
    std::string toml = "lock.name = \"set-nx-px\"\n";
    if (key.starts_with("nemesis.")) toml += "nemesis.faults = [\"pause\"]\n";
    EXPECT_EQ(Good(fmt::format("{} = {}\n{}", key, FirstQuoted(row[2]), toml)), Good(toml)) << key;
    ++count;
  }
  EXPECT_EQ(count, 23);
}

TEST(Documents, ThePageOfFaultsNamesTheFormOfEveryKindOrThatItHasNone) {
  std::ifstream in(SourceDir() + "/docs/faults.md");
  const std::string page{std::istreambuf_iterator<char>(in), {}};
  const size_t from = page.find("These kinds have no form:");
  ASSERT_NE(from, std::string::npos);
  std::set<std::string> told = QuotedIn(page.substr(from, page.find("\n\n", from) - from));
  for (const FaultFormEntry& form : kFaultForms) told.emplace(form.kind);
  const std::vector<std::string> kinds = ListNames(Faults());
  EXPECT_EQ(told, std::set<std::string>(kinds.begin(), kinds.end()));
}

// A string after a `"` is a part of a file that the document describes, with `...` in it.
TEST(Documents, EachReplayStringCanBeReplayed) {
  const std::filesystem::path root(SourceDir());
  std::vector<std::filesystem::path> documents{root / "README.md"};
  for (const auto& document : std::filesystem::directory_iterator(root / "docs"))
    documents.push_back(document.path());
  int replayed = 0;
  for (const std::filesystem::path& document : documents) {
    std::ifstream in(document);
    for (std::string line; std::getline(in, line);) {
      const size_t begin = line.find("v1/");
      if (begin == line.npos || (begin > 0 && line[begin - 1] == '"')) continue;
      const std::string text = line.substr(begin, line.find('\'', begin) - begin);
      const Result<ReplayString> replay = ParseReplayString(text);
      ASSERT_TRUE(replay.has_value()) << document << ": " << text << replay.error().message;
      const Result<Plan> plan = SimulatedPlan(replay->settings);
      ASSERT_TRUE(plan.has_value()) << document << ": " << text << plan.error().message;
      sim::GivenChoices given(replay->choices);
      Simulate(ScenarioOf(*plan, *replay), given);
      EXPECT_TRUE(given.Fits()) << document << ": " << text;
      ++replayed;
    }
  }
  EXPECT_GT(replayed, 10);
}

}  // namespace
}  // namespace doublehold
