// From a history to the verdict of the run: every claim judged, held against what was expected,
// with what could have hidden something. Pure.
#ifndef DOUBLEHOLD_CHECKER_JUDGE_H_
#define DOUBLEHOLD_CHECKER_JUDGE_H_

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "checker/checker.h"
#include "lib/base/result.h"

namespace doublehold {

// One start-to-heal of a fault. `to_ns` is the end of the history when it was never healed.
struct FaultEpisode {
  int32_t fault = 0;
  int32_t client = -1;
  int32_t node = -1;
  int64_t from_ns = 0;
  int64_t to_ns = 0;
  int64_t asked_ns = 0;
  int64_t measured_ns = 0;
};

// Values at p50, p95, p99 and the largest, in ns; count 0: nothing measured.
struct Percentiles {
  int64_t count = 0, p50_ns = 0, p95_ns = 0, p99_ns = 0, max_ns = 0;
};

struct RunVerdict {
  RunFacts facts;
  std::vector<ClaimVerdict> claims;
  Outcome3 overall = Outcome3::kUnknown;  // the gravest of the claims
  bool as_expected = false;  // every claim is what facts.expect says; without expectations: kValid
  ExitCode exit_code = ExitCode::kUnknown;
  int64_t unknown_acquires = 0, unknown_releases = 0,
          unknown_writes = 0;  // what may hide something
  std::vector<FaultEpisode> episodes;
  std::vector<std::string> not_fired;          // names of planned faults that started too seldom
  int64_t stalls = 0, longest_stall_ns = 0;    // unplanned: the machine, not a fault
  std::vector<std::string> warnings;           // a sentence each
  std::map<std::string, Percentiles> latency;  // "acquire", "wait", "hold", "release"
  int64_t attempts = 0, grants = 0, orders = 0;
  double seconds = 0;
};

RunVerdict Judge(const History& history, const Limits& limits = {});

nlohmann::json ToJson(const RunVerdict& verdict);

// The table and the sentences for a terminal; ends with a newline.
std::string ToText(const RunVerdict& verdict);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_JUDGE_H_
