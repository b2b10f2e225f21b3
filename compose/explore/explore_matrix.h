// The matrix of `explore --all`. It shows which claims each lock violates under each fault. A row
// is a lock with a number of clients; a column is a fault.
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
  // Each fault has a column. The first column, `none`, has no fault; the last column, `any`, has
  // all faults together.
  std::vector<FaultForm> faults;
  int depth = 2;  // maximum depth; a cell is searched at depths 1, 2, ... until its budget ends
};

// One search of a cell, with at most `depth` of these faults in an execution.
struct MatrixSearch {
  std::string lock;
  int clients = 0;
  std::vector<FaultForm> faults;
  int depth = 0;
};
struct MatrixFound {
  Explored explored;
  // One replay string for each claim; empty if the claim is not violated.
  std::vector<std::string> replays{};
};
// Runs one search. If the lock cannot be simulated, returns an error that says why.
using MatrixExploring = std::function<Result<MatrixFound>(const MatrixSearch&)>;

struct MatrixDepth {
  int depth = 0;
  MatrixFound found;
};
struct MatrixCell {
  std::string fault;  // name of the column, such as "none", "pause", "any"
  std::vector<MatrixDepth> depths;
};
struct MatrixRow {
  std::string lock;
  int clients = 0;
  // If the lock cannot be simulated: the reason. Such a row has no cells.
  std::string refused{};
  std::vector<MatrixCell> cells{};
};

using RowsSoFar = std::function<void(const std::vector<MatrixRow>&)>;
// Searches the column `none` once with depth 0, and every other column at each depth. Calls
// `progress` before each search. Calls `so_far` after each cell with all rows so far; the last row
// may be incomplete.
std::vector<MatrixRow> ExploreMatrix(const MatrixTerms& terms, const MatrixExploring& exploring,
                                     const std::function<void(const MatrixSearch&)>& progress,
                                     const RowsSoFar& so_far = {});

// Returns the text of a cell:
// - the letters of the claims violated at the first depth (claim_letters.h),
// - `+` and the letters of further claims violated at the next depth,
// - `~` where a budget ended,
// - `?` if no claim is violated and a claim is unknown,
// - `.` if all claims are clean.
std::string FormatCell(const MatrixCell& cell);
// Returns a Markdown table with a legend of its letters.
std::string ToMarkdown(const std::vector<MatrixRow>& rows);
nlohmann::json ToJson(const std::vector<MatrixRow>& rows);
// Returns the claims of one search. A claim has the number of its violations, the sentence of its
// shortest violation, and the replay string.
nlohmann::json ToJson(const Explored& explored, const std::vector<std::string>& replays);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_EXPLORE_EXPLORE_MATRIX_H_
