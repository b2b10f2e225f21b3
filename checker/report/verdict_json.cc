// Writes a verdict as verdict.json. docs/formats.md describes the fields.

#include <array>
#include <nlohmann/json.hpp>

#include "checker/evidence/disturbances.h"
#include "checker/evidence/names.h"
#include "checker/explain/ascii_timeline.h"
#include "checker/explain/cause.h"
#include "checker/judge.h"
#include "checker/rates/pool.h"
#include "checker/rates/rate.h"
#include "checker/rates/trials.h"

namespace doublehold {
namespace {

using nlohmann::json;

json ToJson(const std::optional<HoldRef>& hold) {
  if (!hold) return nullptr;
  return {{"client", hold->client},
          {"hold", hold->hold},
          {"from_ns", hold->from_ns},
          {"to_ns", hold->to_ns},
          {"valid_until_ns", hold->valid_until_ns}};
}

json FaultName(const RunFacts& facts, int32_t fault) {
  return fault < 0 ? json() : json(facts.faults[static_cast<size_t>(fault)].name);
}

json ToJson(const DrawnLane& lane, const RunFacts& facts) {
  json spans = json::array(), marks = json::array();
  for (const DrawnSpan& span : lane.spans) {
    spans.push_back(
        {{"state", Name(span.state)}, {"from_ns", span.from_ns}, {"to_ns", span.to_ns}});
  }
  for (const DrawnMark& mark : lane.marks) {
    marks.push_back(
        {{"at_ns", mark.at_ns}, {"letter", std::string(1, mark.letter)}, {"text", mark.text}});
  }
  return {{"name", lane.name},         {"kind", lane.fault < 0 ? "session" : "fault"},
          {"client", lane.client},     {"fault", FaultName(facts, lane.fault)},
          {"spans", std::move(spans)}, {"marks", std::move(marks)}};
}

json ToJson(const Violation& violation, const RunFacts& facts) {
  json steps = json::array(), lanes = json::array();
  for (const StoryStep& step : violation.steps) {
    steps.push_back(
        {{"at_ns", step.at_ns}, {"who", step.who}, {"what", Name(step.what)}, {"text", step.text}});
  }
  for (const DrawnLane& lane : violation.drawing.lanes) lanes.push_back(ToJson(lane, facts));
  json perhaps = json::array();
  for (const Cause cause : violation.perhaps) perhaps.push_back(Name(cause));
  return {{"key", violation.key},
          {"from_ns", violation.from_ns},
          {"to_ns", violation.to_ns},
          {"stale", violation.stale},
          {"count", violation.count},
          {"undescribed", violation.undescribed},
          {"fault", FaultName(facts, violation.fault)},
          {"by_stall", violation.explained_by_stall},
          {"first", ToJson(violation.first)},
          {"second", ToJson(violation.second)},
          {"sentence", violation.sentence},
          {"cause", Name(violation.cause)},
          {"because", violation.because},
          {"perhaps", std::move(perhaps)},
          {"steps", std::move(steps)},
          {"lanes", std::move(lanes)},
          {"times_ns", violation.drawing.times_ns}};
}

json ToJson(const Percentiles& values) {
  return {{"count", values.count},
          {"p50_ns", values.p50_ns},
          {"p95_ns", values.p95_ns},
          {"p99_ns", values.p99_ns},
          {"max_ns", values.max_ns}};
}

json ToJson(const BlindCount& count) {
  return {{"unknown", count.unknown}, {"could_hide", count.could_hide}};
}

json BlindSpotsToJson(const RunVerdict& verdict) {
  if (!verdict.blind_spots) return nullptr;
  const BlindSpots& spots = *verdict.blind_spots;
  json first = json::array(), without_lease = json::array(), stalls = json::array();
  for (const BlindSpot& spot : spots.first) {
    first.push_back({{"f", Name(spot.op)},
                     {"client", spot.by.client},
                     {"thread", spot.by.thread},
                     {"key", KeyName(verdict.facts, spot.key)},
                     {"at_ns", spot.at_ns},
                     {"sentence", spot.sentence}});
  }
  for (const auto& [client, holds] : spots.without_lease)
    without_lease.push_back({{"client", client}, {"holds", holds}});
  for (const Stall& stall : spots.stalls) {
    stalls.push_back({{"process", ProcessName(stall.client)},
                      {"from_ns", stall.when.from_ns},
                      {"to_ns", stall.when.to_ns}});
  }
  return {{"acquires", ToJson(spots.acquires)},
          {"extends", ToJson(spots.extends)},
          {"releases", ToJson(spots.releases)},
          {"writes", ToJson(spots.writes)},
          {"first", std::move(first)},
          {"without_lease", std::move(without_lease)},
          {"longest_stalls", std::move(stalls)},
          {"not_fired", verdict.not_fired},
          {"weak_control", verdict.weak_control},
          {"short_pauses", verdict.short_pauses}};
}

json LostUpdatesToJson(const RunVerdict& verdict) {
  if (!verdict.lost_updates) return nullptr;
  const LostUpdates& updates = *verdict.lost_updates;
  const auto lost = static_cast<double>(updates.count);
  json share, interval, trials;
  for (const TrialShare& trial : updates.trials) trials.push_back({trial.count, trial.of});
  if (!updates.trials.empty()) {
    const Rate rate = ShareOf(updates.trials);
    share = rate.rate;
    interval = {rate.low, rate.high};
  }
  return {{"count", updates.count},
          {"of", updates.of},
          {"share", std::move(share)},
          {"interval_95", std::move(interval)},
          {"trials", std::move(trials)},
          {"per_million_grants", verdict.tally.grants > 0
                                     ? json(lost * 1e6 / static_cast<double>(verdict.tally.grants))
                                     : json()}};
}

json RefusedWritesToJson(const RunVerdict& verdict) {
  if (!verdict.lost_updates || !verdict.lost_updates->refused_writes) return nullptr;
  return *verdict.lost_updates->refused_writes;
}

json ToJson(const Margin& margin) {
  json nearest = json::array();
  for (const NearMiss& miss : margin.nearest) {
    nearest.push_back({{"value", miss.value}, {"at_ns", miss.at_ns}, {"sentence", miss.sentence}});
  }
  json histogram = json::array();
  for (const HistogramClass& each : margin.histogram) histogram.push_back({each.from, each.count});
  return {{"what", margin.what},
          {"value", margin.value},
          {"unit", margin.unit},
          {"nearest", std::move(nearest)},
          {"below_zero", margin.below_zero},
          {"histogram", std::move(histogram)}};
}

json ToJson(const ClaimVerdict& claim, const RunVerdict& verdict) {
  const RunFacts& facts = verdict.facts;
  const std::optional<std::string> expected = ExpectedOf(facts, claim.claim);
  const Rate rate = RateOf(claim.count, claim.opportunities);
  const CheckerEntry* entry = FindChecker(claim.claim);
  json causes;
  if (const auto found = facts.expect_cause.find(claim.claim); found != facts.expect_cause.end())
    causes = found->second;
  json margins = json::array();
  for (const Margin& margin : claim.margins) margins.push_back(ToJson(margin));
  json violations = json::array();
  std::string picture;
  for (const Violation& violation : claim.violations) {
    violations.push_back(ToJson(violation, facts));
    if (picture.empty()) picture = ToAscii(violation.drawing);
  }
  return {{"claim", claim.claim},
          {"title", entry == nullptr ? "" : entry->title},
          {"meaning", entry == nullptr ? "" : entry->violated_when},
          {"outcome", Name(claim.outcome)},
          {"expected", expected ? json(*expected) : json()},
          {"expected_cause", causes},
          {"as_expected", IsAsExpected(facts, claim)},
          {"other_cause", WhyOtherCause(facts, claim)},
          {"reason", claim.reason},
          {"count", claim.count},
          {"opportunities", claim.opportunities},
          {"unit", claim.unit},
          {"rate", rate.rate},
          {"interval_95", {rate.low, rate.high}},
          {"trials", ToJson(CountOf(claim.trials), verdict.trial_unit)},
          {"overlap", claim.overlap ? ToJson(*claim.overlap) : json()},
          {"margins", std::move(margins)},
          {"violations", std::move(violations)},
          {"picture", std::move(picture)}};
}

// The family under which a page lists a fault.
std::string_view FamilyName(const FaultFact& fault) {
  using enum FaultTrait;
  struct Family {
    FaultTraits traits;  // a fault with any of these belongs to the family
    std::string_view name;
  };
  static constexpr std::array kFamilies{
      Family{{kStops}, "process pauses"},
      Family{{kSlows}, "long sections"},
      Family{{kMovesClock}, "clock faults"},
      Family{{kKills}, "killed processes"},
      Family{{kRestarts}, "restarts"},
      Family{{kTakesOver, kCutsReplication}, "failover"},
      Family{{kTakesKeys}, "lost keys"},
      Family{{kLosesMessages, kKeepsMessages, kRepeats}, "network faults"},
      Family{{kSaves, kForgetsScripts}, "operators' commands"},
  };
  const FaultTraits does = TraitsOf(fault);
  const auto* found = std::ranges::find_if(
      kFamilies, [&](const Family& family) { return does.HasAny(family.traits); });
  return found == kFamilies.end() ? "other faults" : found->name;
}

json FaultsToJson(const RunVerdict& verdict) {
  std::vector<json> of_each(verdict.facts.faults.size(), json::array());
  for (const FaultEpisode& episode : verdict.episodes) {
    of_each[static_cast<size_t>(episode.fault)].push_back({{"from_ns", episode.from_ns},
                                                           {"to_ns", episode.to_ns},
                                                           {"client", episode.client},
                                                           {"node", episode.node},
                                                           {"asked_ns", episode.asked_ns},
                                                           {"measured_ns", episode.measured_ns}});
  }
  json faults = json::array();
  for (size_t i = 0; i < verdict.facts.faults.size(); ++i) {
    const FaultFact& fault = verdict.facts.faults[i];
    json& episodes = of_each[i];
    faults.push_back({{"name", fault.name},
                      {"kind", fault.kind},
                      {"family", FamilyName(fault)},
                      {"what", fault.what},
                      {"planned", fault.planned},
                      {"started", episodes.size()},
                      {"episodes", std::move(episodes)}});
  }
  return faults;
}

json LatencyToJson(const RunVerdict& verdict) {
  json latency = json::object();
  for (const auto& [name, values] : verdict.tally.latency) {
    json histogram = json::array();
    for (const HistogramClass& each : values.histogram)
      histogram.push_back({each.from, each.count});
    latency[name] = ToJson(values);
    latency[name]["p999_ns"] = values.p999_ns == 0 ? json() : json(values.p999_ns);
    latency[name]["p9999_ns"] = values.p9999_ns == 0 ? json() : json(values.p9999_ns);
    latency[name]["histogram"] = std::move(histogram);
  }
  return latency;
}

json LoadToJson(const Load& load) {
  const auto& sent = load.sent;
  const auto& renewals = load.renewals;
  return {{"jain_index", load.jain_index ? json(*load.jain_index) : json()},
          {"commands", sent ? json(sent->commands) : json()},
          {"bytes", sent ? json(sent->bytes) : json()},
          {"commands_while_held", renewals ? json(renewals->commands) : json()},
          {"held_ns", renewals ? json(renewals->held_ns) : json()}};
}

json LibraryToJson(const RunVerdict& verdict) {
  if (!verdict.facts.library) return nullptr;
  const LibraryFact& library = *verdict.facts.library;
  json errors{{"texts", library.errors}};
  for (const CallErrors& of_kind : verdict.library_errors) {
    errors[std::string(of_kind.calls)] = {{"count", of_kind.errors},
                                          {"of", of_kind.sent},
                                          {"undisturbed_errors", of_kind.undisturbed_errors},
                                          {"undisturbed", of_kind.undisturbed}};
  }
  return {{"name", library.name}, {"version", library.version}, {"errors", std::move(errors)}};
}

}  // namespace

nlohmann::json ToJson(const RunVerdict& verdict) {
  const RunFacts& facts = verdict.facts;
  json claims = json::array();
  for (const ClaimVerdict& claim : verdict.claims) claims.push_back(ToJson(claim, verdict));
  return {{"experiment", facts.experiment},
          {"lock", facts.lock},
          {"library", LibraryToJson(verdict)},
          {"workload", facts.workload},
          {"write", facts.write},
          {"seed", facts.seed},
          {"lease_ns", ToNs(facts.lease)},
          {"duration_ns", ToNs(facts.duration)},
          {"clients", facts.clients},
          {"nodes", facts.nodes},
          {"initial_stock", facts.initial_stock},
          {"overall", Name(verdict.overall)},
          {"as_expected", verdict.as_expected},
          {"exit_code", static_cast<int>(verdict.exit_code)},
          {"claims", std::move(claims)},
          {"trials", ToJson(CountOf(GravestOf(verdict.claims)), verdict.trial_unit)},
          {"lost_updates", LostUpdatesToJson(verdict)},
          {"refused_writes", RefusedWritesToJson(verdict)},
          {"blind_spots", BlindSpotsToJson(verdict)},
          {"faults", FaultsToJson(verdict)},
          {"unknown_operations",
           {{"acquires", verdict.tally.unknown_acquires},
            {"releases", verdict.tally.unknown_releases},
            {"writes", verdict.tally.unknown_writes}}},
          {"stalls", {{"count", verdict.stalls}, {"longest_ns", verdict.longest_stall_ns}}},
          {"cut_short", verdict.cut_short.empty() ? json() : json(verdict.cut_short)},
          {"untested", verdict.untested},
          {"warnings", verdict.warnings},
          {"latency", LatencyToJson(verdict)},
          {"load", LoadToJson(verdict.load)},
          {"attempts", verdict.tally.attempts},
          {"grants", verdict.tally.grants},
          {"orders", verdict.tally.orders},
          {"seconds", verdict.tally.seconds}};
}

}  // namespace doublehold
