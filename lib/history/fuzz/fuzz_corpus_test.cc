// Runs the fuzz targets' checks on the stored corpus in every build.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "lib/base/paths.h"
#include "lib/history/fuzz/fuzz_cases.h"

namespace doublehold {
namespace {

template <typename Check>
int ForEachFile(const std::string& folder, Check check) {
  int files = 0;
  const auto path = std::filesystem::path(SourceDir()) / "lib" / "history" / "fuzz_corpus" / folder;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string input(std::istreambuf_iterator<char>(in), {});
    SCOPED_TRACE(entry.path().string());
    check(input);
    ++files;
  }
  return files;
}

int ForEachFile(const std::string& folder, LogFormat format) {
  return ForEachFile(folder, [format](const std::string& input) { CheckReader(format, input); });
}

TEST(FuzzCorpus, EdnFilesPassTheChecks) { EXPECT_GT(ForEachFile("edn", LogFormat::kEdn), 0); }

TEST(FuzzCorpus, JsonLinesFilesPassTheChecks) {
  EXPECT_GT(ForEachFile("json_lines", LogFormat::kJsonLines), 0);
}

TEST(FuzzCorpus, JsonLinesFilesReadAsArraysPassTheChecks) {
  EXPECT_GT(ForEachFile("json_lines", LogFormat::kJsonArray), 0);
}

TEST(FuzzCorpus, HistoryFilesPassTheChecks) {
  EXPECT_GT(ForEachFile("jsonl", [](const std::string& input) { CheckHistory(input); }), 0);
}

TEST(FuzzCorpus, CsvFilesPassTheChecks) { EXPECT_GT(ForEachFile("csv", LogFormat::kCsv), 0); }

TEST(FuzzCorpus, EdnFilesReadAsJepsenLogsPassTheChecks) {
  EXPECT_GT(ForEachFile("edn", LogFormat::kJepsenLog), 0);
}

}  // namespace
}  // namespace doublehold
