// Ranks the rows of a comparison by the claims that they broke.
#ifndef DOUBLEHOLD_COMPOSE_SUITE_RANKING_H_
#define DOUBLEHOLD_COMPOSE_SUITE_RANKING_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compose/suite/suite.h"

namespace doublehold {

// A cell that does not show which claims the row keeps, for example of a driver whose calls were
// never answered.
struct UnjudgedCell {
  std::string column;
  std::string why;  // "stock is undecided in 9 of 10 runs: ..."
};

// The claims that a row broke, each with the columns in which at least one run was violated.
struct RankedRow {
  std::string row;
  // Equal for rows that violated equally many claims. Nothing if a cell is not judged.
  std::optional<int> rank;
  int64_t runs = 0;
  std::map<std::string, std::vector<std::string>> broken{};
  std::vector<UnjudgedCell> not_judged{};
};

// In fewer runs, a violation that every second run has may be missed (0.5^5 = 3 %).
constexpr int64_t kFewestToJudge = 5;

// Ranks the rows by the number of violated claims about data, then of those that a lock exists to
// keep, then of all. A claim counts once a column. Counts only the blocks that all ranked rows of a
// column have: a cell that ran longer had more chances of a violation.
//
// A row has a rank only if each of its cells is judged. A cell is judged if each of its claims was
// violated, or was decided in most runs and in at least kFewestToJudge (of a load curve: in most).
// Rows without a rank come last.
std::vector<RankedRow> RankRows(const Suite& suite, const SuiteResult& result);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_SUITE_RANKING_H_
