#include "checker/measures/coverage_marks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

std::string MarksIn(const std::string& picture) {
  const History history = FromLanes(picture);
  const MarkSet marks = MarksOf(history);
  std::vector<std::string_view> names;
  for (const MarkEntry& entry : AllMarks()) {
    if (marks.test(static_cast<size_t>(entry.mark))) names.push_back(entry.name);
  }
  return fmt::format("{}", fmt::join(names, " "));
}

struct MarksDrawn {
  std::string picture;
  std::string marks;
};

const std::vector<MarksDrawn> kMarksDrawn{
    {"c1: A-a==g=w=R-r | 5 5>4", ""},
    {"c1: A-x", "refused"},
    {"c0: A-x", ""},  // the referee
    {"c1: Q-A-x-A-x-x", "refused gave-up"},
    {"c1: A-?", "grant-unanswered"},
    {"c1: A-a=A-a=R-r=R-r", "entered-again"},
    {"c1: A-a=R-r=A-a=R-r", ""},
    {"c1: A-a=E-e=R-r", "extended"},
    {"c1: A-a=E-x=R-r", "extension-refused"},
    {"c1: A-a=E-?=R-r", "extension-unanswered"},
    {"c1: A-a=!==R-r", "over-while-held released-late"},
    {"c1: A-a=!==g | 5", "over-while-held"},
    {"c1: A-a=!==E-e==R-r", "extended"},
    {"c1: A-a=g=!==w=R-x | 5 5>4", "over-while-held written-late released-late release-refused"},
    {"c1: A-a=g==W-x=R-r | 5 5>4", "write-refused"},
    {"c1: A-a=g=!==W-x=R-x | 5 5>4", "over-while-held write-refused released-late release-refused"},
    {"c1: A-a=g==W-?=R-r | 5 5>4", "write-unanswered"},
    {"c1: A-a==R-?", "release-unanswered"},
    {"c1: A-a=!=====R-r\nc2:      A-a=R-r", "over-while-held released-late held-twice"},
    {"c1: A-a=======R-r\nc2:      A-a=R-r", "held-twice granted-twice"},
    {"c1:       A-a=====\ncrash c1:     []", "killed-holding"},
    {"c1:       A-a=R-r\ncrash c1:          []", ""},
    {"c1:       A-a=====\npause c1:     []", ""},
    {"c1:     A-a=R-r\nexpiry:         * | 9", "left-behind"},
    {"c1:     A-a=R-r\nexpiry:         * | -2", ""},
    {"c1:     A-a=R-r\nexpiry:         ** | 9 -2", "left-behind left-on-some"},
    {"c1:     A-a=R-r\nexpiry:         * | -1", "left-behind left-for-ever"},
};

TEST(Marks, EachDrawingReachesExactlyItsMarks) {
  for (const MarksDrawn& drawn : kMarksDrawn)
    EXPECT_EQ(MarksIn(drawn.picture), drawn.marks) << drawn.picture;
}

TEST(Marks, EachMarkIsReachedByADrawingAndListedInTheOrderOfItsEnumerator) {
  std::set<std::string> seen;
  for (size_t i = 0; i < AllMarks().size(); ++i)
    EXPECT_EQ(static_cast<size_t>(AllMarks()[i].mark), i) << AllMarks()[i].name;
  for (const MarksDrawn& drawn : kMarksDrawn) {
    for (const MarkEntry& entry : AllMarks()) {
      if (fmt::format(" {} ", drawn.marks).find(fmt::format(" {} ", entry.name)) !=
          std::string::npos)
        seen.emplace(entry.name);
    }
  }
  EXPECT_EQ(seen.size(), kMarks);
}

}  // namespace
}  // namespace doublehold
