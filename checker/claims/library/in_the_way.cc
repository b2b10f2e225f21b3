#include "checker/claims/library/in_the_way.h"

#include <algorithm>
#include <utility>

#include "checker/evidence/calls.h"

namespace doublehold {

void TimesInTheWay::Join() {
  for (auto& [client, times] : of_client_) {
    std::ranges::sort(times, {}, &Span::from_ns);
    std::vector<Span> joined;
    for (const Span& time : times) {
      if (joined.empty() || joined.back().to_ns < time.from_ns)
        joined.push_back(time);
      else
        joined.back().to_ns = std::max(joined.back().to_ns, time.to_ns);
    }
    times = std::move(joined);
  }
}

bool TimesInTheWay::MayBeIn(int32_t client, const Span& when) const {
  const auto found = of_client_.find(client);
  if (found == of_client_.end()) return false;
  const auto time = std::ranges::lower_bound(found->second, when.from_ns, {}, &Span::to_ns);
  return time != found->second.end() && time->from_ns <= when.to_ns;
}

std::map<uint16_t, TimesInTheWay> FindTimesInTheWay(const Evidence& evidence,
                                                    const PossibleHolds& holds) {
  std::map<uint16_t, TimesInTheWay> found;
  for (const auto& [key, of_key] : holds) {
    for (const PossibleHold& hold : of_key) found[key].Add(hold.acquire->session.client, hold.when);
  }
  std::map<std::pair<uint16_t, SessionId>, int64_t> queued_ns;  // since when each session waits
  for (const Call& call : evidence.calls().all) {
    if (call.op != Op::kAcquire) continue;
    TimesInTheWay& of_key = found[call.key];
    if (evidence.facts().nodes > 1) {
      if (call.outcome == EventType::kFail)
        of_key.Add(call.session.client, {call.from_ns, Later(call.to_ns, call.asked[0])});
      continue;
    }
    const auto queued = queued_ns.try_emplace({call.key, call.session}, call.from_ns).first;
    if (!call.Ok()) continue;
    of_key.Add(call.session.client, {queued->second, call.to_ns});
    queued_ns.erase(queued);
  }
  for (const auto& [waits, since_ns] : queued_ns)
    found[waits.first].Add(waits.second.client, {since_ns, kForeverNs});
  for (auto& [key, of_key] : found) of_key.Join();
  return found;
}

}  // namespace doublehold
