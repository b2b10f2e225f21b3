// Tests that equal seeds give equal executions with every build and compiler.
// testdata/stories/write.py wrote the expected texts.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "compose/testing/program.h"
#include "lib/base/paths.h"
#include "lib/testing/trials.h"

namespace doublehold {
namespace {

namespace fs = std::filesystem;

const fs::path kStories = SourceDir() + "/compose/testdata/stories";

struct StoredStory {
  std::vector<std::string> words;
  std::string printed;
};

std::vector<std::string> SplitAtTabs(const std::string& line) {
  std::vector<std::string> words;
  std::istringstream in(line);
  for (std::string word; std::getline(in, word, '\t');) words.push_back(word);
  return words;
}

std::vector<StoredStory> ReadStories(const fs::path& file) {
  std::vector<StoredStory> all;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("$ ")) {
      all.push_back({.words = SplitAtTabs(line.substr(2)), .printed = ""});
    } else if (!all.empty()) {
      all.back().printed += line + '\n';
    }
  }
  return all;
}

// Removes the duration, which differs in each run.
std::string WithoutSeconds(const std::string& printed) {
  std::string text;
  std::istringstream in(printed);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("  \"seconds\"")) text += line + '\n';
  }
  return text;
}

class SameStory : public ::testing::TestWithParam<std::string> {};

TEST_P(SameStory, IsTheSameWithEveryBuild) {
  const std::set<std::string> first{"fenced", "set-nx-px", "watch"};
  if (!first.contains(GetParam()) && !RunsAllTrials()) GTEST_SKIP() << kVariation;
  const std::vector<StoredStory> stories = ReadStories(kStories / (GetParam() + ".txt"));
  ASSERT_GE(stories.size(), 2u) << "a search, and what it found";
  for (const StoredStory& told : stories) {
    const Finished finished = RunProgram(told.words);
    EXPECT_LE(finished.exit_code, 2) << finished.err;
    EXPECT_EQ(WithoutSeconds(finished.out), told.printed) << told.words.back();
  }
}

INSTANTIATE_TEST_SUITE_P(ViolationLog, SameStory,
                         ::testing::Values("fenced", "redisson-fair", "redlock", "set-nx-px",
                                           "set-nx-px-del", "set-nx-px-reentrant", "setnx-getset",
                                           "watch"),
                         [](const ::testing::TestParamInfo<std::string>& story) {
                           std::string name = story.param;
                           std::erase(name, '-');
                           return name;
                         });

// Tests that the tests above read every story file.
TEST(SameStoryFiles, AreAllRead) {
  size_t files = 0;
  for (const fs::directory_entry& file : fs::directory_iterator(kStories))
    files += file.path().extension() == ".txt" ? 1 : 0;
  EXPECT_EQ(files, 8u);
}

}  // namespace
}  // namespace doublehold
