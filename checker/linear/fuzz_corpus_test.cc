// Runs the checks of the fuzz target on the stored corpus in every build.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "checker/linear/fuzz_cases.h"
#include "lib/base/paths.h"

namespace doublehold {
namespace {

TEST(FuzzCorpus, HoldsForTheSearch) {
  int files = 0;
  const auto path = std::filesystem::path(SourceDir()) / "checker" / "linear" / "fuzz_corpus";
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string input(std::istreambuf_iterator<char>(in), {});
    SCOPED_TRACE(entry.path().string());
    CheckSearch(input);
    ++files;
  }
  EXPECT_GT(files, 0);
}

}  // namespace
}  // namespace doublehold
