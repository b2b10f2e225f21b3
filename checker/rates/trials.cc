#include "checker/rates/trials.h"

#include <algorithm>

namespace doublehold {

Trials TrialsOf(const Disturbances& disturbances, int64_t end_ns) {
  if (disturbances.facts.faults.empty()) return {.unit = "run", .each = {{0, end_ns}}};
  Trials trials{.unit = "fault episode", .each = {}};
  int64_t over_ns = 0;  // latest end of a fault so far, plus a lease
  for (const FaultEpisode& episode : disturbances.episodes) {
    if (trials.each.empty() || episode.from_ns > over_ns) {
      if (!trials.each.empty()) trials.each.back().to_ns = episode.from_ns;
      trials.each.push_back({episode.from_ns, end_ns});
    }
    over_ns = std::max(over_ns, episode.to_ns + ToNs(disturbances.facts.lease));
  }
  if (trials.each.empty()) return {.unit = trials.unit, .each = {{0, end_ns}}, .none_began = true};
  return trials;
}

size_t TrialAt(const Trials& trials, int64_t at_ns) {
  const auto after = std::ranges::upper_bound(trials.each, at_ns, {}, &Span::from_ns);
  return static_cast<size_t>(std::max<std::ptrdiff_t>(after - trials.each.begin() - 1, 0));
}

std::vector<Outcome> OutcomesOf(const Trials& trials, const ClaimVerdict& claim, bool doubtful) {
  const bool violated = claim.outcome == Outcome::kViolated;
  const bool placed = std::ranges::none_of(claim.seen, [](auto seen) { return seen.at_ns == 0; });
  const bool known = claim.outcome != Outcome::kUnknown && !doubtful && !trials.none_began;
  std::vector<Outcome> outcomes(
      trials.each.size(), known && (placed || !violated) ? Outcome::kValid : Outcome::kUnknown);
  if (!violated || outcomes.empty()) return outcomes;
  for (const Sighting& seen : claim.seen) {
    if (seen.at_ns == 0) continue;
    Outcome& outcome = outcomes[TrialAt(trials, seen.at_ns)];
    outcome = std::max(outcome, seen.explained_by_stall ? Outcome::kUnknown : Outcome::kViolated);
  }
  // A violated claim has at least one violated trial.
  if (std::ranges::find(outcomes, Outcome::kViolated) == outcomes.end())
    outcomes.front() = Outcome::kViolated;
  return outcomes;
}

std::vector<Outcome> GravestOf(const std::vector<ClaimVerdict>& claims) {
  std::vector<Outcome> gravest;
  for (const ClaimVerdict& claim : claims) {
    gravest.resize(std::max(gravest.size(), claim.trials.size()), Outcome::kValid);
    for (size_t i = 0; i < claim.trials.size(); ++i)
      gravest[i] = std::max(gravest[i], claim.trials[i]);
  }
  return gravest;
}

TrialCount CountOf(const std::vector<Outcome>& outcomes) {
  return {.of = static_cast<int64_t>(outcomes.size()),
          .violated = std::ranges::count(outcomes, Outcome::kViolated),
          .undecided = std::ranges::count(outcomes, Outcome::kUnknown)};
}

Interval WilsonOf(const TrialCount& trials) {
  return {.low = WilsonOf(trials.violated, trials.of).low,
          .high = WilsonOf(trials.violated + trials.undecided, trials.of).high};
}

Interval ClopperPearsonOf(const TrialCount& trials) {
  return {.low = ClopperPearsonOf(trials.violated, trials.of).low,
          .high = ClopperPearsonOf(trials.violated + trials.undecided, trials.of).high};
}

}  // namespace doublehold
