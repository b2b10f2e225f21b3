// From a history to the verdict of the run: every claim judged, held against what was expected,
// with what could have hidden something. Pure.
#ifndef DOUBLEHOLD_CHECKER_JUDGE_H_
#define DOUBLEHOLD_CHECKER_JUDGE_H_

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "checker/evidence/disturbances.h"
#include "checker/measures/tally.h"
#include "checker/measures/unknown_operations.h"
#include "checker/verdict/checker.h"
#include "lib/base/result.h"

namespace doublehold {

struct RunVerdict {
  RunFacts facts;
  std::vector<ClaimVerdict> claims;
  Outcome3 overall = Outcome3::kUnknown;  // the gravest of the claims
  bool as_expected = false;  // every claim is what facts.expect says; without expectations: kValid
  ExitCode exit_code = ExitCode::kUnknown;
  // Whatever was not answered, of which blind_spots says what it may hide.
  int64_t unknown_acquires = 0, unknown_releases = 0, unknown_writes = 0;
  std::optional<BlindSpots> blind_spots;  // nothing: nobody looked for them
  bool weak_control = false;  // `none`, and nothing went wrong: no lock can be judged by this load
  bool short_pauses = false;  // none outlasted a lease, though they were to: short_pauses.h
  std::string trial_unit;     // of ClaimVerdict::trials: "fault episode", "run"
  std::optional<int64_t> lost_updates;  // where stock was sold, and counted
  std::vector<FaultEpisode> episodes;
  std::vector<std::string> not_fired;          // names of planned faults that started too seldom
  int64_t stalls = 0, longest_stall_ns = 0;    // unplanned: the machine, not a fault
  std::vector<std::string> warnings;           // a sentence each
  std::map<std::string, Percentiles> latency;  // "acquire", "wait", "hold", "release"
  int64_t attempts = 0, grants = 0, orders = 0;
  double seconds = 0;
};

RunVerdict Judge(const History& history, const Limits& limits = {});
// What follows from the claims of a verdict: `overall`, whether it is as expected, the exit code.
void Conclude(RunVerdict& verdict);

// What was expected of a claim: "valid", "violated", "unknown", "any"; nothing when the run had no
// expectations at all. A claim that the others leave out is expected to be valid.
std::optional<std::string> ExpectedOf(const RunFacts& facts, const std::string& claim);
// Whether it is so, and because of what was expected (of the violations that are told the causes
// are among those, and the first of those is among them); without expectations: whether it is
// valid.
bool IsAsExpected(const RunFacts& facts, const ClaimVerdict& claim);
// The sentence for a claim that is violated because of something else; empty: it is not.
std::string WhyOtherCause(const RunFacts& facts, const ClaimVerdict& claim);

nlohmann::json ToJson(const RunVerdict& verdict);

// The table and the sentences for a terminal; ends with a newline.
std::string ToText(const RunVerdict& verdict);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_JUDGE_H_
