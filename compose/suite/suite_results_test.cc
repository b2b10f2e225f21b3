// Tests the results of a suite as JUnit XML and as a table, without running anything.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "compose/suite/suite_tables.h"

namespace doublehold {
namespace {

nlohmann::json VerdictWithStock(const std::string& outcome) {
  return {{"overall", outcome},
          {"as_expected", outcome == "valid"},
          {"exit_code", outcome == "valid" ? 0 : 1},
          {"seconds", 1.5},
          {"environment", {{"cores", 2}}},
          {"claims",
           {{{"claim", "stock"},
             {"outcome", outcome},
             {"as_expected", outcome == "valid"},
             {"reason", "it is so"},
             {"violations", {{{"sentence", "client 1 wrote 4 <late>"}}}}}}}};
}

// A suite with the cells a/x (violated), a/y (valid) and b/x (its driver is missing).
class Results : public ::testing::Test {
 protected:
  Results() {
    for (const auto& [row, column] : {std::pair("a", "x"), {"a", "y"}, {"b", "x"}}) {
      AddCell(suite_, {.name = std::string(row) + "/" + column,
                       .row = row,
                       .column = column,
                       .plan = {},
                       .settings = {}});
      result_.runs.push_back(
          {CellRun{.folder = "cells/" + std::string(row) + "-" + column + "/1"}});
    }
    EXPECT_TRUE(TakeVerdict(VerdictWithStock("violated"), result_.runs[0][0]));
    EXPECT_TRUE(TakeVerdict(VerdictWithStock("valid"), result_.runs[1][0]));
    EXPECT_FALSE(TakeVerdict(nullptr, result_.runs[2][0]));
    result_.runs[2][0].error = "redisson: no java";
  }

