// Runs the fuzz targets' checks on the stored corpus in every build.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "faults/proxy/fuzz/fuzz_cases.h"
#include "lib/base/paths.h"

namespace doublehold {
namespace {

int ForEachFile(const std::string& folder, void (*check)(std::string_view)) {
  int files = 0;
  const auto path =
      std::filesystem::path(SourceDir()) / "faults" / "proxy" / "fuzz_corpus" / folder;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string input(std::istreambuf_iterator<char>(in), {});
    SCOPED_TRACE(entry.path().string());
    check(input);
    ++files;
  }
  return files;
}

TEST(FuzzCorpus, HoldsForTheFramer) { EXPECT_GT(ForEachFile("framer", CheckFramer), 0); }

TEST(FuzzCorpus, HoldsForQueues) { EXPECT_GT(ForEachFile("queue", CheckQueues), 0); }

}  // namespace
}  // namespace doublehold
