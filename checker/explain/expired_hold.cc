#include "checker/explain/expired_hold.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/evidence/names.h"
#include "checker/explain/double_grant.h"
#include "checker/sentences/violation_text.h"

namespace doublehold {
namespace {

// The faults of one kind that delayed a hold, and the times of the delay.
struct HoldDelay {
  std::vector<const FaultEpisode*> by;
  std::vector<Span> spans;

  void AddOverlap(const FaultEpisode& episode, const Span& when) {
    const Span both{std::max(episode.from_ns, when.from_ns), std::min(episode.to_ns, when.to_ns)};
    if (both.from_ns < both.to_ns) AddSpan(episode, both);
  }
  // Adds a fault that overlaps `when`. The delay lasts until the end of `when`, even if the fault
  // healed before.
  void AddUntilEnd(const FaultEpisode& episode, const Span& when) {
    if (episode.from_ns > when.to_ns || episode.to_ns < when.from_ns) return;
    AddSpan(episode, {std::max(episode.from_ns, when.from_ns), when.to_ns});
  }
  void AddSpan(const FaultEpisode& episode, const Span& span) {
    spans.push_back(span);
    if (by.empty() || by.back() != &episode) by.push_back(&episode);
  }

  [[nodiscard]] int64_t TotalNs() const {
    std::vector<Span> sorted = spans;
    std::ranges::sort(sorted, {}, &Span::from_ns);
    int64_t total_ns = 0;
    int64_t end_ns = 0;
    for (const Span& span : sorted) {
      total_ns += std::max<int64_t>(0, span.to_ns - std::max(span.from_ns, end_ns));
      end_ns = std::max(end_ns, span.to_ns);
    }
    return total_ns;
  }
};

// Whether the faults behind a delay explain the lateness. One of these must be true:
// - Without the delay, the hold would have ended in time.
// - The delay is most of the lateness, and the lease ended during the delay.
bool ExplainsLateness(const HoldDelay& delay, int64_t end_ns, int64_t until_ns) {
  const int64_t total_ns = delay.TotalNs();
  if (total_ns == 0) return false;
  const bool meanwhile = std::ranges::any_of(delay.spans, [end_ns](const Span& span) {
    return span.from_ns <= end_ns && end_ns <= span.to_ns;
  });
  const int64_t late_ns = until_ns - end_ns;
  return total_ns >= late_ns || (meanwhile && total_ns > late_ns / 2);
}

HoldDelay FindStops(const ViolationContext& record, const Hold& hold, const Span& when) {
  HoldDelay stopped;
  for (const FaultEpisode& episode : record.disturbances.episodes) {
    if (Does(record.FaultOf(episode), FaultTrait::kStops) && episode.client == hold.client)
      stopped.AddOverlap(episode, when);
  }
  return stopped;
}

std::vector<const FaultEpisode*> CombineEpisodes(const HoldDelay& a, const HoldDelay& b) {
  std::vector<const FaultEpisode*> all = a.by;
  all.insert(all.end(), b.by.begin(), b.by.end());
  return all;
}

// Finds the times in which the session waited for an answer. The first element is the wait for its
// acquire. The others are the waits for its operations and orders under the hold.
std::vector<Span> FindWaits(const ViolationContext& record, const Hold& hold, const Span& when) {
  std::vector<Span> waited{{when.from_ns, hold.core.from_ns}};
  for (const Call* call : record.UsesOf(hold)) {
    if (call->from_ns <= when.to_ns)
      waited.push_back({call->from_ns, std::min(call->to_ns, when.to_ns)});
  }
  for (const Span& order : record.OrdersUnder(hold.hold)) {
    if (order.from_ns <= when.to_ns)
      waited.push_back({order.from_ns, std::min(order.to_ns, when.to_ns)});
  }
  return waited;
}

// Finds the delays by faults on messages and servers. `waits` are the times in which the session
// waited for an answer. The first element of `waits` is the wait for its acquire. A fault counts
// only during these times.
HoldDelay FindMessageDelays(const ViolationContext& record, const Hold& hold, const Span& when,
                            const std::vector<Span>& waits) {
  HoldDelay held;
  for (const FaultEpisode& episode : record.disturbances.episodes) {
    if (episode.from_ns > when.to_ns || episode.to_ns < when.from_ns) continue;
    const FaultFact& fault = record.FaultOf(episode);
    const bool of_messages = (KeepsMessages(fault) || LosesMessages(fault)) &&
                             (episode.client < 0 || episode.client == hold.client);
    const bool of_server = Does(fault, FaultTrait::kStops) && ActsOnServers(episode, fault);
    const bool of_store = ActsOnStoreAlone(episode, fault);
    // A lock on several servers need not wait for a server that is down. Reads and writes must wait
    // for a store that is down.
    if (!of_messages && !of_server && !(of_store && StopsServers(fault))) continue;
    const bool loses = LosesMessages(fault);
    for (const Span& waited : waits) {
      if (of_store && &waited == &waits.front()) continue;  // an acquire does not use the store
      if (loses) held.AddUntilEnd(episode, waited);
      if (!loses) held.AddOverlap(episode, waited);
    }
  }
  return held;
}

// Finds all faults and stalls that may have delayed the hold, even while no wait is recorded.
// Reason: the history does not record every answer for which a session waits.
HoldDelay FindPossibleDelays(const ViolationContext& record, const Hold& hold, const Span& when) {
  HoldDelay perhaps = FindStops(record, hold, when);
  const HoldDelay held = FindMessageDelays(
      record, hold, when, {{when.from_ns, hold.core.from_ns}, {hold.core.from_ns, when.to_ns}});
  perhaps.by = CombineEpisodes(perhaps, held);
  perhaps.spans.insert(perhaps.spans.end(), held.spans.begin(), held.spans.end());
  for (const Stall* stall : record.disturbances.StallsWithin(when)) {
    if (stall->client == hold.client)
      perhaps.spans.push_back(
          {std::max(stall->when.from_ns, when.from_ns), std::min(stall->when.to_ns, when.to_ns)});
  }
  return perhaps;
}

// Finds the last renewal that was invoked before the lease ended at `end_ns`. Returns null if there
// was none, or if it was granted in time.
const Renewal* FindFailedRenewal(const ViolationContext& record, const Hold& hold, int64_t end_ns) {
  const Renewal* last = nullptr;
  for (const Renewal& renewal : record.RenewalsOf(hold.hold)) {
    if (renewal.from_ns <= end_ns) last = &renewal;
  }
  if (last == nullptr) return nullptr;
  const bool in_time = last->outcome == EventType::kOk && last->to_ns <= end_ns;
  return in_time ? nullptr : last;
}

// Whether the hold is a re-entry without a new lease. Its session must have left an earlier hold
// without a release.
bool IsReentryOnMarker(const ViolationContext& record, const Hold& hold) {
  const auto has_left = [&record](const Hold& before) {
    return std::ranges::any_of(record.history.events, [&before](const Event& event) {
      return event.op == Op::kLeave && event.hold == before.hold;
    });
  };
  return std::ranges::any_of(record.holds.all, [&](const Hold& before) {
    return before.left && before.owner() == hold.owner() && before.key == hold.key &&
           before.core.from_ns < hold.core.from_ns &&
           before.valid_until_ns == hold.valid_until_ns && has_left(before);
  });
}

// Finds the faults that prolonged the section itself.
std::vector<const FaultEpisode*> FindProlongingFaults(const ViolationContext& record,
                                                      const Hold& hold, const Span& when) {
  std::vector<const FaultEpisode*> worked;
  for (const FaultEpisode& episode : record.disturbances.episodes) {
    if (Does(record.FaultOf(episode), FaultTrait::kSlows) && episode.client == hold.client &&
        Overlap(when, {episode.from_ns, episode.to_ns})) {
      worked.push_back(&episode);
    }
  }
  return worked;
}

// Says how the renewal failed. A refusal after the lease ended does not explain why the lease
// ended.
std::string DescribeRenewalFailure(const Renewal& renewal, int64_t end_ns) {
  if (renewal.outcome == EventType::kOk) return "answered at " + At(renewal.to_ns) + " only";
  if (renewal.why == UnknownWhy::kError) return "answered with an error";
  if (renewal.outcome == EventType::kInfo) return "not answered";
  if (renewal.to_ns <= end_ns) return "refused at " + At(renewal.to_ns);
  return fmt::format("not answered before the lease was over at {}, and refused at {}", At(end_ns),
                     At(renewal.to_ns));
}

// Explains the end of an extended lease by a renewal that failed.
std::optional<Explanation> ExplainByRenewal(const ViolationContext& record, const Hold& hold,
                                            int64_t end_ns, const Span& around) {
  const Renewal* renewal = FindFailedRenewal(record, hold, end_ns);
  if (renewal == nullptr) return std::nullopt;
  if (renewal->outcome == EventType::kFail && renewal->to_ns <= end_ns) {
    // The key was gone, so the fault that removed the key is the cause.
    if (Explanation lost = ExplainDoubleGrant(record, hold); lost.cause != Cause::kUnexplained)
      return lost;
    for (const FaultEpisode* episode :
         record.disturbances.EpisodesWithin({hold.asked_ns, renewal->to_ns})) {
      const FaultFact& fault = record.FaultOf(*episode);
      if (ActsOnLockServers(*episode, fault) && (LosesKeys(fault) || MovesAClock(fault)))
        return Explanation{
            .because = fmt::format("the renewal of {} was refused, and {}", At(renewal->from_ns),
                                   FaultClause(record.disturbances, *episode)),
            .episodes = {episode}};
    }
  }
  Explanation why{
      .cause = Cause::kRenewalFailed,
      .because = fmt::format("the renewal that {} sent at {} was {}",
                             OwnerName(record.disturbances, hold.owner()), At(renewal->from_ns),
                             DescribeRenewalFailure(*renewal, end_ns))};
  for (const FaultEpisode& episode : record.disturbances.episodes) {
    const FaultFact& fault = record.FaultOf(episode);
    if ((KeepsMessages(fault) || LosesMessages(fault)) &&
        (episode.client < 0 || episode.client == hold.client) &&
        Overlap(around, {episode.from_ns, episode.to_ns})) {
      why.episodes.push_back(&episode);
    }
  }
  return why;
}

}  // namespace

Explanation ExplainLateHold(const ViolationContext& record, const Hold& hold, int64_t at_ns,
                            int64_t until_ns) {
  const std::string who = OwnerName(record.disturbances, hold.owner());
  if (IsReentryOnMarker(record, hold)) {
    return {
        .cause = Cause::kMarkerLeft,
        .because = fmt::format(
            "{} had left a section without releasing, and entered again without a new lease", who)};
  }
  const int64_t end_ns = hold.LeaseEndBefore(at_ns);
  const Call* grant = record.GrantOf(hold.hold);
  const int64_t asked_ns = grant == nullptr ? hold.core.from_ns : grant->from_ns;
  const Span around{asked_ns, until_ns};
  const HoldDelay stopped = FindStops(record, hold, around);
  const HoldDelay held = FindMessageDelays(record, hold, around, FindWaits(record, hold, around));
  if (end_ns <= hold.core.from_ns) {
    return {.cause = Cause::kOverAtGrant,
            .because = fmt::format("{} asked at {} and was granted the key at {}, its lease being "
                                   "over since {}",
                                   who, At(asked_ns), At(hold.core.from_ns), At(end_ns)),
            .episodes = CombineEpisodes(stopped, held)};
  }
  if (ExplainsLateness(stopped, end_ns, until_ns)) {
    return {.cause = Cause::kStopped,
            .because = FaultsClause(record.disturbances, stopped.by),
            .episodes = stopped.by};
  }
  if (auto renewal = ExplainByRenewal(record, hold, end_ns, around)) return *std::move(renewal);
  if (ExplainsLateness(held, end_ns, until_ns)) {
    return {.cause = Cause::kMessageHeld,
            .because = FaultsClause(record.disturbances, held.by),
            .episodes = held.by};
  }
  const HoldDelay perhaps = FindPossibleDelays(record, hold, around);
  if (until_ns - perhaps.TotalNs() > end_ns) {
    return {.cause = Cause::kOverran,
            .because = fmt::format("{} worked on until {}, its lease being over since {}", who,
                                   At(until_ns), At(end_ns)),
            .episodes = FindProlongingFaults(record, hold, around)};
  }
  return {.because = fmt::format("nothing that held {} up explains alone that it was late", who),
          .episodes = perhaps.by};
}

}  // namespace doublehold
