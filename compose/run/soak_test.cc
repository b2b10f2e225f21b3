// Tests that in long runs with random faults the supervisor's use of memory and descriptors does
// not grow, and that it leaks nothing.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <span>

#include "compose/testing/program.h"

namespace doublehold {
namespace {

// Makes AddressSanitizer reuse freed memory soon. By default it keeps freed memory for a while,
// which looks like growth.
void KeepNoFreedMemory() {
  const char* set = std::getenv("ASAN_OPTIONS");
  const std::string more = "quarantine_size_mb=1:thread_local_quarantine_size_kb=64";
  const std::string all = set == nullptr ? more : fmt::format("{}:{}", set, more);
  setenv("ASAN_OPTIONS", all.c_str(), /*replace=*/1);
}

// Medians of a run's samples. The first quarter does not count, since some memory is allocated
// once.
struct SampleMedians {
  int64_t second_quarter = 0;
  int64_t last_quarter = 0;
};

int64_t Median(std::span<const int64_t> samples) {
  std::vector<int64_t> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  return sorted[sorted.size() / 2];
}

SampleMedians ComputeMedians(const nlohmann::json& samples) {
  const auto each = samples.at("each").get<std::vector<int64_t>>();
  const std::span<const int64_t> all(each);
  const size_t quarter = all.size() / 4;
  EXPECT_GE(quarter, 5U) << samples;
  if (quarter == 0) return {};
  return {.second_quarter = Median(all.subspan(quarter, quarter)),
          .last_quarter = Median(all.last(quarter))};
}

TEST(Soak, TheSupervisorsUseDoesNotGrowAfterTheFirstQuarterOfARun) {
  KeepNoFreedMemory();
  const TestFolder folder;
  const Finished finished =
      RunProgram({"run", "--lock", "redlock", "--nodes", "3", "--clients", "4", "--lease", "300ms",
                  "--nemesis", "pause,clock,network,partition", "--every", "300ms", "--duration",
                  "24s", "--seed", "5", "--into", folder.path().string()});
  ASSERT_LE(finished.exit_code, 2) << finished.out << finished.err;
  const nlohmann::json verdict = ReadJson(folder.path() / "verdict.json");
  const nlohmann::json& own = verdict.at("environment").at("supervisor");
  size_t episodes = 0;
  for (const nlohmann::json& fault : verdict.at("faults")) episodes += fault.at("episodes").size();
  EXPECT_GE(episodes, 40U) << "so few faults say nothing";

  const SampleMedians memory_kb = ComputeMedians(own.at("memory_kb"));
  EXPECT_LE(memory_kb.last_quarter, memory_kb.second_quarter + memory_kb.second_quarter / 10)
      << own.dump();
  // The number of connections varies, but after the run there are as many descriptors as before.
  const SampleMedians descriptors = ComputeMedians(own.at("descriptors"));
  EXPECT_LE(descriptors.last_quarter, descriptors.second_quarter + 8) << own.dump();
  EXPECT_EQ(own.at("descriptors").at("after"), own.at("descriptors").at("before")) << own.dump();
  EXPECT_FALSE(own.at("children_left").get<bool>());
  EXPECT_EQ(own.at("rules_left"), 0);
}

}  // namespace
}  // namespace doublehold
