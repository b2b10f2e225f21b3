#include "checker/evidence/stall_propagation.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

#include "checker/evidence/names.h"
#include "checker/evidence/stall_attribution.h"

namespace doublehold {
namespace {

// Until when an operation of the hold may take effect.
int64_t DoneNs(const Hold& hold) { return std::max(hold.core.to_ns, hold.done_ns); }

// When the hold outlived its lease because of the machine alone; {kForeverNs, ..}: never.
Span LapsedByMachine(const Scene& scene, const Hold& hold) {
  int64_t end_ns = hold.live.empty() ? hold.valid_until_ns : hold.live.front().to_ns;
  for (size_t i = hold.live.empty() ? 0 : 1; i <= hold.live.size(); ++i) {
    const bool again = i < hold.live.size();
    const int64_t until_ns = again ? hold.live[i].from_ns : hold.core.to_ns;
    int64_t late_ns = until_ns;
    const bool in_time = !again && end_ns == hold.core.to_ns;  // its release was invoked
    if (in_time) {
      end_ns = hold.valid_until_ns;
      late_ns = DoneNs(hold);
    }
    const auto by_machine = [&] {
      return in_time && hold.unanswered ? MachineMayDelayRelease(scene, hold, end_ns)
                                        : StallExplainsExpiry(scene, hold, end_ns, late_ns);
    };
    if (end_ns < late_ns && by_machine()) {
      // Consequences of that time may show until a lease after the hold is live again.
      return {std::max(end_ns, hold.core.from_ns),
              again ? until_ns + ToNs(scene.facts.lease) : kForeverNs};
    }
    if (again) end_ns = hold.live[i].to_ns;
  }
  return {kForeverNs, kForeverNs};
}

// When the release of an acquire of unknown outcome was late because of the machine alone;
// {kForeverNs, ..}: never. How much of the lease was left is unknown. The machine explains the
// lateness if stalls delayed the release past the lease, or took most of its time. A release that
// checked the owner is harmless.
Span LateByMachine(const Scene& scene, const Hold& cleanup) {
  const int64_t sent_ns = cleanup.core.to_ns;
  const int64_t end_ns = std::max(cleanup.valid_until_ns, sent_ns);
  const int64_t waited_ns = std::min(cleanup.waited_ns, cleanup.done_ns);
  const bool late = cleanup.unanswered
                        ? MachineMayDelayRelease(scene, cleanup, end_ns)
                        : end_ns < cleanup.done_ns &&
                              StallExplainsExpiry(scene, cleanup, end_ns, cleanup.done_ns);
  const bool by_machine = late || StalledForMostOf(scene, cleanup.owner(), {sent_ns, waited_ns});
  return {by_machine && !cleanup.harmless ? sent_ns : kForeverNs, kForeverNs};
}

// When the release was served at the latest: a stalled server serves pending requests when it
// continues.
int64_t ServedNs(const Scene& scene, const Hold& hold) {
  int64_t served_ns = hold.done_ns;
  for (const Stall* stall : scene.StallsWithin({hold.core.to_ns, hold.done_ns})) {
    if (IsOnRequestPath(*stall)) served_ns = std::max(served_ns, stall->when.to_ns);
  }
  return served_ns;
}

struct Doubt {
  Hold* hold;
  int64_t proved_ns = 0;  // when the last violation that led to it was certain
};

bool IsDoubtful(const Hold& hold) {
  return std::min(hold.tainted_from_ns, hold.expired_by_stall.from_ns) < kForeverNs;
}

// From when on a hold may affect other owners. Never, if its release checks the owner, is refused,
// or does not exist.
int64_t ActsFrom(const Hold& hold) {
  if (hold.harmless || !hold.released) return kForeverNs;
  const int64_t acts_ns = hold.extended ? hold.core.from_ns : hold.core.to_ns;
  return std::max(acts_ns, std::min(hold.tainted_from_ns, hold.expired_by_stall.from_ns));
}

// Whether the overlap of two holds proves a violation.
bool Proves(const Hold& a, const Hold& b) {
  if (a.perhaps || b.perhaps) return false;
  return a.owner() != b.owner() && !(a.shared && b.shared) && Overlap(a.core, b.core);
}

// Propagates doubt between two holds whose [acquire invoked, release answered] intersect. Where
// they need not have overlapped, a release may just have been concurrent with the next grant. Then
// doubt spreads only within a lease after the last certain violation, else it would never end on a
// busy key. Of several sources, the earliest time of harm and the latest proof count. Returns
// whether anything changed: one time falls and the other rises, among finitely many times, so this
// ends.
bool Infect(const Doubt& from, Doubt& to, int64_t lease_ns) {
  const Hold &a = *from.hold, &b = *to.hold;
  const int64_t since_ns = std::max({ActsFrom(a), a.asked_ns, b.asked_ns});
  if (since_ns > std::min(DoneNs(a), DoneNs(b))) return false;
  const bool proved = Proves(a, b);
  if (!proved && since_ns > from.proved_ns + lease_ns) return false;
  const int64_t proved_ns = proved ? std::min(a.core.to_ns, b.core.to_ns) : from.proved_ns;
  // Spread again only if the proof is later by a quarter of a lease: many overlapping holds prove
  // each other a little later each.
  if (since_ns >= b.tainted_from_ns && proved_ns <= to.proved_ns + lease_ns / 4) return false;
  to.hold->tainted_from_ns = std::min(b.tainted_from_ns, since_ns);
  to.proved_ns = std::max(to.proved_ns, proved_ns);
  return true;
}

// Propagates doubt transitively: from one hold to all holds that it harms, and from these to
// others.
void SpreadFrom(size_t first, std::vector<Doubt>& having, int64_t lease_ns) {
  std::vector<size_t> changed{first};
  while (!changed.empty()) {
    const size_t from = changed.back();
    changed.pop_back();
    for (size_t to = 0; to < having.size(); ++to) {
      if (to != from && Infect(having[from], having[to], lease_ns)) changed.push_back(to);
    }
  }
}

// `of_key`: the holds of one key in the order of their grants.
void Spread(const std::vector<Hold*>& of_key, int64_t lease_ns) {
  // Element i is the earliest invocation among the holds from i on.
  std::vector<int64_t> asked_ns(of_key.size());
  for (size_t i = of_key.size(); i-- > 0;)
    asked_ns[i] =
        std::min(of_key[i]->asked_ns, i + 1 < of_key.size() ? asked_ns[i + 1] : kForeverNs);
  std::vector<Doubt> having;
  for (size_t i = 0; i < of_key.size(); ++i) {
    Hold* const hold = of_key[i];
    std::erase_if(having, [&](const Doubt& d) { return DoneNs(*d.hold) < asked_ns[i]; });
    having.push_back({.hold = hold, .proved_ns = IsDoubtful(*hold) ? DoneNs(*hold) : 0});
    Doubt& latest = having.back();
    for (const Doubt& doubt : having) {
      if (doubt.hold != hold && IsDoubtful(*doubt.hold)) Infect(doubt, latest, lease_ns);
    }
    if (IsDoubtful(*hold)) SpreadFrom(having.size() - 1, having, lease_ns);
  }
}

// The last ended among the stalls that had begun by `at_ns`; null: none.
const Stall* LastBegunBy(const Scene& scene, int64_t at_ns) {
  const std::vector<const Stall*> under_way = scene.StallsWithin({at_ns, at_ns + 1});
  if (!under_way.empty()) return under_way.back();
  const auto next = std::ranges::upper_bound(scene.stalls, at_ns, {},
                                             [](const Stall& stall) { return stall.when.to_ns; });
  return next == scene.stalls.begin() ? nullptr : &*std::prev(next);
}

}  // namespace

void MarkAftermath(const Scene& scene, Holds& holds) {
  if (scene.stalls.empty()) return;
  std::map<uint16_t, std::vector<Hold*>> of_key;
  for (Hold& hold : holds.all) {
    if (hold.unanswered) hold.done_ns = ServedNs(scene, hold);
    hold.expired_by_stall = LapsedByMachine(scene, hold);
    if (IsDoubtful(hold)) of_key[hold.key];
  }
  for (Hold& cleanup : holds.releases_of_unknown_acquires) {
    if (cleanup.unanswered) cleanup.done_ns = ServedNs(scene, cleanup);
    cleanup.expired_by_stall = LateByMachine(scene, cleanup);
    if (IsDoubtful(cleanup)) of_key[cleanup.key];
  }
  if (of_key.empty()) return;
  for (auto* some : {&holds.all, &holds.releases_of_unknown_acquires}) {
    for (Hold& hold : *some) {
      if (const auto key = of_key.find(hold.key); key != of_key.end()) key->second.push_back(&hold);
    }
  }
  for (auto& [key, all] : of_key) {
    std::ranges::stable_sort(all, {}, [](const Hold* hold) { return hold->core.from_ns; });
    Spread(all, ToNs(scene.facts.lease));
  }
}

std::string AftermathClause(const Scene& scene, const Hold* first, const Hold* second,
                            int64_t at_ns) {
  int64_t since_ns = kForeverNs;
  for (const Hold* hold : {first, second}) {
    if (hold != nullptr && hold->DoubtfulAt(at_ns))
      since_ns = std::min({since_ns, hold->tainted_from_ns, hold->expired_by_stall.from_ns});
  }
  if (since_ns == kForeverNs) return {};
  const Stall* last = LastBegunBy(scene, since_ns);
  const std::string which =
      last == nullptr ? ""
                      : fmt::format(" ({}, {})", ProcessName(last->client), During(last->when));
  return fmt::format("what befell the key since {} may come of a stall of the machine{}",
                     At(since_ns), which);
}

}  // namespace doublehold
