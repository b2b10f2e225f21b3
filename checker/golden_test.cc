// Judges the histories of testdata/: files NAME-CLIENTS-{ok,bad,unknown}.jsonl. The last word of a
// name is the expected verdict. The facts of a file contain the expected outcome of each claim.
//
// To add a history: draw it (ascii_history.h), write the file with WriteJsonl, and check the file.
// Put the file into testdata/, and the drawing into golden_drawings_test.cc.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "checker/judge.h"
#include "lib/base/paths.h"
#include "lib/history/binary.h"
#include "lib/history/jsonl.h"

namespace doublehold {
namespace {

std::vector<std::filesystem::path> GoldenFiles() {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path folder =
      std::filesystem::path(SourceDir()) / "checker" / "testdata";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::string LastWord(const std::filesystem::path& file) {
  const std::string stem = file.stem().string();
  return stem.substr(stem.rfind('-') + 1);
}

class Golden : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(Golden, HasTheVerdictInItsName) {
  const Result<History> history = ReadJsonlFile(GetParam());
  ASSERT_TRUE(history.has_value()) << history.error().message;
  const RunVerdict verdict = Judge(*history);
  const std::string word = LastWord(GetParam());
  const Outcome expected = word == "ok"    ? Outcome::kValid
                            : word == "bad" ? Outcome::kViolated
                                            : Outcome::kUnknown;
  EXPECT_TRUE(word == "ok" || word == "bad" || word == "unknown") << word;
  EXPECT_EQ(Name(verdict.overall), Name(expected)) << ToText(verdict);
  EXPECT_TRUE(verdict.as_expected) << ToText(verdict);
  EXPECT_FALSE(verdict.facts.expect.empty());
}

TEST_P(Golden, HasTheSameVerdictAfterWritingAndReadingEitherFormat) {
  const Result<History> history = ReadJsonlFile(GetParam());
  ASSERT_TRUE(history.has_value()) << history.error().message;
  const nlohmann::json verdict = ToJson(Judge(*history));

  std::stringstream jsonl;
  WriteJsonl(*history, jsonl);
  const std::string text = jsonl.str();
  TextSource source(text, "again");
  const Result<History> from_jsonl = ReadJsonl(source);
  ASSERT_TRUE(from_jsonl.has_value()) << from_jsonl.error().message;
  EXPECT_EQ(ToJson(Judge(*from_jsonl)), verdict);

  const std::filesystem::path binary =
      std::filesystem::temp_directory_path() / ("doublehold-golden-" + std::to_string(getpid()));
  ASSERT_TRUE(WriteBinaryFile(*history, binary).has_value());
  const Result<History> from_binary = ReadBinaryFile(binary);
  std::filesystem::remove(binary);
  ASSERT_TRUE(from_binary.has_value()) << from_binary.error().message;
  EXPECT_EQ(ToJson(Judge(*from_binary)), verdict);
}

INSTANTIATE_TEST_SUITE_P(Testdata, Golden, ::testing::ValuesIn(GoldenFiles()),
                         [](const ::testing::TestParamInfo<std::filesystem::path>& file) {
                           std::string name = file.param.stem().string();
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace doublehold
