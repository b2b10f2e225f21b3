// `doublehold explore --all`: prints the matrix of every lock under every fault, and writes it into
// a folder for the report.
#ifndef DOUBLEHOLD_COMPOSE_EXPLORE_EXPLORE_ALL_H_
#define DOUBLEHOLD_COMPOSE_EXPLORE_EXPLORE_ALL_H_

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "compose/explore/explore_text.h"
#include "lib/base/result.h"

namespace doublehold {

struct AllAsked {
  // The settings of every scenario, except its lock and clients. Each fault of `search.scenario` is
  // a column. The bounds apply to each search; `executions` is the budget of a cell.
  SearchAsked search;
  std::vector<int> clients;  // numbers of clients; each lock has a row for each number
  std::vector<std::string> locks;
  // The folder for explore.json and matrix.md; must be new or empty.
  std::optional<std::filesystem::path> into{};
  bool as_json = false;
};

// Prints the matrix. Returns kUnknown if a budget ended or a claim is unknown, else kAsExpected.
// Violations do not change the status, because the matrix is meant to show them.
Result<ExitCode> ExploreAll(const AllAsked& asked);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_EXPLORE_EXPLORE_ALL_H_
