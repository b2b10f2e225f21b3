#include "checker/measures/waits.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "checker/evidence/names.h"

namespace doublehold {
namespace {

std::string DescribeLength(const Disturbances& disturbances, const KeyWait& wait) {
  return fmt::format("{} of {}", FormatDuration(Duration(wait.LengthNs() / 1000 * 1000)),
                     OwnerName(disturbances, wait.who));
}

// The bounds of the end of an unanswered wait. `from_ns` is the last event of any client: a waiting
// client certainly waited until then. `to_ns` is the end of the history: the client may have waited
// until then. Neither is later than the client's death.
struct LastEvents {
  Span bounds;
  std::map<int32_t, int64_t> dead_ns;  // by client

  [[nodiscard]] Span Of(int32_t client) const {
    const auto dead = dead_ns.find(client);
    if (dead == dead_ns.end()) return bounds;
    return {std::min(bounds.from_ns, dead->second), std::min(bounds.to_ns, dead->second)};
  }
};

LastEvents FindLastEvents(const History& history, const Disturbances& disturbances) {
  LastEvents last;
  const auto note_death = [&](int32_t client, int64_t at_ns) {
    int64_t& dead_ns = last.dead_ns.try_emplace(client, at_ns).first->second;
    dead_ns = std::min(dead_ns, at_ns);
  };
  for (const Event& event : history.events) {
    if (event.client > kReferee && event.op != Op::kFault && event.op != Op::kIdle)
      last.bounds.from_ns = event.at_ns;
    if (event.op == Op::kDied) note_death(event.client, event.at_ns);
  }
  for (const FaultEpisode& episode : disturbances.episodes) {
    if (IsCrash(FaultFor(disturbances.facts, episode))) note_death(episode.client, episode.from_ns);
  }
  last.bounds.to_ns = history.events.back().at_ns;
  return last;
}

}  // namespace

std::vector<KeyWait> WaitsOf(const History& history, const Disturbances& disturbances) {
  std::vector<KeyWait> waits;
  std::map<std::pair<SessionId, uint16_t>, int64_t> since_ns;
  for (const Event& event : history.events) {
    if (event.op != Op::kWait || event.task != TaskKind::kSession) continue;
    const std::pair waiting{SessionOf(event), event.key};
    if (event.type == EventType::kInvoke) since_ns[waiting] = event.at_ns;
    const auto since = since_ns.find(waiting);
    if (event.type == EventType::kInvoke || since == since_ns.end()) continue;
    waits.push_back({waiting.first,
                     event.key,
                     {since->second, event.at_ns},
                     event.type,
                     event.hold,
                     event.at_ns});
    since_ns.erase(since);
  }
  if (since_ns.empty()) return waits;
  const LastEvents last_events = FindLastEvents(history, disturbances);
  for (const auto& [waiting, from_ns] : since_ns) {
    const Span last = last_events.Of(waiting.first.client);
    waits.push_back({.who = waiting.first,
                     .key = waiting.second,
                     .when = {from_ns, std::max(from_ns, last.from_ns)},
                     .perhaps_until_ns = last.to_ns});
  }
  return waits;
}

std::string LongestWaitClause(const History& history, const Disturbances& disturbances) {
  std::optional<KeyWait> granted, in_vain;
  for (const KeyWait& wait : WaitsOf(history, disturbances)) {
    std::optional<KeyWait>& longest = wait.outcome == EventType::kOk ? granted : in_vain;
    if (!longest || wait.LengthNs() > longest->LengthNs()) longest = wait;
  }
  // Some clients still wait when a run ends, so an ungranted wait counts only if it is the longest.
  const bool starved = in_vain && (!granted || granted->LengthNs() < in_vain->LengthNs());
  if (!starved)
    return granted ? "; the longest wait was " + DescribeLength(disturbances, *granted) : "";
  const bool gave_up = in_vain->outcome != EventType::kInvoke;
  return fmt::format(
      "; the longest wait was {}, never granted: it {} at {}{}",
      DescribeLength(disturbances, *in_vain), gave_up ? "gave up" : "still had no answer",
      At(in_vain->when.to_ns),
      granted ? "; the longest of those granted " + DescribeLength(disturbances, *granted) : "");
}

}  // namespace doublehold
