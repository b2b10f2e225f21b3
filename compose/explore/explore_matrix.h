// What every lock makes of every fault, by exploring: a row a lock and a number of clients, a
// column a fault.
#ifndef DOUBLEHOLD_COMPOSE_EXPLORE_EXPLORE_MATRIX_H_
#define DOUBLEHOLD_COMPOSE_EXPLORE_EXPLORE_MATRIX_H_

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "compose/explore/explore.h"
#include "lib/base/result.h"

namespace doublehold {

struct MatrixTerms {
  std::vector<std::string> locks;
  std::vector<int> clients;
  std::vector<FaultForm> faults;  // each a column; before them `none`, and after them `any` of them
  int depth = 2;                  // from 1 on: each in turn, until the budget of a cell ends
};

// A search: its scenario is of that lock, so many clients, and those faults, and as many of them as
// `depth`.
struct MatrixSearch {
  std::string lock;
  int clients = 0;
  std::vector<FaultForm> faults;
  int depth = 0;
};
struct MatrixFound {
  Explored explored;
  std::vector<std::string> replays{};  // by claim; empty of those that are not violated
};
// An error: the lock cannot be simulated, and why.
using MatrixExploring = std::function<Result<MatrixFound>(const MatrixSearch&)>;

// What came of one search.
struct MatrixDepth {
  int depth = 0;
  MatrixFound found;
};
struct MatrixCell {
  std::string fault;  // "none", "pause", "any"
  std::vector<MatrixDepth> depths;
};
struct MatrixRow {
  std::string lock;
  int clients = 0;
  std::string refused{};  // why it has no cells; empty: it has
  std::vector<MatrixCell> cells{};
};

// `none` is searched once, without any; the others at each depth. `progress` is told before each
// search.
std::vector<MatrixRow> ExploreMatrix(const MatrixTerms& terms, const MatrixExploring& exploring,
                                     const std::function<void(const MatrixSearch&)>& progress);

// Of a cell: the letters of what is violated at its first depth (claim_letters.h), `+` and what the
// next adds; `.` where nothing is, `?` where something is unknown and nothing violated, and `~`
// where a budget ended.
std::string TextOf(const MatrixCell& cell);
// A Markdown table, and what its letters mean.
std::string MarkdownOf(const std::vector<MatrixRow>& rows);
nlohmann::json ToJson(const std::vector<MatrixRow>& rows);
// Of a search: its claims, each with how often it was violated, the shortest story's sentence and
// replay string.
nlohmann::json ToJson(const Explored& explored, const std::vector<std::string>& replays);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_EXPLORE_EXPLORE_MATRIX_H_
