// What a search found, for a terminal and as JSON.
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

// What was asked for, and what came of it.
struct SearchAsked {
  Settings settings;
  Scenario scenario;
  Bounds bounds;
};
struct SearchOutcome {
  Explored explored;
  // By claim: one that violates it; not shrunk, where none does: one in which it is unknown.
  std::vector<std::optional<Shrunk>> shown;
  double seconds = 0;
};

std::string ToText(const SearchOutcome& outcome, const SearchAsked& asked);
nlohmann::json ToJson(const SearchOutcome& outcome, const SearchAsked& asked);
// While it goes on; one line, without its end.
std::string ProgressText(const Explored& so_far, const Bounds& bounds, double seconds);
// 0: clean within the bounds, all of them run. 1: violated. 2: not known; so it is where faults
// were asked for and none could strike.
ExitCode StatusOf(const Explored& explored, const Bounds& bounds);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_EXPLORE_EXPLORE_TEXT_H_
