#include "compose/suite/load.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "compose/suite/comparison.h"
#include "compose/suite/stored_runs.h"

namespace doublehold {
namespace {

using nlohmann::json;

// Rows a and b. Columns: calm, and the loads "8 clients" and "100 a second".
class LoadTest : public ::testing::Test {
 protected:
  LoadTest() {
    for (const char* row : {"a", "b"}) {
      for (const char* column : {"calm", "8 clients", "100 a second"}) {
        SuiteCell cell{.name = std::string(row) + "/" + column, .row = row, .column = column};
        cell.plan.workload = cell.column == "calm" ? "inventory" : "cycle";
        cell.plan.clients = 8;
        cell.plan.threads = cell.column == "100 a second" ? 4 : 1;
        cell.plan.workload_options = {{"every", cell.column == "100 a second" ? "320000000" : "0"}};
        AddCell(suite_, std::move(cell));
      }
    }
    suite_.comparison = ComparisonPlan{.baseline = "a", .question = *ReadUntil("rate < 10%")};
    suite_.comparison->load = {"8 clients", "100 a second"};
    result_.runs.resize(suite_.cells.size());
    result_.answers.assign(suite_.cells.size(), Repetitions(suite_.comparison->question));
  }

  [[nodiscard]] size_t IndexOf(const std::string& name) const {
    return static_cast<size_t>(std::ranges::find(suite_.cells, name, &SuiteCell::name) -
                               suite_.cells.begin());
  }

  // Adds a run with `grants` in 2 s, whose waits are all `wait_ns`.
  CellRun& AddRun(const std::string& name, int64_t grants, int64_t wait_ns,
                  const json& load = json::object()) {
    const size_t i = IndexOf(name);
    const int repetition = static_cast<int>(result_.runs[i].size()) + 1;
    const json verdict{{"overall", "valid"},
                       {"as_expected", true},
                       {"exit_code", 0},
                       {"seconds", 2.0},
                       {"grants", grants},
                       {"trials", {{"unit", "run"}, {"of", 1}, {"violated", 0}, {"undecided", 0}}},
                       {"latency",
                        {{"wait",
                          {{"count", grants},
                           {"p50_ns", wait_ns},
                           {"p95_ns", wait_ns},
                           {"p99_ns", wait_ns},
                           {"p999_ns", nullptr},
                           {"p9999_ns", nullptr},
                           {"max_ns", wait_ns},
                           {"histogram", {{wait_ns, grants}}}}}}},
                       {"load", load},
                       {"claims", json::array()}};
    CellRun run{.folder = FolderOfRun(suite_.cells[i], repetition)};
    EXPECT_TRUE(TakeVerdict(verdict, run));
    return result_.runs[i].emplace_back(std::move(run));
  }

