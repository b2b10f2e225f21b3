// How large folders and functions may become. Reads the sources and runs nothing else.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "cmake/testing_sources.h"

namespace doublehold {
namespace {

// A budget moves only with a reason in the commit message: what the new lines replace.
TEST(Size, NoFolderHasMoreLinesThanItsBudget) {
  const std::map<std::string, size_t> budgets{
      {"bench", 2'600},  {"checker", 22'385}, {"compose", 27'920}, {"examples", 110},
      {"faults", 7'500}, {"lib", 26'020},     {"workloads", 2'300}};
  std::map<std::string, size_t> lines;
  for (const Source& source : Sources()) {
    if (source.IsCode() && !source.IsTest())
      lines[source.path.substr(0, source.path.find('/'))] += source.lines.size();
  }
  for (const auto& [folder, count] : lines) {
    ASSERT_TRUE(budgets.contains(folder)) << folder << " has no budget";
    EXPECT_LE(count, budgets.at(folder)) << folder << " without tests";
    EXPECT_GE(count, budgets.at(folder) * 9 / 10) << folder << ": lower its budget";
  }
  EXPECT_EQ(lines.size(), budgets.size());
}

// Returns the line where the function begins that ends at `end` with a brace at the margin
// `indent`. By the format, it is the last one before `end` that begins at this margin.
size_t BeginOfFunction(const Source& source, size_t end, size_t indent) {
  size_t begin = end;
  while (begin > 0 && source.lines[--begin].find_first_not_of(' ') != indent) continue;
  return begin;
}

TEST(Size, FunctionsHaveAtMost70Lines) {
  constexpr size_t kMost = 70;
  const Names tables{"checker/registry.cc", "faults/keys.cc"};  // each has a long table
  size_t functions = 0;
  for (const Source& source : Sources()) {
    if (!source.IsCode() || source.IsTest() || tables.contains(source.path)) continue;
    for (size_t end = 0; end < source.lines.size(); ++end) {
      const std::string& line = source.lines[end];
      if (line != "}" && line != "  }") continue;
      const size_t begin = BeginOfFunction(source, end, line.size() - 1);
      if (source.lines[begin].find('(') == std::string::npos) continue;
      ++functions;
      EXPECT_LE(end - begin - 1, kMost)
          << fmt::format("{}:{}: {}", source.path, begin + 1, source.lines[begin]);
    }
  }
  EXPECT_GT(functions, 3'000U) << "hardly any function was found: does the test still see them?";
}

}  // namespace
}  // namespace doublehold
