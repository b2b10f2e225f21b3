#include "checker/aftermath.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "checker/story.h"

namespace doublehold {
namespace {

// Until when something that it does may take effect.
int64_t DoneNs(const Hold& hold) { return std::max(hold.core.to_ns, hold.done_ns); }

// From when on the machine is to blame that its lease is over; kForeverNs: never.
int64_t EndedByMachineAt(const Scene& scene, const Hold& hold) {
  int64_t end_ns = hold.live.empty() ? hold.valid_until_ns : hold.live.front().to_ns;
  for (size_t i = hold.live.empty() ? 0 : 1; i <= hold.live.size(); ++i) {
    const bool again = i < hold.live.size();
    const int64_t until_ns = again ? hold.live[i].from_ns : hold.core.to_ns;
    int64_t late_ns = until_ns;
    if (!again && end_ns == hold.core.to_ns) {  // its release was invoked in time
      end_ns = hold.valid_until_ns;
      late_ns = DoneNs(hold);
    }
    if (end_ns < late_ns && MachineIsToBlame(scene, hold, end_ns, late_ns))
      return std::max(end_ns, hold.core.from_ns);
    if (again) end_ns = hold.live[i].to_ns;
  }
  return kForeverNs;
}

struct Doubt {
  Hold* hold;
  int64_t proved_ns = 0;  // the last that is known to have gone wrong before it
};

// Who extends nothing, and whose release is refused or never comes, does nothing to the key.
int64_t ActsFrom(const Hold& hold) {
  const bool frees = hold.released && !hold.refused;
  const int64_t acts_ns = hold.extended ? hold.core.from_ns : frees ? hold.core.to_ns : kForeverNs;
  return std::max(acts_ns, hold.doubtful_from_ns);
}

// Doubt goes from one to the other where both had the key, which may be from when it was asked for to when its release was
// answered. Where they need not have, since one release and the next grant were just under way together, it does so for a
// lease only after the last that must have gone wrong: else it would never end on a busy key. Whether anything changed.
bool Infect(const Doubt& from, Doubt& to, int64_t lease_ns) {
  const Hold &a = *from.hold, &b = *to.hold;
  const int64_t since_ns = std::max({ActsFrom(a), a.asked_ns, b.asked_ns});
  if (since_ns > std::min(DoneNs(a), DoneNs(b)) || since_ns >= b.doubtful_from_ns) return false;
  const bool proved = Overlap(a.core, b.core);
  if (!proved && since_ns > from.proved_ns + lease_ns) return false;
  to.hold->doubtful_from_ns = since_ns;
  to.proved_ns = proved ? std::min(a.core.to_ns, b.core.to_ns) : from.proved_ns;
  return true;
}

// `of_key`: in the order of their grants.
void Spread(const std::vector<Hold*>& of_key, int64_t lease_ns) {
  std::vector<Doubt> having;
  for (Hold* hold : of_key) {
    std::erase_if(having, [hold](const Doubt& d) { return DoneNs(*d.hold) < hold->asked_ns; });
    having.push_back({.hold = hold, .proved_ns = DoneNs(*hold)});
    for (bool changed = true; changed;) {
      changed = false;
      for (const Doubt& from : having) {
        if (from.hold->doubtful_from_ns == kForeverNs) continue;
        for (Doubt& to : having) changed = Infect(from, to, lease_ns) || changed;
      }
    }
  }
}

}  // namespace

void MarkAftermath(const Scene& scene, Holds& holds) {
  if (scene.stalls.empty()) return;
  std::map<uint16_t, std::vector<Hold*>> of_key;
  for (Hold& hold : holds.all) {
    hold.doubtful_from_ns = EndedByMachineAt(scene, hold);
    if (hold.doubtful_from_ns < kForeverNs) of_key[hold.key];
  }
  if (of_key.empty()) return;
  for (Hold& hold : holds.all) {
    if (const auto key = of_key.find(hold.key); key != of_key.end()) key->second.push_back(&hold);
  }
  for (const auto& [key, all] : of_key) Spread(all, ToNs(scene.facts.lease));
}

std::string AftermathClause(const Scene& scene, const Hold* first, const Hold* second,
                            int64_t at_ns) {
  const Hold* doubtful = nullptr;
  for (const Hold* hold : {first, second}) {
    if (hold == nullptr || hold->doubtful_from_ns > at_ns) continue;
    if (doubtful == nullptr || hold->doubtful_from_ns < doubtful->doubtful_from_ns) doubtful = hold;
  }
  if (doubtful == nullptr) return {};
  const Stall* last = nullptr;
  for (const Stall& stall : scene.stalls) {
    if (stall.when.from_ns <= doubtful->doubtful_from_ns) last = &stall;
  }
  const std::string which =
      last == nullptr ? ""
                      : fmt::format(" ({}, {})", ProcessName(last->client), During(last->when));
  return fmt::format("what befell the key since {} may come of a stall of the machine{}",
                     At(doubtful->doubtful_from_ns), which);
}

}  // namespace doublehold
