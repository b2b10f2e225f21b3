#include "checker/measures/untested_faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "checker/evidence/disturbances.h"
#include "checker/evidence/names.h"
#include "checker/measures/short_pauses.h"
#include "checker/verdict/margin.h"

namespace doublehold {
namespace {

struct DrawnCount {
  int64_t planned = 0;
  int64_t started = 0;
};

// Counts the faults that a nemesis drew, by kind or by request. A drawn fault may find nothing to
// act on: a frame that no client sends, or a step that no client reaches in time.
std::map<std::string, DrawnCount> CountDrawn(const RunFacts& facts, const Tally& tally,
                                             std::string FaultFact::*by) {
  std::map<std::string, DrawnCount> of;
  for (size_t i = 0; i < facts.faults.size(); ++i) {
    const FaultFact& fault = facts.faults[i];
    if (fault.drawn_for.empty()) continue;
    of[fault.*by].planned += fault.planned;
    of[fault.*by].started += tally.started[i];
  }
  return of;
}

void AddIdle(const RunFacts& facts, const Tally& tally, FaultShortfalls& found) {
  for (const auto& [kind, drawn] : CountDrawn(facts, tally, &FaultFact::kind)) {
    if (drawn.started == drawn.planned) continue;
    found.idle.push_back(fmt::format("{} of the {} of kind {} found nothing to act on",
                                     drawn.planned - drawn.started,
                                     Counted(drawn.planned, "drawn fault"), kind));
  }
}

void AddNotStarted(const RunFacts& facts, const Tally& tally, FaultShortfalls& found) {
  for (size_t i = 0; i < facts.faults.size(); ++i) {
    const FaultFact& fault = facts.faults[i];
    if (tally.started[i] >= fault.planned || !fault.drawn_for.empty()) continue;
    found.untested.push_back(fmt::format("fault '{}' ({}) {}", fault.name, fault.what,
                                         TookEffect(tally.started[i], fault.planned)));
  }
  DrawnCount all;
  for (const auto& [asked, drawn] : CountDrawn(facts, tally, &FaultFact::drawn_for)) {
    if (drawn.started == 0) {
      found.untested.push_back(
          fmt::format("none of the {} drawn for '{}' took effect, so '{}' was not tested",
                      Counted(drawn.planned, "fault"), asked, asked));
    }
    all.planned += drawn.planned;
    all.started += drawn.started;
  }
  if (all.started * 2 < all.planned) {
    found.untested.push_back(fmt::format("only {} of the {} took effect", all.started,
                                         Counted(all.planned, "drawn fault")));
  }
}

// An episode of a fault with a planned length or end, and how far it came.
struct Progress {
  const FaultEpisode* episode = nullptr;
  int64_t planned_ns = 0;  // 0: until an event
  int64_t acted_ns = 0;    // how long a process was stopped, a link cut, or a message kept
  bool cut = false;        // the run's end healed it
};

Progress ProgressOf(const RunFacts& facts, const FaultEpisode& episode) {
  const FaultFact& fault = FaultFor(facts, episode);
  Progress start{.episode = &episode,
                 .planned_ns = ToNs(fault.lasts),
                 .acted_ns = episode.to_ns - episode.from_ns};
  // The length of a `hold` is that of each message, so the fault itself has none.
  const bool is_of_messages =
      Does(fault, FaultTrait::kKeepsMessages) && !Does(fault, FaultTrait::kDelays);
  if (start.planned_ns == 0 && is_of_messages) start.planned_ns = episode.asked_ns;
  const bool is_measured = start.planned_ns == episode.asked_ns && episode.measured_ns > 0;
  if (is_measured) start.acted_ns = std::min(start.acted_ns, episode.measured_ns);
  const bool to_the_end = facts.duration > Duration{} && episode.to_ns >= ToNs(facts.duration);
  // A jump of a clock acts at once, however long the clock stays moved.
  start.cut = to_the_end && !Does(fault, FaultTrait::kJumps) &&
              (!fault.until.empty() || start.acted_ns < start.planned_ns);
  return start;
}

// A duration of the run, in whole seconds, in which the fault outlasts the lease, and the clients
// have another lease and the grace to show what that did.
std::string LongEnough(const RunFacts& facts, const Progress& start) {
  const int64_t lease_ns = ToNs(facts.lease);
  const int64_t lasts_ns = std::max(start.planned_ns, 2 * lease_ns);
  const Duration ends(start.episode->from_ns + lasts_ns + lease_ns + ToNs(facts.grace));
  return FormatDuration(std::chrono::ceil<std::chrono::seconds>(ends));
}

std::string DescribeCut(const RunFacts& facts, const Progress& start, bool tested) {
  const FaultFact& fault = FaultFor(facts, *start.episode);
  const std::string asked = fault.until.empty()
                                ? "for " + FormatDuration(Duration(start.planned_ns))
                                : "until " + fault.until + ", which did not happen";
  const bool to_outlast = !fault.until.empty() || start.planned_ns > ToNs(facts.lease);
  return fmt::format("fault '{}' was to last {}: the run's end healed it after {}{}{}", fault.name,
                     asked, ShortTime(start.acted_ns),
                     to_outlast && !tested
                         ? ", before it outlasted the lease of " + FormatDuration(facts.lease)
                         : "",
                     tested ? "" : "; use --duration " + LongEnough(facts, start));
}

// A nemesis draws no fault that lasts into the end of a run, so drawn faults are not looked at.
void AddCut(const Evidence& evidence, FaultShortfalls& found) {
  const RunFacts& facts = evidence.facts();
  std::map<int32_t, std::vector<Progress>> of_faults;
  for (const FaultEpisode& episode : evidence.disturbances().episodes) {
    if (FaultFor(facts, episode).drawn_for.empty())
      of_faults[episode.fault].push_back(ProgressOf(facts, episode));
  }
  for (const auto& [fault, starts] : of_faults) {
    const bool tested = std::ranges::any_of(starts, [&](const Progress& start) {
      return !start.cut || start.acted_ns > ToNs(facts.lease);
    });
    for (const Progress& start : starts) {
      if (start.cut)
        (tested ? found.cut : found.untested).push_back(DescribeCut(facts, start, tested));
    }
  }
}

}  // namespace

FaultShortfalls FindShortfalls(const Evidence& evidence, const Tally& tally, bool cut_short) {
  const RunFacts& facts = evidence.facts();
  FaultShortfalls found;
  AddNotStarted(facts, tally, found);
  if (cut_short) return found;  // most drawn faults had not started yet
  AddIdle(facts, tally, found);
  const size_t before = found.untested.size();
  AddCut(evidence, found);
  if (found.untested.size() > before) return found;
  for (std::string& warning : PauseWarnings(evidence)) found.untested.push_back(std::move(warning));
  return found;
}

}  // namespace doublehold