  Suite suite_{.name = "load", .about = {}, .cells = {}};
  SuiteResult result_;
};

TEST_F(LoadTest, APointHasTheMediansOfItsRunsAndThePercentilesOfAllRunsTogether) {
  AddRun("b/8 clients", 1000, 1024, {{"jain_index", 0.5}, {"commands", 3000}, {"bytes", 90'000}});
  AddRun("b/8 clients", 3000, 2048, {{"jain_index", 0.9}, {"commands", 3000}, {"bytes", 90'000}});
  AddRun("b/8 clients", 7000, 4096, {{"jain_index", 0.7}, {"commands", 3500}, {"bytes", 70'000}});
  AddRun("b/calm", 10, 5000);
  const std::vector<LoadPoint> points = FindLoadPoints(suite_, result_);
  ASSERT_EQ(points.size(), 4U) << "calm is no load";
  const LoadPoint& point = points[2];
  EXPECT_EQ(point.row, "b");
  EXPECT_EQ(point.sessions, 8);
  EXPECT_FALSE(point.customers_a_second.has_value());
  EXPECT_EQ(point.runs, 3U);
  const LoadValue& holds = point.measures.at("holds a second");
  EXPECT_EQ(std::tuple(holds.least, holds.median, holds.most), std::tuple(500, 1500, 3500));
  EXPECT_DOUBLE_EQ(point.measures.at("Jain's index").median, 0.7);
  EXPECT_DOUBLE_EQ(point.measures.at("commands a hold").median, 1);
  EXPECT_DOUBLE_EQ(point.measures.at("bytes a hold").median, 30);
  EXPECT_FALSE(point.measures.contains("renewals a second"));
  const Percentiles& wait = point.latency.at("wait");
  EXPECT_EQ(wait.count, 11'000);
  EXPECT_EQ(wait.p50_ns, 4096) << "7,000 of 11,000 values";
  EXPECT_EQ(wait.p9999_ns, 4096) << "no single run has 10,000 values";
}

TEST_F(LoadTest, AfterAnEarlyEndTheTextSaysHowManyRunsThereAre) {
  EXPECT_EQ(FormatLoad(FindLoadPoints(suite_, result_)), "");
  AddRun("a/8 clients", 1000, 1024);
  const std::string text = FormatLoad(FindLoadPoints(suite_, result_));
  EXPECT_EQ(text.find("load, medians of 0 to 1 run; "), 0U) << text;
  EXPECT_EQ(text.find("100 a second"), std::string::npos) << "nothing was measured there";
}

TEST_F(LoadTest, OneCustomerInASecondIsOneHoldASecond) {
  const json verdict{
      {"overall", "valid"},     {"as_expected", true}, {"exit_code", 0},
      {"seconds", 0.001},       {"grants", 1},         {"duration_ns", 1'000'000'000},
      {"claims", json::array()}};
  CellRun run;
  ASSERT_TRUE(TakeVerdict(verdict, run));
  EXPECT_DOUBLE_EQ(run.measures.at("holds a second").value, 1);
}

TEST_F(LoadTest, ALatencyWithoutValuesIsNoMeasure) {
  json verdict{{"overall", "valid"},       {"as_expected", true}, {"exit_code", 0},
               {"seconds", 1.0},           {"grants", 0},         {"claims", json::array()},
               {"latency", json::object()}};
  verdict["latency"]["response"] = {{"count", 0}, {"p50_ns", 0}, {"p99_ns", 0}, {"max_ns", 0}};
  CellRun run;
  ASSERT_TRUE(TakeVerdict(verdict, run));
  EXPECT_FALSE(run.measures.contains("response p50"));
}

TEST_F(LoadTest, CustomersWhoComeByAScheduleHaveARate) {
  AddRun("a/100 a second", 190, 1024, {{"commands_while_held", 30}, {"held_ns", 1'500'000'000}});
  const LoadPoint point = FindLoadPoints(suite_, result_).at(1);
  EXPECT_EQ(point.sessions, 32);
  EXPECT_DOUBLE_EQ(point.customers_a_second.value_or(0), 100);
  EXPECT_DOUBLE_EQ(point.measures.at("renewals a second").median, 20);
  const json written = ToJson(std::vector{point});
  EXPECT_EQ(written[0].at("customers_a_second"), 100);
  EXPECT_EQ(written[0].at("latency").at("wait").at("p999_ns"), nullptr);
  EXPECT_NE(FormatLoad({point}).find("  a              100 a second        95 "), std::string::npos)
      << FormatLoad({point});
}

TEST_F(LoadTest, APointIsDecidedAfterThreeRunsAndIsNotTestedForDifferences) {
  for (int run = 1; run <= 3; ++run) {
    EXPECT_FALSE(FindDecidedCells(suite_, result_).at(IndexOf("b/8 clients")));
    AddRun("b/8 clients", 1000, 1024);
    AddRun("a/8 clients", 9000, 1024);
  }
  EXPECT_TRUE(FindDecidedCells(suite_, result_).at(IndexOf("b/8 clients")));
  EXPECT_TRUE(FindDecidedCells(suite_, result_).at(IndexOf("a/8 clients")));
  const Comparison comparison = CompareRows(suite_, result_);
  EXPECT_TRUE(std::ranges::none_of(comparison.measures, [](const ComparedMeasure& measure) {
    return measure.column == "8 clients";
  }));
}

TEST_F(LoadTest, OnlyCellsThatRunAloneCanBePointsOfALoadCurve) {
  EXPECT_TRUE(CheckLoad(suite_, suite_.comparison->load, "x.toml: compare.").has_value());
  struct Case {
    const char* column;
    const char* message;
  };
  for (const Case& one :
       {Case{"9 clients",
             "x.toml: compare.load: column '9 clients' is unknown (did you mean '8 clients'?)"},
        {"calm",
         "x.toml: compare.load: cell a/calm must have the workload cycle, and no faults"}}) {
    const Result<void> checked = CheckLoad(suite_, {one.column}, "x.toml: compare.");
    ASSERT_FALSE(checked.has_value());
    EXPECT_EQ(checked.error().message, one.message);
  }
  suite_.cells[IndexOf("b/8 clients")].plan.faults.resize(1);
  EXPECT_FALSE(CheckLoad(suite_, {"8 clients"}, "").has_value()) << "a fault slows the clients";
}

TEST_F(LoadTest, ImpossibleClassesOfAHistogramAreIgnored) {
  CellRun run;
  const json verdict{
      {"overall", "valid"},
      {"as_expected", true},
      {"exit_code", 0},
      {"seconds", 2.0},
      {"grants", 1},
      {"claims", json::array()},
      {"latency",
       {{"wait",
         {{"count", 5},
          {"p50_ns", 1},
          {"p99_ns", 1},
          {"max_ns", 1},
          {"histogram", {{-5, 1}, {INT64_MAX, 1}, {7, -1}, {7, INT64_MAX}, {8, 2}}}}}}}};
  ASSERT_TRUE(TakeVerdict(verdict, run));
  EXPECT_EQ(run.latency.at("wait").histogram.size(), 2U);
}

}  // namespace
}  // namespace doublehold
