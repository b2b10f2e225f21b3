// The result of a search as text for a terminal, and as JSON.
#ifndef DOUBLEHOLD_COMPOSE_EXPLORE_EXPLORE_TEXT_H_
#define DOUBLEHOLD_COMPOSE_EXPLORE_EXPLORE_TEXT_H_

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "compose/explore/explore.h"
#include "compose/explore/shrink.h"
#include "lib/plan/settings.h"

namespace doublehold {

// The input of a search.
struct SearchAsked {
  Settings settings;
  Scenario scenario;
  Bounds bounds;
};
struct SearchOutcome {
  Explored explored;
  // For each claim: a shrunk execution that violates the claim. If no execution violates it: an
  // execution in which the claim is unknown, not shrunk.
  std::vector<std::optional<Shrunk>> shown;
  double seconds = 0;
};

// Returns the outcome of a search that is interrupted now, without shrinking an execution.
SearchOutcome Unshrunk(const Explored& explored, const SearchAsked& asked, double seconds);

std::string ToText(const SearchOutcome& outcome, const SearchAsked& asked);
nlohmann::json ToJson(const SearchOutcome& outcome, const SearchAsked& asked);
// Returns the progress of a running search, on one line without a newline. `estimate`: executions
// of the whole search; 0: unknown.
std::string ProgressText(const Explored& so_far, const Bounds& bounds, double estimate,
                         double seconds);
// Returns kViolated if a claim is violated, and kAsExpected if all executions within the bounds are
// clean. Returns kUnknown otherwise, for example if faults were requested but none could begin.
ExitCode SearchExitCode(const Explored& explored, const Bounds& bounds);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_EXPLORE_EXPLORE_TEXT_H_
