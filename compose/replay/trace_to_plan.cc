#include "compose/replay/trace_to_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "checker/explain/cause.h"
#include "compose/explore/timing_dependence.h"
#include "compose/plan/plan_builder.h"
#include "faults/plans/form_plan.h"
#include "lib/base/check.h"

namespace doublehold {
namespace {

// A fault on a node begins stagger / kLateShare before the client starts.
constexpr int kLateShare = 5;
constexpr Duration kShortestRestart = 50ms;  // a server needs some time to start
constexpr Duration kLongest = 60s;           // limit; the run ends with the last section
constexpr Duration kForGood = 50s;  // length of a fault that lasts until the end of the run

class Translation {
 public:
  explicit Translation(const Scenario& scenario)
      : terms_(scenario.terms), stagger_(scenario.plan.lease / kStaggersPerLease) {}

  // Returns the time at which the client starts.
  [[nodiscard]] Duration BeginOf(int client) const { return stagger_ * (client - 1); }

  [[nodiscard]] Result<FaultPlan> FaultAt(FaultForm fault, const sim::FaultPlace& place) const {
    switch (place.point) {
      case sim::Point::kRequest:
      case sim::Point::kReply:
        return OnMessage(fault, place);
      case sim::Point::kContinue:
      case sim::Point::kBegin:
        return OnClient(fault, place);
      case sim::Point::kExecute:
        return OnNode(fault, place);
      case sim::Point::kNews:
        break;
    }
    return BadInput(
        fmt::format("--real: {}: the proxy cannot act on published messages", EntryOf(fault).name));
  }

 private:
  [[nodiscard]] FaultPlan Begun(FaultForm fault) const {
    return PlanOf(EntryOf(fault), {.lasts = terms_.lasts,
                                   .clock_length = kForGood,
                                   .down = std::max(kShortestRestart, terms_.restart_delay)});
  }

  [[nodiscard]] Result<FaultPlan> OnMessage(FaultForm fault, const sim::FaultPlace& place) const {
    FaultPlan plan = Begun(fault);
    plan.on = Trigger{.client = place.client, .step = Step::kStart};
    plan.client = place.client;
    plan.nodes = {place.node};
    plan.command = place.command;
    plan.nth = place.nth;
    plan.count = 1;
    return plan;
  }

  [[nodiscard]] Result<FaultPlan> OnClient(FaultForm fault, const sim::FaultPlace& place) const {
    FaultPlan plan = Begun(fault);
    const Step step = TRY(StepOf(fault, place));
    if (place.looks_first && fault != FaultForm::kCrash)
      return BadInput(
          fmt::format("--real: {} where {}: cannot be reproduced, because the client reads a clock "
                      "before it announces {}",
                      EntryOf(fault).name, WhatIsDone(place), Name(step)));
    plan.on = Trigger{.client = place.client, .step = step};
    plan.client = place.client;
    return plan;
  }

  // The fault begins just before the client announces the step in which it sends the command. If
  // the command is the client's first, the fault begins just before the client starts.
  [[nodiscard]] Result<FaultPlan> OnNode(FaultForm fault, const sim::FaultPlace& place) const {
    if (EntryOf(fault).site == FaultSite::kMasters)
      return BadInput(
          fmt::format("--real: {}: faults on replicas cannot be reproduced", EntryOf(fault).name));
    FaultPlan plan = Begun(fault);
    const Step step = TRY(StepOf(fault, place));
    plan.nodes = {place.node};
    if (step == Step::kStart && place.client > 1) {
      plan.from = BeginOf(place.client) - stagger_ / kLateShare;
    } else {
      plan.on = Trigger{.client = place.client, .step = step};
    }
    return plan;
  }

  [[nodiscard]] static std::string WhatIsDone(const sim::FaultPlace& place) {
    if (place.node < 0) return fmt::format("client {} continues", place.client);
    return fmt::format("client {}'s {} {} to node {} is executed", place.client, place.command,
                       place.nth, place.node);
  }

  [[nodiscard]] static Result<Step> StepOf(FaultForm fault, const sim::FaultPlace& place) {
    const std::string what = WhatIsDone(place);
    if (!place.step)
      return BadInput(fmt::format(
          "--real: {} where {}: cannot be reproduced, because the client announces no step there",
          EntryOf(fault).name, what));
    if (place.step->nth > 1)
      return BadInput(fmt::format(
          "--real: {} where {}: cannot be reproduced, because the client has announced {} before",
          EntryOf(fault).name, what, Name(place.step->step)));
    return place.step->step;
  }

