// The experiments that the README shows can be run.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "compose/plan_testing.h"

namespace doublehold {
namespace {

// Those of its indented blocks that are experiments.
std::vector<std::string> ExperimentsIn(const std::filesystem::path& document) {
  constexpr std::string_view kIndent = "    ";
  std::ifstream in(document);
  std::vector<std::string> found;
  std::string block;
  for (std::string line; std::getline(in, line) || !block.empty();) {
    if (in && line.starts_with(kIndent)) {
      block += line.substr(kIndent.size()) + "\n";
      continue;
    }
    if (block.find("[[fault]]\n") != std::string::npos) found.push_back(block);
    block.clear();
  }
  return found;
}

TEST(Readme, ItsExperimentsAreAcceptedAsTheyStandThere) {
  const std::vector<std::string> experiments =
      ExperimentsIn(std::filesystem::path(DOUBLEHOLD_SOURCE_DIR) / "README.md");
  EXPECT_EQ(experiments.size(), 2u);
  for (const std::string& experiment : experiments) {
    const Plan plan = testing::Good(experiment);
    EXPECT_FALSE(plan.faults.empty()) << experiment;
    EXPECT_FALSE(plan.expect.empty()) << experiment;
  }
}

}  // namespace
}  // namespace doublehold
