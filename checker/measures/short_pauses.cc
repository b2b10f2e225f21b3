#include "checker/measures/short_pauses.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "checker/evidence/disturbances.h"
#include "checker/evidence/holds.h"
#include "checker/verdict/margin.h"

namespace doublehold {
namespace {

// Whether a pause of a client was planned to outlast the requested lease.
bool IsLongPause(const Disturbances& disturbances, const FaultEpisode& episode) {
  const FaultFact& fault = disturbances.facts.faults[static_cast<size_t>(episode.fault)];
  return Does(fault, FaultTrait::kStops) && episode.client > 0 &&
         fault.lasts > disturbances.facts.lease;
}

bool Outlasted(const FaultEpisode& pause, const Hold& hold) {
  if (pause.to_ns < hold.core.to_ns) return !hold.LiveAt(pause.to_ns);
  return hold.valid_until_ns <= hold.core.to_ns;
}

}  // namespace

std::vector<std::string> PauseWarnings(const Evidence& evidence) {
  const Disturbances& disturbances = evidence.disturbances();
  int64_t longest_ns = 0;
  int64_t shortest_ns = kForeverNs;  // shortest lease granted to a paused holder
  for (const Hold& hold : evidence.holds().all) {
    if (hold.granted_until_ns >= kForeverNs) continue;
    for (const FaultEpisode* pause : disturbances.EpisodesWithin(hold.core)) {
      if (pause->client != hold.client || pause->from_ns < hold.core.from_ns) continue;
      if (!IsLongPause(disturbances, *pause)) continue;
      if (Outlasted(*pause, hold)) return {};
      longest_ns = std::max(longest_ns, pause->to_ns - pause->from_ns);
      shortest_ns = std::min(shortest_ns, hold.granted_until_ns - hold.asked_ns);
    }
  }
  if (shortest_ns == kForeverNs) return {};
  return {fmt::format(
      "no pause outlasted the lease of the holder that it stopped: pauses lasted {} at most, and "
      "the leases of these holders {} or more, where {} was requested; so the lock was not tested "
      "with a pause past its lease",
      ShortTime(longest_ns), ShortTime(shortest_ns), ShortTime(ToNs(evidence.facts().lease)))};
}

}  // namespace doublehold