  const sim::WorldTerms& terms_;
  Duration stagger_;
};

// Describes both causes if the two verdicts have known and different causes. Returns an empty text
// otherwise.
std::string OtherCause(const ClaimVerdict& simulated, const ClaimVerdict& real) {
  if (simulated.violations.empty() || real.violations.empty()) return "";
  const Cause expected = simulated.violations.front().cause;
  const bool there = std::ranges::any_of(real.violations, [&](const Violation& violation) {
    return violation.cause == expected || violation.cause == Cause::kUnexplained;
  });
  if (there || expected == Cause::kUnexplained) return "";
  return fmt::format("  <- cause: {} simulated, {} real", Name(expected),
                     Name(real.violations.front().cause));
}

}  // namespace

Result<Plan> TranslateToRealPlan(const Scenario& scenario, const sim::Deviations& choices) {
  const Translation translation(scenario);
  Plan plan = scenario.plan;
  plan.experiment = "replay-" + plan.lock;
  plan.sections = scenario.cycles;
  plan.duration = kLongest;
  for (int client = 2; client <= plan.clients; ++client) {
    plan.faults.push_back({.name = fmt::format("later-{}", client),
                           .kind = "slow",
                           .on = Trigger{.client = client, .step = Step::kStart},
                           .length = translation.BeginOf(client),
                           .client = client});
  }
  sim::GivenChoices given(choices);
  const Execution execution = Simulate(scenario, given);
  const Duration takes = execution.history.facts.duration + translation.BeginOf(plan.clients);
  if (takes > kForGood)
    return BadInput(fmt::format(
        "--real: the run would take {}, longer than the limit of {}; use a shorter lock.lease",
        FormatDuration(std::chrono::ceil<std::chrono::seconds>(takes)), FormatDuration(kForGood)));
  const std::vector<FaultForm>& begun_faults = execution.begun_faults;
  sim::Deviations before;
  for (const sim::Deviation& deviation : choices) {
    const std::vector<sim::FaultPlace> places = FindFaultPlaces(scenario, before);
    const auto place = std::ranges::find(places, deviation.at, &sim::FaultPlace::at);
    if (place == places.end())
      return BadInput("--real: reordered events cannot be reproduced on real servers");
    CHECK(before.size() < begun_faults.size());
    FaultPlan fault = TRY(translation.FaultAt(begun_faults[before.size()], *place));
    fault.name += fmt::format("-{}", before.size() + 1);
    plan.faults.push_back(std::move(fault));
    before.push_back(deviation);
  }
  TRY(CheckPlan(plan, "--real"));
  return plan;
}

Agreement Compare(const RunVerdict& simulated, const RunVerdict& real,
                  const std::map<std::string, TimingDependence>& dependences) {
  std::string notes;
  Agreement agreement{.text = fmt::format("{:<24}{:<11}real\n", "claim", "simulated")};
  for (const ClaimVerdict& claim : simulated.claims) {
    const auto other = std::ranges::find(real.claims, claim.claim, &ClaimVerdict::claim);
    CHECK(other != real.claims.end());
    const bool is_open = claim.outcome == Outcome::kUnknown || other->outcome == Outcome::kUnknown;
    const bool differs = claim.outcome != other->outcome;
    const auto dependence = dependences.find(claim.claim);
    const std::string cause = differs ? "" : OtherCause(claim, *other);
    const bool of_time = differs && dependence != dependences.end();
    agreement.open = agreement.open || (differs && (is_open || of_time));
    agreement.differs = agreement.differs || (differs && !is_open && !of_time) || !cause.empty();
    agreement.text += fmt::format("{:<24}{:<11}{}{}\n", claim.claim, Name(claim.outcome),
                                  Name(other->outcome), differs ? "  <-" : cause);
    if (of_time)
      notes += fmt::format("\n{} depends on short times: simulated with {}, it is {}\n",
                           claim.claim, dependence->second.on, Name(dependence->second.outcome));
  }
  agreement.text += notes;
  for (const std::string& fault : real.not_fired) {
    agreement.open = true;
    agreement.text += fmt::format("\n{} did not begin on the real servers\n", fault);
  }
  return agreement;
}

}  // namespace doublehold
