#include "compose/explore/strategy.h"

#include <algorithm>

#include "compose/plan/plan_builder.h"
#include "lib/base/check.h"

namespace doublehold {
sim::Deviations NextDeviations(const Bounds& bounds, const sim::Deviations& made,
                               const Questions& open) {
  const auto may_deviate = [&](sim::ChoiceKind kind) {
    const int most = kind == sim::ChoiceKind::kFault ? bounds.depth : bounds.delays;
    return std::ranges::count(made, kind, &sim::Deviation::kind) < most;
  };
  const bool may_fault = may_deviate(sim::ChoiceKind::kFault);
  const bool may_delay = may_deviate(sim::ChoiceKind::kOrder);
  sim::Deviations next;
  for (const auto& question : open) {
    if (!(question.kind == sim::ChoiceKind::kFault ? may_fault : may_delay)) continue;
    for (uint32_t choice = 1; choice < question.count; ++choice)
      next.push_back({.at = question.at, .choice = choice, .kind = question.kind});
  }
  return next;
}

Worker::Worker(const Scenario& scenario, const Bounds& bounds)
    : scenario_(scenario), bounds_(bounds), judge_(scenario.plan.claims) {
  execution_.history.facts = again_.history.facts = FactsOf(scenario.plan);
}

void Worker::Run(sim::ChoiceSource& choices, Done& done) {
  Simulate(scenario_, choices, bench_, execution_);
  done.is_within = IsWithin(execution_.begun_faults);
  done.cut_off = execution_.cut_off;
  done.has_read_clock = execution_.has_read_clock;
  for (const FaultForm fault : execution_.begun_faults)
    done.how_unusual = std::max(done.how_unusual, static_cast<int>(fault));
  if (!done.is_within) return;
  const ClaimJudge::Findings& findings = judge_.Judge(execution_.history);
  done.outcomes = findings.outcomes;
  done.marks = findings.marks;
  done.digest = findings.digest;
}

void Worker::Run(Done& done, bool keeps_states) {
  sim::GivenChoices choices(done.deviations, keeps_states);
  Run(choices, done);
  CHECK(choices.Fits());
  done.open = choices.open();
  done.states = choices.states();
  done.used = {};
  done.used.Mix(
      std::ranges::count(done.deviations, sim::ChoiceKind::kOrder, &sim::Deviation::kind));
  for (const auto& [fault, most] : bounds_.most)
    done.used.Mix(std::ranges::count(execution_.begun_faults, fault));
  RunAgain(done);
}

void Worker::RunAgain(Done& done) {
  if (!bounds_.run_twice) return;
  sim::GivenChoices choices(done.deviations);
  Simulate(scenario_, choices, other_bench_, again_);
  done.is_equal = choices.Fits() && ComputeDigest(again_.history) == done.digest &&
                  again_.cut_off == done.cut_off;
}

std::string Worker::Sentence(size_t claim) const {
  return judge_.Sentence(execution_.history, claim);
}

bool Worker::IsWithin(const std::vector<FaultForm>& begun_faults) const {
  return std::ranges::all_of(bounds_.most, [&](const auto& each) {
    return std::ranges::count(begun_faults, each.first) <= each.second;
  });
}

}  // namespace doublehold
