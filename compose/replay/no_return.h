// The curve of no return of a violating execution: for each step, the share of random continuations
// from there that end in the same violation. The step at which the share jumps is the cause.
//
// A continuation equals the execution up to the step: it gives the same answers to the questions of
// the simulated world, and draws the same random numbers. After the step, it is random in all that
// the scenario leaves open:
// - Faults: of the forms that the replay string lists, as many as the execution has after the step.
//   They are placed as by `explore --strategy random`, so the first of them always begins.
// - Order: as many events are deferred as the execution defers after the step.
// - Timing: waits, lengths of sections and items are drawn anew.
#ifndef DOUBLEHOLD_COMPOSE_REPLAY_NO_RETURN_H_
#define DOUBLEHOLD_COMPOSE_REPLAY_NO_RETURN_H_

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "checker/judge.h"
#include "checker/rates/sequential.h"
#include "compose/explore/simulate.h"
#include "compose/replay/execution_story.h"
#include "lib/base/result.h"
#include "lib/sim/choices/choice.h"

namespace doublehold {

struct NoReturnTerms {
  std::string claim{};    // empty: the first violated claim
  int64_t each = 1'000;   // continuations from each step
  unsigned int jobs = 1;  // number of threads; the curve does not depend on it
};

struct NoReturnPoint {
  size_t step = 0;        // number of the step, as `replay` prints it; 0: before the first step
  int deferred = 0;       // events that the execution deferred between the last point and here
  int refused = 0;        // other attempts that were refused between the last point and here
  TrialCount violated{};  // of the continuations from this step
  [[nodiscard]] double Share() const;
};

struct NoReturnCurve {
  std::string claim;
  // The first point is the start. The last is the step before the violation, or the first step
  // after it from which every continuation violates the claim. Steps that tell of a violation are
  // left out.
  std::vector<NoReturnPoint> points;
  // Index of the largest rise over the previous point; the first of equal ones. A rise counts only
  // if the 95 % intervals of the two shares do not overlap. Unknown continuations count as not
  // violated. 0: there is no such rise.
  [[nodiscard]] size_t LargestJump() const;
};

// Computes the curve of the execution that `choices` select. `steps` and `verdict` are of this
// execution. Returns bad input if the execution does not violate the claim.
Result<NoReturnCurve> ComputeNoReturn(const Scenario& scenario, const sim::Deviations& choices,
                                      const std::vector<ExecutionStep>& steps,
                                      const RunVerdict& verdict, const NoReturnTerms& terms);

// A table with a row for each point, and a sentence about the largest jump. `steps` are of the
// execution.
std::string ToText(const NoReturnCurve& curve, const std::vector<ExecutionStep>& steps);
// The member `curve` of trace.json (docs/formats.md).
nlohmann::json ToJson(const NoReturnCurve& curve, const std::vector<ExecutionStep>& steps);
// The sentence about the largest jump.
std::string DescribeJump(const NoReturnCurve& curve, const std::vector<ExecutionStep>& steps);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_REPLAY_NO_RETURN_H_
