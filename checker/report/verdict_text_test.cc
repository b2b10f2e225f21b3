// Tests the full text of a verdict. The table and the steps are in testdata/verdict.txt.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checker/judge.h"
#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

struct VerdictTextRow {
  std::string lanes;
  std::string lines;
  bool has = true;
};

void ExpectLines(const std::vector<VerdictTextRow>& rows) {
  for (const VerdictTextRow& row : rows) {
    const std::string text = ToText(Judge(FromLanes(row.lanes)));
    EXPECT_EQ(text.find(row.lines) != std::string::npos, row.has) << row.lines << "\n" << text;
  }
}

TEST(VerdictText, GivesTheLongestStallOfTheMachine) {
  ExpectLines({{R"(
      c1:                 A-a=======R-r
      machine c1:            (----)
      machine c2:              (------))",
                "\nthe machine stalled a process 2 times; the longest stall: client 2 for 7.0 ms "
                "(0.005-0.012 s)\n"}});
}

TEST(VerdictText, CountsTheOperationsOfUnknownOutcomeByKind) {
  ExpectLines({{"c1: A-a==R-r\nc2:   A----?",
                "of unknown outcome: 1 acquire, 0 extends, "
                "0 releases, 0 writes; 1 of them may hide a violation\n"
                "  "},
               {"c1: A-a==R-r\nc2:          A-a==R-r", "of unknown outcome", false},
               {"c1: A-a==R-r\nc2:          A-a==R-r", "no lease was reported", false}});
}

TEST(VerdictText, CountsTheHoldsWithoutALease) {
  History history = FromLanes("c1: A-a==R-r");
  history.events.at(1).value[0] = INT64_MAX;
  const std::string text = ToText(Judge(history));
  EXPECT_NE(text.find("\nno lease was reported: 1 hold of 1 client\n"), std::string::npos) << text;
}

// c1 releases the key late, after `times` grants to c2.
TEST(VerdictText, TellsTheViolationsOfOneHoldOnce) {
  const auto lanes = [](size_t times) {
    std::string held = "\n      c1: A-a=!=", other = "\n      c2:       ";
    for (size_t i = 0; i < times; ++i) {
      held += "========";
      other += "A-a=R-r ";
    }
    return held + "R-x" + other;
  };
  ExpectLines({{lanes(1), "of the same hold", false},
               {lanes(2), "(1 more of the same hold)\n"},
               {lanes(12), "(11 more of the same hold)\n"},
               {lanes(12), "  2. item-0", false},
               {lanes(12), "further violations", false}});
}

// Five violations of different holds are told.
TEST(VerdictText, SaysHowManyViolationsAreOnlyCounted) {
  const auto lanes = [](int times) {
    std::string one = "\n      c1: ", two = "\n      c2: ";
    for (int i = 0; i < times; ++i) {
      one += "A-a=!======R-x ";
      two += "      A-a=R-r  ";
    }
    return one + two;
  };
  const std::string counted = "further violations are only counted; verdict.json has ";
  ExpectLines({{lanes(5), counted, false},
               {lanes(5), "\n  5. item-0: client 1's lease ended at 0.064 s"},
               {lanes(6), "  6. item-0: ", false},
               {lanes(6), "  " + counted + "6 violations\n"}});
}

TEST(VerdictText, GivesTheMeasuredLengthsOfAFault) {
  const std::string held = "c1:        A-a==========R-r\n";
  ExpectLines(
      {{held + "pause c1:    [--] [----]",
        "faults:\n  pause: pause as drawn; took effect 2 of 2 times; measured 3.0 ms to 5.0 ms\n"},
       {held + "pause c1:    [--] [--]",
        "faults:\n  pause: pause as drawn; took effect 2 of 2 times; measured 3.0 ms\n"},
       {held + "pause c1:    [--]   | 4",
        "faults:\n  pause: pause as drawn; took effect once; asked 4.0 ms, measured 4.0 "
        "ms\n"}});
}

// The first violation has no hold to be drawn.
TEST(VerdictText, DrawsUnderAViolationOnlyItsOwnPicture) {
  const std::string text = ToText(Judge(
      FromLanes(R"(
      c1:          Q-A--------------x--q
      sent c1:      * * *
      c2:            A----a=R-r
      sent c2:        ***)",
                {.claims = {"commands-per-grant"}, .limits = {{"commands-per-grant", "2"}}})));
  EXPECT_NE(text.find("  2. item-0: client 2 sent 3 commands"), std::string::npos) << text;
  EXPECT_EQ(text.find("client 2  "), std::string::npos) << text;
}

}  // namespace
}  // namespace doublehold
