// `doublehold explore --all`: the matrix of every lock and every fault, printed, and put into a
// folder for the report.
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
  // The settings of every scenario, but for its lock and clients; its faults are the columns; its
  // bounds are of each search, and `executions` of those a cell's budget.
  SearchAsked search;
  std::vector<int> clients;                     // a row each
  std::vector<std::string> locks;               // likewise
  std::optional<std::filesystem::path> into{};  // explore.json, and matrix.md; new, or empty
  bool as_json = false;
};

// Prints it. 2 when a budget ended, or something is not known; else 0: what is violated is what is
// asked for here.
Result<ExitCode> ExploreAll(const AllAsked& asked);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_EXPLORE_EXPLORE_ALL_H_
