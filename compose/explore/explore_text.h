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
  // One a claim: an execution that violates it, shrunk. If none does: an execution in which the
  // claim is unknown, not shrunk.
  std::vector<std::optional<Shrunk>> shown;
  double seconds = 0;
};

// The outcome of a search that is interrupted now: nothing is shrunk.
SearchOutcome Unshrunk(const Explored& explored, const SearchAsked& asked, double seconds);

std::string ToText(const SearchOutcome& outcome, const SearchAsked& asked);
nlohmann::json ToJson(const SearchOutcome& outcome, const SearchAsked& asked);
// The progress of a running search: one line without a newline.
std::string ProgressText(const Explored& so_far, const Bounds& bounds, double seconds);
// kAsExpected: clean, and all executions within the bounds were run. kViolated: a claim is
// violated. kUnknown: otherwise, and also if faults were requested but none could begin.
ExitCode StatusOf(const Explored& explored, const Bounds& bounds);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_EXPLORE_EXPLORE_TEXT_H_
