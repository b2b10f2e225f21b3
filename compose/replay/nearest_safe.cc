#include "compose/replay/nearest_safe.h"

#include <utility>

namespace doublehold {

std::optional<SafeExecution> FindNearestSafe(const ReplayString& replay, const Scenario& scenario,
                                             const RunVerdict& verdict) {
  if (verdict.overall != Outcome::kViolated) return std::nullopt;
  SafeExecution safe{.replay = replay, .without = {}, .steps = {}};
  Scenario recorded = scenario;
  while (!safe.replay.choices.empty()) {
    safe.replay.choices.pop_back();
    sim::GivenChoices given(safe.replay.choices);
    std::vector<Frame> frames;
    recorded.terms.frames = &frames;
    const Execution execution = Simulate(recorded, given);
    const RunVerdict judged = Judge(execution.history);
    if (judged.overall != Outcome::kValid) continue;
    const std::vector<FaultFact>& faults = verdict.facts.faults;
    for (size_t i = execution.begun_faults.size(); i < faults.size(); ++i)
      safe.without.push_back(faults[i].what);
    safe.steps = DescribeSteps(execution.history, judged, frames);
    return safe;
  }
  return std::nullopt;
}

}  // namespace doublehold
