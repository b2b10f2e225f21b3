#include "compose/explore/timing_dependence.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "checker/evidence/evidence.h"
#include "compose/plan/plan_builder.h"

namespace doublehold {
namespace {

// A change of one time to lease / per_lease. If `apart`, changes the time between the starts of the
// clients, else the latency of a message.
struct TimeChange {
  bool apart = false;
  int per_lease = 1;
};
constexpr std::array kTimeChanges{TimeChange{false, 1600}, TimeChange{true, 400},
                                  TimeChange{false, 400},  TimeChange{true, 80},
                                  TimeChange{true, 16},    TimeChange{true, kStaggersPerLease}};

bool IsSamePlace(const sim::FaultPlace& a, const sim::FaultPlace& b) {
  const auto step = [](const sim::FaultPlace& place) {
    return place.step ? std::pair(static_cast<int>(place.step->step), place.step->nth)
                      : std::pair(-1, 0);
  };
  return a.point == b.point && a.client == b.client && a.node == b.node && a.command == b.command &&
         a.nth == b.nth && step(a) == step(b);
}

// Finds the place in `others` that corresponds to the place `at` in `places`. The n-th of several
// equal places in `places` corresponds to the n-th of them in `others`.
std::optional<uint32_t> FindCorrespondingPlace(const std::vector<sim::FaultPlace>& places,
                                               uint32_t at,
                                               const std::vector<sim::FaultPlace>& others) {
  const auto place = std::ranges::find(places, at, &sim::FaultPlace::at);
  if (place == places.end()) return std::nullopt;
  const auto same = [&](const sim::FaultPlace& other) { return IsSamePlace(*place, other); };
  auto left = std::count_if(places.begin(), place, same);
  for (const sim::FaultPlace& other : others) {
    if (same(other) && left-- == 0) return other.at;
  }
  return std::nullopt;
}

using Places = std::vector<sim::FaultPlace>;

// Returns for each choice the places at which a fault could have begun instead.
std::vector<Places> FindAlternativePlaces(const Scenario& scenario,
                                          const sim::Deviations& choices) {
  std::vector<Places> of_each;
  sim::Deviations before;
  for (const sim::Deviation& deviation : choices) {
    of_each.push_back(FindFaultPlaces(scenario, before));
    before.push_back(deviation);
  }
  return of_each;
}

std::optional<sim::Deviations> FindCorrespondingChoices(const std::vector<Places>& places,
                                                        const Scenario& changed,
                                                        const sim::Deviations& choices) {
  sim::Deviations same;
  for (size_t i = 0; i < choices.size(); ++i) {
    const auto at =
        FindCorrespondingPlace(places[i], choices[i].at, FindFaultPlaces(changed, same));
    if (!at) return std::nullopt;
    same.push_back(choices[i]);
    same.back().at = *at;
  }
  return same;
}

}  // namespace

std::vector<sim::FaultPlace> FindFaultPlaces(const Scenario& scenario,
                                             const sim::Deviations& before) {
  std::vector<sim::FaultPlace> places;
  Scenario noted = scenario;
  noted.terms.places = &places;
  sim::GivenChoices given(before);
  [[maybe_unused]] const Execution execution = Simulate(noted, given);
  return places;
}

std::optional<TimingDependence> FindTimingDependence(const Scenario& scenario,
                                                     const sim::Deviations& choices,
                                                     const CheckerEntry& claim, Outcome outcome) {
  if (std::ranges::any_of(choices, [](const sim::Deviation& deviation) {
        return deviation.kind != sim::ChoiceKind::kFault;
      }))
    return std::nullopt;
  const std::vector<Places> places = FindAlternativePlaces(scenario, choices);
  for (const TimeChange& change : kTimeChanges) {
    Scenario changed = scenario;
    const Duration share = scenario.plan.lease / change.per_lease;
    (change.apart ? changed.terms.apart : changed.terms.latency) = share;
    TimingDependence dependence{
        .on = change.apart ? fmt::format("clients that begin {} apart", FormatDuration(share))
                           : fmt::format("messages that take {}", FormatDuration(share))};
    const auto same = FindCorrespondingChoices(places, changed, choices);
    if (!same) return dependence;
    sim::GivenChoices given(*same);
    const Execution execution = Simulate(changed, given);
    if (!given.Fits()) return dependence;
    dependence.outcome = claim.check(Evidence(execution.history), {.violations_told = 0}).outcome;
    if (dependence.outcome != outcome) return dependence;
  }
  return std::nullopt;
}

}  // namespace doublehold
