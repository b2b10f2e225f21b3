// A sweep runs each fault at each place of a lock's protocol on real servers. With depth 2, it also
// runs each two faults at each pair of places.
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

// Whether a sweep can use this form: the form begins at a step of the client or at a message of the
// client.
constexpr bool CanSweep(const FaultFormEntry& form) {
  return form.site == FaultSite::kClient || form.site == FaultSite::kRequest ||
         form.site == FaultSite::kReply;
}

// Returns the plan of the run that learns the places: `base` with the StepMarks of this section of
// the first client, and no other faults on it. The other clients do nothing.
Plan PlanToLearn(const Plan& base, int section);

struct SweepRequest {
  const Plan& base;  // the experiment; has no faults
  const ProtocolSection& found;
  std::vector<const FaultFormEntry*> faults;  // each fulfils CanSweep
  int section = 1;                            // the section of the first client that has the faults
  int depth = 1;                              // 1 or 2
};

// The cells of a sweep: a cell for each fault at each place where it can begin, in their order.
// With depth 2, also a cell for each two of these faults at different places.
struct SweepCells {
  Suite suite;
  size_t singles = 0;  // the first `singles` cells have one fault each
  // For each later cell: the indices of the two cells that have one of its faults alone.
  std::vector<std::pair<size_t, size_t>> pairs{};
};
// Returns an error if there are too many cells, or a plan cannot be run.
Result<SweepCells> MakeSweepCells(const SweepRequest& request);

// The outcome of one cell.
struct SweepOutcome {
  // A letter for each violated claim or other finding, or "?" if the outcome is unknown.
  std::string letters;
  std::vector<std::string> violated{};
  std::string sentence{};  // describes the first violation, or says why the outcome is unknown
  int64_t unheld_ns = 0;   // longest time in which a requested key had no holder
};
// Returns the outcome of a run, from its verdict.json and the longest time without a holder. `pair`
// says whether the cell has two faults.
SweepOutcome ReadSweepOutcome(const nlohmann::json& verdict, int64_t unheld_ns,
                              const SuiteCell& cell, bool pair);
bool IsUnknown(const SweepOutcome& outcome);

// Returns a line for each letter in use: "H held twice, both leases valid".
std::string FormatLegend(const std::vector<SweepOutcome>& outcomes);
// Returns a table with a row for each place and a column for each fault. `outcomes` has an outcome
// for each cell, in order.
std::string FormatSweepTable(const SweepCells& cells, const std::vector<SweepOutcome>& outcomes);
// Whether a pair violates a claim that neither of its faults violates alone.
bool IsNew(const SweepCells& cells, size_t cell, const std::vector<SweepOutcome>& outcomes);
// Returns the object of a cell in sweep.json (docs/formats.md).
nlohmann::json ToJson(const Suite& suite, const SweepOutcome& outcome, size_t cell);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_SWEEP_SWEEP_H_
