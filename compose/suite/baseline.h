// Compares a suite with an earlier run of it, the baseline (`suite --baseline`).
#ifndef DOUBLEHOLD_COMPOSE_SUITE_BASELINE_H_
#define DOUBLEHOLD_COMPOSE_SUITE_BASELINE_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "checker/rates/regression.h"
#include "compose/suite/merge.h"
#include "compose/suite/suite.h"
#include "lib/base/result.h"

namespace doublehold {

// A claim of a cell that is worse than in the baseline, newly undecided, or of unknown change.
struct ChangedClaim {
  std::string cell, claim;
  Change change = Change::kCannotTell;
  TrialCount now, before;
  std::string unit;
};

struct BaselineComparison {
  int64_t compared = 0;  // claims of cells
  std::vector<ChangedClaim> changed;
};

// Reads the folder of the baseline. Returns bad input if it is no suite, or one with other
// experiments. Its seed, its repetitions and the versions of its drivers may differ.
Result<MergedSuite> ReadBaseline(const std::filesystem::path& folder, const Suite& suite);

// Compares each claim of each cell that ran. The change is unknown for a claim that the baseline
// did not judge. The error of 5 % is shared among all claims (Bonferroni).
BaselineComparison CompareWithBaseline(const SuiteRequest& request, const SuiteResult& result,
                                       const MergedSuite& baseline);

// Returns a line for each changed claim.
std::string FormatBaseline(const BaselineComparison& comparison,
                           const std::filesystem::path& folder);

// Returns the first status that applies:
// - 1: a claim is worse, or newly violated;
// - 4: a run failed: it has no verdict, or could not write all its files;
// - 2: a claim is newly undecided, or its change is unknown, or the suite was interrupted;
// - 0: nothing is worse.
ExitCode StatusAgainst(const BaselineComparison& comparison, const SuiteResult& result);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_SUITE_BASELINE_H_
