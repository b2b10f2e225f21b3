// A sweep: one fault at each place of a lock's protocol, or two at each pair of places, each a run
// of its own on real servers.
#ifndef DOUBLEHOLD_COMPOSE_SWEEP_SWEEP_H_
#define DOUBLEHOLD_COMPOSE_SWEEP_SWEEP_H_

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compose/suite/suite.h"
#include "compose/sweep/protocol_points.h"
#include "lib/base/fault_forms.h"
#include "lib/base/result.h"
#include "lib/plan/plan.h"

namespace doublehold {

// Whether a sweep can put it to a place: to a step of the client, or to one of its messages.
constexpr bool CanSweep(const FaultFormEntry& form) {
  return form.site == FaultSite::kClient || form.site == FaultSite::kRequest ||
         form.site == FaultSite::kReply;
}

// The run to learn the places from: `base`, with marks and no other faults. The others begin when
// the first section is long over.
Plan PlanToLearn(const Plan& base);

struct SweepRequest {
  const Plan& base;  // without faults
  const std::vector<ProtocolPlace>& places;
  std::vector<const FaultFormEntry*> faults;  // all can be swept
  int depth = 1;                              // or 2
};

// A run for each fault at each place that it can be put to, in their order; with depth 2 then one
// for each two of those at different places.
struct SweepCells {
  Suite suite;
  size_t singles = 0;  // the first so many have one fault each
  // Of each later one its two faults, as the cells that have them alone.
  std::vector<std::pair<size_t, size_t>> pairs{};
};
// An error where there are too many, or a plan cannot be run.
Result<SweepCells> CellsOf(const SweepRequest& request);

// What came of one cell.
struct SweepOutcome {
  std::string
      letters;  // one a claim that is violated, and what else is worth a look; "?" where it is not known
  std::vector<std::string> violated{};
  std::string sentence{};  // of the first violation, or why it is not known
  int64_t unheld_ns = 0;   // the longest that nobody had a key that was asked for
};
// Of a run's verdict.json and its history.
SweepOutcome OutcomeOf(const nlohmann::json& verdict, int64_t unheld_ns, const SuiteCell& cell,
                       bool pair);
// Whether what came of it is not known.
bool IsUnknown(const SweepOutcome& outcome);

// "H   held twice, both leases valid" of each letter that is used.
std::string LegendOf(const std::vector<SweepOutcome>& outcomes);
// The places downwards, the faults across. `outcomes`: one a cell, in their order.
std::string TableOf(const SweepCells& cells, const std::vector<SweepOutcome>& outcomes);
// Whether a pair violates a claim that neither of its faults does alone.
bool IsNew(const SweepCells& cells, size_t cell, const std::vector<SweepOutcome>& outcomes);
// What sweep.json says of a cell (docs/formats.md).
nlohmann::json ToJson(const Suite& suite, const SweepOutcome& outcome, size_t cell);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_SWEEP_SWEEP_H_