  Suite suite_{.name = "tiny", .about = {}, .cells = {}};
  SuiteResult result_;
};

TEST_F(Results, AFailureInJUnitNamesTheClaimItsSentenceAndTheFolder) {
  const std::string xml = ToJUnit({.suite = suite_, .folder = "runs/tiny/1"}, result_);
  EXPECT_NE(xml.find("tests=\"3\" failures=\"1\" errors=\"1\" skipped=\"0\""), std::string::npos)
      << xml;
  EXPECT_NE(xml.find("<failure message=\"stock is violated: client 1 wrote 4 &lt;late&gt;\">"),
            std::string::npos)
      << xml;
  EXPECT_NE(xml.find("folder: runs/tiny/1/cells/a-x/1"), std::string::npos) << xml;
}

TEST_F(Results, AFailureForAnUnexpectedCauseNamesTheViolationWithThatCause) {
  nlohmann::json verdict = VerdictWithStock("violated");
  verdict["claims"][0]["other_cause"] = "stock was violated because of foreign-release";
  result_.runs[0][0].findings.clear();
  ASSERT_TRUE(TakeVerdict(verdict, result_.runs[0][0]));
  const std::string xml = ToJUnit({.suite = suite_, .folder = "runs/tiny/1"}, result_);
  EXPECT_NE(xml.find("<failure message=\"stock was violated because of foreign-release\">"),
            std::string::npos)
      << xml;
}

TEST_F(Results, AnUntestedFaultIsToldOfAPassedRunToo) {
  nlohmann::json verdict = VerdictWithStock("valid");
  verdict["untested"] = {"fault 'pause' was <cut>"};
  ASSERT_TRUE(TakeVerdict(verdict, result_.runs[1][0]));
  const std::string xml = ToJUnit({.suite = suite_}, result_);
  EXPECT_NE(xml.find("><system-out>fault 'pause' was &lt;cut&gt;</system-out></testcase>"),
            std::string::npos)
      << xml;
}

TEST_F(Results, AnUntestedFaultThatAFindingNamesIsToldOnce) {
  nlohmann::json verdict = VerdictWithStock("unknown");
  verdict["claims"][0]["violations"].clear();
  verdict["claims"][0]["reason"] = "nothing was seen; but fault 'pause' was cut";
  verdict["untested"] = {"fault 'pause' was cut", "fault 'stall' was cut"};
  CellRun run;
  ASSERT_TRUE(TakeVerdict(verdict, run));
  EXPECT_EQ(run.untested, std::vector<std::string>{"fault 'stall' was cut"});
}

TEST_F(Results, ADamagedVerdictIsNoVerdict) {
  const auto with = [](const char* key, const nlohmann::json& value) {
    nlohmann::json changed = VerdictWithStock("valid");
    changed[key] = value;
    return changed;
  };
  for (const nlohmann::json& damaged :
       {nlohmann::json::object(), nlohmann::json::array(), with("overall", 5), with("claims", 5),
        with("claims", {"stock"}), with("exit_code", "0"), with("environment", nullptr),
        with("environment", {{"interrupted", "no"}}), with("trials", 5), with("untested", {5}),
        with("lost_updates", {{"trials", 5}})}) {
    CellRun run;
    EXPECT_FALSE(TakeVerdict(damaged, run)) << damaged;
    EXPECT_EQ(run.overall, "unknown") << damaged;
  }
}

TEST_F(Results, AnInterruptedRunCountsOnlyIfItShowedAnUnexpectedViolation) {
  struct Case {
    const char* outcome;
    nlohmann::json expected;
    bool cut_short;
  };
  for (const auto& [outcome, expected, cut_short] :
       {Case{"violated", nullptr, false}, Case{"violated", "valid", false},
        Case{"violated", "violated", true}, Case{"violated", "any", true},
        Case{"valid", nullptr, true}, Case{"unknown", "violated", true}}) {
    nlohmann::json verdict = VerdictWithStock(outcome);
    verdict["environment"]["interrupted"] = true;
    verdict["claims"][0]["expected"] = expected;
    CellRun run;
    ASSERT_TRUE(TakeVerdict(verdict, run));
    EXPECT_EQ(run.cut_short, cut_short) << outcome << expected;
    EXPECT_EQ(run.overall, cut_short ? "unknown" : outcome) << expected;
    EXPECT_EQ(run.trials.by_run.empty(), cut_short) << outcome << expected;
  }
}

TEST_F(Results, ARunThatCouldNotWriteItsFilesIsNotValidButMayBeViolated) {
  for (const char* outcome : {"valid", "violated"}) {
    CellRun run;
    ASSERT_TRUE(TakeVerdict(VerdictWithStock(outcome), run));
    run.as_expected = true;
    TakeFailure("No space left on device", run);
    const bool violated = run.overall == "violated";
    EXPECT_EQ(violated, outcome == std::string("violated"));
    EXPECT_EQ(run.trials.by_run.empty(), !violated);
    EXPECT_FALSE(run.as_expected);
    EXPECT_EQ(run.error, "No space left on device");
  }
}

TEST_F(Results, ACellWhoseRunsWereCutShortIsSkippedInJUnit) {
  result_.runs[0].clear();
  result_.cut_short = 1;
  const std::string xml = ToJUnit({.suite = suite_, .folder = "runs/tiny/1"}, result_);
  EXPECT_NE(xml.find("tests=\"3\" failures=\"0\" errors=\"1\" skipped=\"1\""), std::string::npos)
      << xml;
}

TEST_F(Results, RatesOfRepeatedCellsIncludeLostUpdatesAndRefusedWrites) {
  nlohmann::json lost = VerdictWithStock("violated"), refused = VerdictWithStock("valid");
  lost["lost_updates"] = {{"count", 3}, {"trials", {{1, 4}, {2, 6}}}};
  refused["lost_updates"] = {{"count", 0}, {"trials", {{0, 4}, {0, 6}}}};
  refused["refused_writes"] = 3;
  for (size_t i = 0; i < 2; ++i) {
    const nlohmann::json& verdict = i == 0 ? lost : refused;
    result_.runs[i].emplace_back();
    for (CellRun& run : result_.runs[i]) EXPECT_TRUE(TakeVerdict(verdict, run));
  }
  const std::string rates = FormatRates({.suite = suite_, .repeat = 2}, result_);
  EXPECT_NE(rates.find("lost updates           6 of 20 (30.0 %, "), std::string::npos) << rates;
  EXPECT_NE(rates.find("lost updates           0 of 20 (0.0 %, "), std::string::npos) << rates;
  EXPECT_NE(rates.find("stale writes refused   6\n"), std::string::npos) << rates;
}

TEST_F(Results, ADriverThatIsMissingIsAnErrorInJUnit) {
  const std::string xml = ToJUnit({.suite = suite_, .folder = "runs/tiny/1"}, result_);
  EXPECT_NE(xml.find("<error message=\"redisson: no java\">"), std::string::npos) << xml;
}

TEST_F(Results, TheTableHasLettersAndTheirMeaning) {
  const std::string table = FormatOutcomes(suite_, result_, false);
  EXPECT_TRUE(table.starts_with("\n   x        y\na  S        ok\nb  error\n  S  stock: "))
      << table;
  EXPECT_NE(FormatOutcomes(suite_, result_, true).find("\x1b[31mS\x1b[0m"), std::string::npos);
}

TEST_F(Results, TheTableHasOnlyRowsAndColumnsOfWhichACellWasRun) {
  suite_.rows.emplace_back("longer");
  suite_.columns.emplace_back("z");
  const std::string table = FormatOutcomes(suite_, result_, false);
  EXPECT_TRUE(table.starts_with("\n   x        y\na  S        ok\nb  error\n")) << table;
}

TEST_F(Results, UnexpectedOutcomesAreMarkedOnlyIfTheCellHasExpectations) {
  EXPECT_EQ(FormatOutcomes(suite_, result_, false).find("(!)"), std::string::npos);
  suite_.cells[0].plan.expect["stock"] = "valid";
  const std::string table = FormatOutcomes(suite_, result_, false);
  EXPECT_NE(table.find("a  S (!)    ok\n"), std::string::npos);
  EXPECT_TRUE(table.ends_with("\n  (!)  not as expected\n")) << table;
}

}  // namespace
}  // namespace doublehold
