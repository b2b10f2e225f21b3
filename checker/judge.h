// Judges the history of a run: decides every claim, compares the outcomes with the expected ones,
// and lists the events that may hide violations. Pure.
#ifndef DOUBLEHOLD_CHECKER_JUDGE_H_
#define DOUBLEHOLD_CHECKER_JUDGE_H_

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "checker/evidence/disturbances.h"
#include "checker/evidence/library_errors.h"
#include "checker/lost_updates.h"
#include "checker/measures/load.h"
#include "checker/measures/tally.h"
#include "checker/measures/unknown_operations.h"
#include "checker/verdict/checker.h"
#include "lib/base/result.h"

namespace doublehold {

struct RunVerdict {
  RunFacts facts;
  std::vector<ClaimVerdict> claims;
  Outcome overall = Outcome::kUnknown;  // the worst of the claims
  bool as_expected = false;  // every claim is as facts.expect says; without expectations: valid
  ExitCode exit_code = ExitCode::kUnknown;
  Tally tally;
  Load load;  // without latencies, which are in `tally`
  // Operations of unknown outcome that may hide violations; nothing: not searched for.
  std::optional<BlindSpots> blind_spots;
  bool weak_control = false;  // lock `none`, but nothing violated: this load can judge no lock
  bool short_pauses = false;  // no pause outlasted a lease, though some should: short_pauses.h
  std::string trial_unit;     // of ClaimVerdict::trials: "fault episode", "run"
  std::optional<LostUpdates> lost_updates;  // if stock was sold and judged
  LibraryErrors library_errors{};           // all 0 without a library
  std::vector<FaultEpisode> episodes;
  std::string cut_short;                     // why the run ended early; empty if it did not
  std::vector<std::string> untested;         // faults whose planned effect was not reached
  std::vector<std::string> not_fired;        // planned faults that started too seldom, by name
  int64_t stalls = 0, longest_stall_ns = 0;  // stalls that the machine caused, not a fault
  std::vector<std::string> warnings;         // a sentence each
};

// Called after each claim is judged, before its causes are explained; may be empty.
using ClaimJudged = std::function<void(const ClaimVerdict&)>;
RunVerdict Judge(const History& history, const Limits& limits = {}, const ClaimJudged& judged = {});
// Derives from the claims: `overall`, whether the verdict is as expected, and the exit code.
void Conclude(RunVerdict& verdict);

// The expected outcome of a claim: "valid", "violated", "unknown", "any"; nothing if the run has no
// expectations. If the run has expectations, a claim without one is expected to be valid.
std::optional<std::string> ExpectedOf(const RunFacts& facts, const std::string& claim);
// Whether the outcome and the causes of a claim are as expected. Causes are as expected if every
// described violation has an expected cause, and one has the first expected cause. Without
// expectations: whether the claim is valid.
bool IsAsExpected(const RunFacts& facts, const ClaimVerdict& claim);
// A sentence if a violated claim has another cause than expected; else empty.
std::string WhyOtherCause(const RunFacts& facts, const ClaimVerdict& claim);

nlohmann::json ToJson(const RunVerdict& verdict);

// For a terminal: the verdict line, the table and all sentences; ends with a newline.
std::string ToText(const RunVerdict& verdict);
// A short text of 24 lines, or more if there are many warnings, with the steps of one violation.
std::string ToShortText(const RunVerdict& verdict);
// "verdict: violated (exclusion, stock), not as expected\n": claims with the overall outcome.
std::string VerdictLine(const RunVerdict& verdict);
// Throughput and latencies, a line each; empty if nothing was measured.
std::string PaceText(const RunVerdict& verdict);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_JUDGE_H_
