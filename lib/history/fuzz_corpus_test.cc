// What libFuzzer found worth keeping goes through the same checks in every build.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "lib/history/fuzz_cases.h"

namespace doublehold {
namespace {

int ForEachFile(const std::string& folder, LogFormat format) {
  int files = 0;
  const auto path =
      std::filesystem::path(DOUBLEHOLD_SOURCE_DIR) / "lib" / "history" / "fuzz_corpus" / folder;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string input(std::istreambuf_iterator<char>(in), {});
    SCOPED_TRACE(entry.path().string());
    CheckReader(format, input);
    ++files;
  }
  return files;
}

TEST(FuzzCorpus, HoldsForEdn) { EXPECT_GT(ForEachFile("edn", LogFormat::kEdn), 0); }

TEST(FuzzCorpus, HoldsForJsonLines) {
  EXPECT_GT(ForEachFile("json_lines", LogFormat::kJsonLines), 0);
}

TEST(FuzzCorpus, OfEdnHoldsForAJepsenLogToo) {
  EXPECT_GT(ForEachFile("edn", LogFormat::kJepsenLog), 0);
}

}  // namespace
}  // namespace doublehold
