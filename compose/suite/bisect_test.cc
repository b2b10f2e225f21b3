#include "compose/suite/bisect.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "lib/testing/case_name.h"

namespace doublehold {
namespace {

struct Case {
  std::string name;
  std::string versions;  // x: seen, .: not seen, ?: unusable
  size_t seen;
  std::string range;  // first-last, and what the neighbours showed; | at an end
};

void PrintTo(const Case& test, std::ostream* out) { *out << test.name; }

class Bisect : public ::testing::TestWithParam<Case> {};

Probe ProbeOf(char letter) {
  if (letter == 'x') return Probe::kSeen;
  return letter == '.' ? Probe::kNotSeen : Probe::kUnusable;
}

std::string Show(const std::optional<Probe>& probe) {
  if (!probe) return "|";
  return *probe == Probe::kNotSeen ? "." : "?";
}

TEST_P(Bisect, FindsTheRangeAndAsksEachVersionOnce) {
  const Case& test = GetParam();
  std::string asked(test.versions.size(), ' ');
  const SeenRange range = FindSeenRange(test.versions.size(), test.seen, [&](size_t version) {
    EXPECT_EQ(asked.at(version), ' ') << version;
    asked.at(version) = '!';
    return ProbeOf(test.versions[version]);
  });
  EXPECT_EQ(Show(range.before) + std::to_string(range.first) + "-" + std::to_string(range.last) +
                Show(range.after),
            test.range);
  EXPECT_LE(std::ranges::count(asked, '!'), 16);
}

INSTANTIATE_TEST_SUITE_P(
    All, Bisect,
    ::testing::Values(
        Case{"the only version", "x", 0, "|0-0|"}, Case{"every version", "xxxxxxx", 3, "|0-6|"},
        Case{"fixed later", "xxxxx..", 1, "|0-4."},
        Case{"new and fixed", "...xxxx......", 4, ".3-6."},
        Case{"new, never fixed", "...xxxx", 6, ".3-6|"}, Case{"alone", "......x.....", 6, ".6-6."},
        Case{"old versions are unusable", "?????xxxx.", 7, "?5-8."},
        Case{"one unusable between", "..xxxx?x...", 2, ".2-7."},
        Case{"the newest is unusable", "..xxxx?", 3, ".2-5?"},
        Case{"many", std::string(100, '.') + std::string(60, 'x') + "....", 120, ".100-159."}),
    testing::CaseName());

}  // namespace
}  // namespace doublehold
