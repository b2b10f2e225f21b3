#include "compose/suite/comparison.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "compose/suite/ranking.h"
#include "compose/suite/stored_runs.h"
#include "compose/suite/suite_tables.h"

namespace doublehold {
namespace {

// Two locks, `base` and `other`, in the columns `pause` and `cost`.
class TwoLocks : public ::testing::Test {
 protected:
  TwoLocks() {
    for (const char* row : {"base", "other"}) {
      for (const char* column : {"pause", "cost"}) {
        SuiteCell cell{.name = std::string(row) + "/" + column,
                       .row = row,
                       .column = column,
                       .plan = {},
                       .settings = {}};
        cell.plan.claims = {"exclusion", "stock"};
        if (cell.column == "cost") cell.plan.workload = "cycle";
        if (cell.column == "pause") cell.plan.faults.resize(1);
        AddCell(suite_, std::move(cell));
      }
    }
    suite_.comparison = ComparisonPlan{.baseline = "base", .question = *ReadUntil("rate < 10%")};
    result_.runs.resize(suite_.cells.size());
    result_.answers.assign(suite_.cells.size(), Repetitions(suite_.comparison->question));
  }

  // Adds a run in which `stock` has this outcome. A run of `cost` takes `acquire_us`.
  CellRun& AddRun(const std::string& name, int block, const std::string& outcome,
                  double acquire_us = 100) {
    const auto cell = std::ranges::find(suite_.cells, name, &SuiteCell::name);
    const auto i = static_cast<size_t>(cell - suite_.cells.begin());
    const nlohmann::json verdict{
        {"overall", outcome},
        {"as_expected", true},
        {"exit_code", 0},
        {"seconds", 1.0},
        {"grants", 10},
        {"trials",
         {{"unit", "run"},
          {"of", 1},
          {"violated", outcome == "violated" ? 1 : 0},
          {"undecided", outcome == "unknown" ? 1 : 0}}},
        {"latency",
         {{"acquire",
           {{"count", 100},
            {"p50_ns", acquire_us * 1000},
            {"p99_ns", acquire_us * 2000},
            {"max_ns", 9e6}}},
          {"release", {{"count", 100}, {"p50_ns", 1000}, {"p99_ns", 2000}, {"max_ns", 3000}}}}},
        {"claims",
         {{{"claim", "exclusion"}, {"outcome", "valid"}, {"as_expected", true}},
          {{"claim", "stock"}, {"outcome", outcome}, {"as_expected", true}}}}};
    CellRun run{.folder = FolderOfRun(*cell, block)};
    EXPECT_TRUE(TakeVerdict(verdict, run));
    result_.answers[i].Take(static_cast<int>(result_.runs[i].size()) + 1, run.trials);
    return result_.runs[i].emplace_back(std::move(run));
  }

  [[nodiscard]] ComparedRate Stock() const {
    for (const ComparedRate& rate : CompareRows(suite_, result_).rates)
      if (rate.claim == "stock") return rate;
    ADD_FAILURE() << "stock is not compared";
    return {};
  }
  [[nodiscard]] ComparedMeasure Acquire() const {
    for (const ComparedMeasure& measure : CompareRows(suite_, result_).measures)
      if (measure.measure == "acquire p50") return measure;
    ADD_FAILURE() << "acquire p50 is not compared";
    return {};
  }

