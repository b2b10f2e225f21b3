#include "checker/evidence/renewals.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "checker/evidence/calls.h"
#include "checker/evidence/disturbances.h"
#include "checker/evidence/evidence.h"

namespace doublehold {
namespace {

// A call that may set a lease again.
struct Renewal {
  uint16_t key = 0;
  SessionId session;
  int64_t from_ns = 0;
  int64_t done_ns = kForeverNs;  // when it has set the lease at the latest
  bool of_reader = false;        // it may set the lease of another reader too
  uint64_t extended = 0;         // the hold that it extends; 0: it is no extension
};

std::vector<Renewal> ListRenewals(const Evidence& evidence) {
  std::vector<Renewal> all;
  for (const Call& call : evidence.calls().all) {
    if (call.op != Op::kAcquire && call.op != Op::kRelease) continue;
    const bool sets_lease = call.op == Op::kAcquire && call.outcome != EventType::kFail;
    const bool is_writer = call.Ok() && call.answer[2] == 0;
    all.push_back({call.key, call.session, call.from_ns, call.DoneNs(), sets_lease && !is_writer});
  }
  std::unordered_map<uint64_t, size_t> last;  // by hold: its last extension
  for (const Event& event : evidence.history().events) {
    if (event.op != Op::kExtend) continue;
    if (event.type == EventType::kInvoke || !last.contains(event.hold)) {
      last[event.hold] = all.size();
      all.push_back({event.key, SessionOf(event), event.at_ns, kForeverNs, true, event.hold});
    }
    Renewal& renewal = all[last.at(event.hold)];
    const bool answered = event.type == EventType::kOk || event.type == EventType::kFail;
    if (answered) renewal.done_ns = event.at_ns;
    if (event.type == EventType::kFail) renewal.of_reader = false;
  }
  std::ranges::stable_sort(all, {}, &Renewal::from_ns);
  return all;
}

}  // namespace

void Renewals::Peak::Add(int64_t at_ns, int64_t value) {
  if (steps_.empty() || steps_.back().second < value) steps_.emplace_back(at_ns, value);
}

int64_t Renewals::Peak::Until(int64_t at_ns) const {
  const auto after =
      std::ranges::upper_bound(steps_, at_ns, {}, &std::pair<int64_t, int64_t>::first);
  return after == steps_.begin() ? 0 : std::prev(after)->second;
}

Renewals::Renewals(const Evidence& evidence) : least_ns_(ToNs(evidence.facts().lease)) {
  struct Asked {
    int64_t at_ns = 0;
    int64_t lease_ns = 0;
  };
  std::map<std::tuple<Op, uint16_t, SessionId>, Asked> asked;
  std::set<uint16_t> read;  // keys that were granted to readers
  for (const Event& event : evidence.history().events) {
    if (event.op != Op::kAcquire && event.op != Op::kExtend) continue;
    const auto add = [&](int64_t lease_ns) {
      leases_ns_[{event.key, SessionOf(event)}].Add(event.at_ns, lease_ns);
      leases_of_readers_ns_[event.key].Add(event.at_ns, lease_ns);
    };
    const bool granted = event.type == EventType::kOk;
    Asked& last = asked[{event.op, event.key, SessionOf(event)}];
    if (event.type == EventType::kInvoke) {
      last = {event.at_ns, event.value[0]};
      add(event.value[0]);
    }
    // The lease may count from any time of the call, so only its rest at the answer shows that it
    // is longer than the client asked for. A grant without an end belongs to its client's session.
    if (granted && event.value[0] < kForeverNs && event.value[0] - event.at_ns > last.lease_ns)
      add(event.value[0] - last.at_ns);
    if (granted && event.op == Op::kAcquire && event.value[2] != 0) read.insert(event.key);
  }
  std::erase_if(leases_of_readers_ns_, [&](const auto& of) { return !read.contains(of.first); });
  for (const Renewal& renewal : ListRenewals(evidence)) {
    of_session_[{renewal.key, renewal.session}].Add(renewal.from_ns, renewal.done_ns);
    if (renewal.of_reader && read.contains(renewal.key))
      of_readers_[renewal.key].Add(renewal.from_ns, renewal.done_ns);
    if (renewal.extended != 0 && renewal.done_ns == kForeverNs)
      unknown_holds_.insert(renewal.extended);
  }
}

int64_t Renewals::Until(const PeaksOf& peaks, const std::map<uint16_t, Peak>& of_readers,
                        uint16_t key, const SessionId& session, int64_t at_ns) {
  const auto own = peaks.find({key, session});
  const auto others = of_readers.find(key);
  return std::max(own == peaks.end() ? 0 : own->second.Until(at_ns),
                  others == of_readers.end() ? 0 : others->second.Until(at_ns));
}

int64_t Renewals::LongestLeaseNs(uint16_t key, const SessionId& session, int64_t at_ns) const {
  return std::max(least_ns_, Until(leases_ns_, leases_of_readers_ns_, key, session, at_ns));
}

int64_t Renewals::LastNs(uint16_t key, const SessionId& session, int64_t at_ns) const {
  return Until(of_session_, of_readers_, key, session, at_ns);
}

}  // namespace doublehold
