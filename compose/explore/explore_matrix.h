// The matrix of `explore --all`: which claims each lock violates under each fault. A row is a lock
// with a number of clients; a column is a fault.
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
  // One column each. `none` is the first column; `any`, for all of them together, is the last.
  std::vector<FaultForm> faults;
  int depth = 2;  // A cell is searched at depths 1, 2, ..., `depth`, until its budget ends.
};

// One search of a cell: this lock, this number of clients, and at most `depth` of these faults.
struct MatrixSearch {
  std::string lock;
  int clients = 0;
  std::vector<FaultForm> faults;
  int depth = 0;
};
struct MatrixFound {
  Explored explored;
  // one replay string a claim; empty if the claim is not violated
  std::vector<std::string> replays{};
};
// Runs one search. Returns an error that says why, if the lock cannot be simulated.
using MatrixExploring = std::function<Result<MatrixFound>(const MatrixSearch&)>;

struct MatrixDepth {
  int depth = 0;
  MatrixFound found;
};
struct MatrixCell {
  std::string fault;  // For example "none", "pause", "any".
  std::vector<MatrixDepth> depths;
};
struct MatrixRow {
  std::string lock;
  int clients = 0;
  // why the lock cannot be simulated, so that the row has no cells; else empty
  std::string refused{};
  std::vector<MatrixCell> cells{};
};

using RowsSoFar = std::function<void(const std::vector<MatrixRow>&)>;
// Searches `none` once with depth 0, and every other column at each depth. Calls `progress` before
// each search, and `so_far` after each cell; the last row may lack cells then.
std::vector<MatrixRow> ExploreMatrix(const MatrixTerms& terms, const MatrixExploring& exploring,
                                     const std::function<void(const MatrixSearch&)>& progress,
                                     const RowsSoFar& so_far = {});

// The text of a cell:
// - the letters of the claims violated at the first depth (claim_letters.h),
// - `+` and the letters of further claims violated at the next depth,
// - `~` where a budget ended,
// - `?` if no claim is violated and one is unknown,
// - `.` if all is clean.
std::string TextOf(const MatrixCell& cell);
// A Markdown table with a legend of its letters.
std::string MarkdownOf(const std::vector<MatrixRow>& rows);
nlohmann::json ToJson(const std::vector<MatrixRow>& rows);
// The claims of one search: how often each was violated, the sentence of its shortest violation,
// and the replay string.
nlohmann::json ToJson(const Explored& explored, const std::vector<std::string>& replays);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_EXPLORE_EXPLORE_MATRIX_H_