  Suite suite_{.name = "two", .about = {}, .cells = {}};
  SuiteResult result_;
};

TEST_F(TwoLocks, ArePairedByBlockWhateverTheOrderInWhichTheirRunsEnded) {
  for (const int block : {3, 1, 2}) AddRun("base/pause", block, "violated");
  for (const int block : {1, 2, 4}) AddRun("other/pause", block, block == 1 ? "violated" : "valid");
  const PairCount pairs = Stock().pairs;
  EXPECT_EQ(pairs.of, 2) << "blocks 3 and 4 have no pair";
  EXPECT_EQ(pairs.both, 1);
  EXPECT_EQ(pairs.only_second, 1);
  EXPECT_EQ(pairs.only_first + pairs.undecided, 0);
}

TEST_F(TwoLocks, AnUndecidedRunOrARunWithoutAVerdictDecidesNoPair) {
  AddRun("base/pause", 1, "violated");
  AddRun("other/pause", 1, "unknown");
  AddRun("base/pause", 2, "violated");
  AddRun("other/pause", 2, "valid").trials = {};
  const PairCount pairs = Stock().pairs;
  EXPECT_EQ(pairs.of, 2);
  EXPECT_EQ(pairs.undecided, 2);
}

TEST_F(TwoLocks, ShareTheErrorAmongAllComparisons) {
  const Comparison comparison = CompareRows(suite_, result_);
  EXPECT_EQ(comparison.rates.size(), 2U) << "the claims under pause; cost has none";
  EXPECT_EQ(comparison.measures.size(), 3U);
  EXPECT_DOUBLE_EQ(comparison.confidence, 0.99);
}

TEST_F(TwoLocks, DifferIfOneIsAlwaysViolatedAndTheOtherNever) {
  const auto fewest = static_cast<int>(FewestForDifference(0.99));
  for (int block = 1; block <= fewest; ++block) {
    EXPECT_EQ(Stock().difference, Difference::kNotSeen) << block;
    AddRun("base/pause", block, "violated");
    AddRun("other/pause", block, "valid");
  }
  EXPECT_EQ(Stock().difference, Difference::kLess);
  const std::string text = FormatComparison({.suite = suite_, .folder = "f"}, result_);
  EXPECT_NE(text.find("other          pause      stock            violated in 0 of 11 runs, the "
                      "baseline in 11: less often, by "),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("  -  base           no rank; violated so far: stock (pause), in 11 runs\n"
                      "       not judged in cost: no run has ended\n"),
            std::string::npos)
      << text;
}

TEST_F(TwoLocks, ACellIsDecidedWhenItsQuestionIsAnsweredAndItsPairsSuffice) {
  const auto decided = [&](const std::string& name) -> bool {
    const auto cell = std::ranges::find(suite_.cells, name, &SuiteCell::name);
    return FindDecidedCells(suite_, result_)[static_cast<size_t>(cell - suite_.cells.begin())];
  };
  const auto fewest = static_cast<int>(FewestForDifference(0.99));
  for (int block = 1; block <= fewest; ++block) {
    EXPECT_FALSE(decided("other/pause")) << block;
    AddRun("other/pause", block, "violated");
    AddRun("base/pause", block, "valid");
  }
  EXPECT_TRUE(decided("other/pause"));
  EXPECT_FALSE(decided("base/pause")) << "few runs without a violation do not show less than 10 %";
  for (int block = fewest + 1; block <= 45; ++block) AddRun("base/pause", block, "valid");
  EXPECT_TRUE(decided("base/pause"));
}

TEST_F(TwoLocks, TheBaselineRunsUntilTheOthersAreDecided) {
  for (int block = 1; block <= 20; ++block) AddRun("base/pause", block, "violated");
  EXPECT_FALSE(FindDecidedCells(suite_, result_)[0]);
}

TEST_F(TwoLocks, ACostIsDecidedByADifferenceOrByNarrowBounds) {
  const auto decided = [&]() -> bool { return FindDecidedCells(suite_, result_)[3]; };
  for (int block = 1; block <= 10; ++block) {
    AddRun("base/cost", block, "valid", 100);
    AddRun("other/cost", block, "valid", 101 + 0.1 * block);
  }
  EXPECT_FALSE(decided()) << "too few pairs";
  AddRun("base/cost", 11, "valid", 100);
  AddRun("other/cost", 11, "valid", 101);
  EXPECT_TRUE(decided());
  const ComparedMeasure slower = Acquire();
  EXPECT_EQ(slower.found.difference, Difference::kMore);
  EXPECT_EQ(slower.unit, "ns");
  EXPECT_NEAR(slower.found.median, 1500, 1);
  EXPECT_EQ(slower.median_of_baseline, 100'000);
  result_.runs[3].back().measures["acquire p50"].value = 60'000;
  EXPECT_EQ(Acquire().found.difference, Difference::kNotSeen);
  EXPECT_FALSE(decided()) << "the difference may be large";
}

TEST_F(TwoLocks, ARowWithACellThatIsNotJudgedHasNoRankAndSaysWhy) {
  for (int block = 1; block <= 9; ++block) {
    for (const char* cell : {"base/cost", "other/cost"}) AddRun(cell, block, "valid");
    AddRun("other/pause", block, "violated");
    AddRun("base/pause", block, block <= 4 ? "valid" : "unknown").findings = {
        "stock is unknown: nobody was granted the lock"};
  }
  const std::vector<RankedRow> rows = RankRows(suite_, result_);
  EXPECT_EQ(rows[0].row, "other") << "not the row that was not tested";
  EXPECT_EQ(rows[0].rank, 1);
  EXPECT_FALSE(rows[1].rank);
  ASSERT_EQ(rows[1].not_judged.size(), 1U);
  EXPECT_EQ(rows[1].not_judged[0].column, "pause");
  EXPECT_EQ(rows[1].not_judged[0].why,
            "stock is decided in 4 of 9 runs, and a rank needs 5 (nobody was granted the lock)");
  AddRun("base/pause", 10, "valid");
  AddRun("base/pause", 11, "valid");
  EXPECT_EQ(RankRows(suite_, result_)[0].row, "base") << "most runs decide the claim";
  result_.runs[0].clear();
  EXPECT_EQ(RankRows(suite_, result_)[1].not_judged[0].why, "no run has ended");
}

TEST_F(TwoLocks, ARankTakesFiveRunsOfEachCell) {
  for (int block = 1; block <= 5; ++block) {
    EXPECT_FALSE(RankRows(suite_, result_)[0].rank) << block;
    for (const char* row : {"base", "other"})
      for (const char* column : {"/cost", "/pause"})
        AddRun(std::string(row) + column, block, "valid");
  }
  EXPECT_EQ(RankRows(suite_, result_)[1].rank, 1) << "equal";
  result_.seconds = 40;
  EXPECT_EQ(FormatComparison({.suite = suite_}, result_).find("a rank needs"), std::string::npos);
  result_.runs[1].pop_back();
  const std::string text = FormatComparison({.suite = suite_}, result_);
  EXPECT_NE(text.find("a rank needs 5 runs of each cell: a budget of about 50 s here\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(RankRows(suite_, result_)[1].not_judged[0].why, "4 of the 5 runs that a rank needs");
}

TEST_F(TwoLocks, ALongerCellHasNoWorseRankForAViolationThatTheOthersHadNoTimeFor) {
  for (int block = 1; block <= 5; ++block) {
    for (const char* lock : {"base", "other"}) {
      AddRun(std::string(lock) + "/cost", block, "valid");
      AddRun(std::string(lock) + "/pause", block, "violated");
    }
  }
  EXPECT_EQ(RankRows(suite_, result_)[1].rank, 1) << "both violated stock";
  result_.runs[0].clear();
  for (int block = 1; block <= 5; ++block) AddRun("base/pause", block, "valid");
  AddRun("base/pause", 6, "violated");
  const std::vector<RankedRow> rows = RankRows(suite_, result_);
  EXPECT_EQ(rows[0].row, "base");
  EXPECT_EQ(rows[0].broken.count("stock"), 1U) << "the violation is shown";
  EXPECT_EQ(rows[1].rank, 2);
}

TEST_F(TwoLocks, AMedianOfFewGrantsIsNotMeasured) {
  for (const int64_t grants : {19, 20, 99, 100}) {
    for (std::vector<CellRun>& runs : result_.runs) runs.clear();
    for (const char* cell : {"base/cost", "other/cost"}) {
      AddRun(cell, 1, "valid").latency.at("acquire").count = grants;
      AddRun(cell, 2, "valid");
    }
    for (const ComparedMeasure& measure : CompareRows(suite_, result_).measures) {
      const bool measured = grants >= 100 || measure.measure == "release p50" ||
                            (grants >= 20 && measure.measure == "acquire p50");
      EXPECT_EQ(measure.differences.size(), measured ? 2U : 1U) << measure.measure << grants;
    }
  }
  for (std::vector<CellRun>& runs : result_.runs) runs.clear();
  const auto text_of = [&] { return FormatComparison({.suite = suite_, .folder = "f"}, result_); };
  EXPECT_NE(text_of().find("\nno lock has a rank yet:\n"), std::string::npos) << text_of();
  EXPECT_EQ(text_of().find("not measured"), std::string::npos) << "nothing has run";
  for (const char* cell : {"base/cost", "other/cost"})
    for (auto& [name, times] : AddRun(cell, 1, "valid").latency) times.count = 19;
  result_.seconds = 4;
  const std::string text = text_of();
  EXPECT_NE(text.find("a rank needs 5 runs of each cell: a budget of about 40 s here\n"),
            std::string::npos)
      << "two of the four cells have one run" << text;
  EXPECT_NE(text.find("\nnot measured (a run needs 20 values for its median, 100 for its 99 %):\n"
                      "  other          cost       acquire p50, acquire p99, release p50\n"),
            std::string::npos)
      << text;
}

TEST_F(TwoLocks, JsonHasEachComparison) {
  AddRun("base/pause", 1, "violated");
  AddRun("other/pause", 1, "valid");
  const nlohmann::json json =
      ToJson(CompareRows(suite_, result_), RankRows(suite_, result_), suite_);
  EXPECT_EQ(json.at("baseline"), "base");
  EXPECT_EQ(json.at("rates").size(), 2U);
  EXPECT_EQ(json["rates"][1].at("only_baseline"), 1);
  EXPECT_EQ(json["measures"][0].at("bounds"), nullptr) << "no pairs";
  EXPECT_EQ(json["rows"][0].at("row"), "base");
  EXPECT_EQ(json["rows"][0].at("rank"), nullptr);
  EXPECT_EQ(json["rows"][0].at("not_judged"), (nlohmann::json{"pause", "cost"}));
  EXPECT_EQ(json["rows"][0].at("why")[1], "no run has ended");
  EXPECT_EQ(json["rows"][0].at("broken")[0].at("columns"), nlohmann::json{"pause"});
}

}  // namespace
}  // namespace doublehold
