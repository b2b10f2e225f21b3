#include "checker/measures/waiting_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "checker/evidence/names.h"

namespace doublehold {
namespace {

using SessionTimes = std::map<SessionId, int64_t>;  // when each session invoked its pending call

struct Releases {
  int64_t all = 0;
  int64_t during_acquires = 0;  // an acquire of another session was pending throughout
};

Releases CountReleases(const History& history) {
  Releases releases;
  std::map<uint16_t, SessionTimes> acquires, released;  // by key
  for (const Event& event : history.events) {
    if (event.client <= kReferee || event.task != TaskKind::kSession) continue;
    if (event.op != Op::kAcquire && event.op != Op::kRelease) continue;
    const SessionId session = SessionOf(event);
    SessionTimes& pending = (event.op == Op::kAcquire ? acquires : released)[event.key];
    if (event.type == EventType::kInvoke) {
      pending[session] = event.at_ns;
      continue;
    }
    const auto invoked = pending.extract(session);
    if (event.op == Op::kAcquire || invoked.empty()) continue;
    ++releases.all;
    releases.during_acquires += std::ranges::any_of(acquires[event.key], [&](const auto& acquire) {
      return acquire.first != session && acquire.second < invoked.mapped();
    });
  }
  return releases;
}

}  // namespace

std::vector<std::string> WaitingCallWarnings(const Evidence& evidence) {
  const RunFacts& facts = evidence.facts();
  const auto judges = [&](std::string_view claim) {
    return std::ranges::find(facts.claims, claim) != facts.claims.end();
  };
  if (!facts.library || (!judges("reentry") && !judges("release-result"))) return {};
  const Releases releases = CountReleases(evidence.history());
  if (2 * releases.during_acquires <= releases.all) return {};
  return {fmt::format(
      "acquires of other clients waited inside the library during {} of {}; they hide false "
      "answers of releases, and nested exits that free the lock; --set lock.call-timeout={} shows "
      "more",
      releases.during_acquires, Counted(releases.all, "release"),
      FormatDuration(facts.lease / 10))};
}

}  // namespace doublehold
