#include "compose/explore/explore_matrix.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace doublehold {
namespace {

Explored Of(const std::vector<std::string>& violated, bool is_complete = true,
            int64_t unknown = 0) {
  Explored explored{.executions = 7, .is_complete = is_complete};
  for (const char* claim : {"exclusion", "lease-exclusion", "stock"}) {
    const bool is = std::ranges::find(violated, claim) != violated.end();
    explored.claims.push_back(
        {.claim = claim, .violated = is ? 2 : 0, .unknown = unknown, .sentence = is ? "so" : ""});
  }
  return explored;
}

MatrixCell CellExploreMatrix(const std::vector<Explored>& depths) {
  MatrixCell cell{.fault = "pause", .depths = {}};
  for (const Explored& explored : depths)
    cell.depths.push_back(
        {.depth = static_cast<int>(cell.depths.size()) + 1, .found = {.explored = explored}});
  return cell;
}

TEST(ExploreMatrix, ACellIsNotCleanIfAnExecutionWasCutOff) {
  Explored explored = Of({});
  explored.cut_off = 1;
  EXPECT_EQ(FormatCell(CellExploreMatrix({Of({}), explored})), "?");
}

TEST(ExploreMatrix, ACellHasTheLettersOfEachDepth) {
  const struct {
    MatrixCell cell;
    const char* text;
  } cases[] = {
      {CellExploreMatrix({Of({})}), "."},
      {CellExploreMatrix({Of({}), Of({})}), "."},
      {CellExploreMatrix({Of({"exclusion"})}), "h"},
      {CellExploreMatrix({Of({"exclusion", "lease-exclusion", "stock"})}), "HS"},
      {CellExploreMatrix({Of({"exclusion"}), Of({"exclusion", "stock"})}), "h+S"},
      {CellExploreMatrix({Of({}), Of({"stock"})}), "+S"},
      {CellExploreMatrix({Of({}), Of({}, false)}), "~"},
      {CellExploreMatrix({Of({"stock"}), Of({"stock"}, false)}), "S~"},
      {CellExploreMatrix({Of({}, true, 1)}), "?"},
      {CellExploreMatrix({Of({}), Of({}, false, 1)}), "~?"},
      {CellExploreMatrix({Of({"stock"}, true, 1)}), "S"},
  };
  for (const auto& each : cases) EXPECT_EQ(FormatCell(each.cell), each.text);
}

std::string Asked(const MatrixSearch& search) {
  std::string text = search.lock + " " + std::to_string(search.clients) + " ";
  for (const FaultForm fault : search.faults) text += std::string(EntryOf(fault).name) + ",";
  return text + " " + std::to_string(search.depth);
}

const MatrixTerms kTerms{.locks = {"a", "b"},
                         .clients = {2, 3},
                         .faults = {FaultForm::kPause, FaultForm::kResetRequest},
                         .depth = 2};

TEST(ExploreMatrix, SearchesEachLockNumberOfClientsFaultAndDepth) {
  std::vector<std::string> asked, announced;
  const auto rows = ExploreMatrix(
      kTerms,
      [&](const MatrixSearch& search) -> Result<MatrixFound> {
        asked.push_back(Asked(search));
        if (search.lock == "b") return BadInput("has no keys");
        // The budget of the cells in column `pause` ends at depth 1.
        const bool ends = search.faults.size() == 1 && search.faults[0] == FaultForm::kPause;
        return MatrixFound{.explored = Of({}, !ends)};
      },
      [&](const MatrixSearch& search) { announced.push_back(Asked(search)); });
  const std::vector<std::string> expected{"a 2  0",
                                          "a 2 pause, 1",
                                          "a 2 reset-request, 1",
                                          "a 2 reset-request, 2",
                                          "a 2 pause,reset-request, 1",
                                          "a 2 pause,reset-request, 2",
                                          "a 3  0",
                                          "a 3 pause, 1",
                                          "a 3 reset-request, 1",
                                          "a 3 reset-request, 2",
                                          "a 3 pause,reset-request, 1",
                                          "a 3 pause,reset-request, 2",
                                          "b 2  0",
                                          "b 3  0"};
  EXPECT_EQ(asked, expected);
  EXPECT_EQ(announced, expected);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].cells.size(), 4u);
  EXPECT_EQ(rows[2].refused, "has no keys");
  EXPECT_EQ(ToMarkdown(rows),
            "| lock | clients | none | pause | reset-request | any |\n"
            "|---|---|---|---|---|---|\n"
            "| `a` | 2 | . | ~ | . | . |\n"
            "| `a` | 3 | . | ~ | . | . |\n"
            "\n"
            "  ~  the budget ended: there may be more violations\n"
            "  .  no violation in any execution\n"
            "\nb is not explored: has no keys\n");
}

TEST(ExploreMatrix, ItsJsonHasTheResultOfEachSearch) {
  MatrixRow row{.lock = "a", .clients = 2, .cells = {CellExploreMatrix({Of({"stock"})})}};
  row.cells[0].depths[0].found.replays = {"", "", "v1/x"};
  EXPECT_EQ(
      ToJson(std::vector{row}).dump(),
      R"([{"cells":[{"depths":[{"claims":[{"claim":"exclusion","unknown":0,"violated":0},)"
      R"({"claim":"lease-exclusion","unknown":0,"violated":0},)"
      R"({"claim":"stock","replay":"v1/x","sentence":"so","unknown":0,"violated":2}],)"
      R"("complete":true,"cut_off":0,"depth":1,"executions":7}],"fault":"pause","text":"S"}],)"
      R"("clients":2,"lock":"a"}])");
}

}  // namespace
}  // namespace doublehold
