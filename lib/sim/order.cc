// Orders events that are due within the same window.
#include <algorithm>

#include "lib/sim/world_parts.h"

namespace doublehold::sim {

// Returns the event to happen next, which is `due` or a later one. A choice may defer an event
// behind the next event within the window. The next event may be deferred in the same way.
World::Due World::TakeNext(const Due& due) {
  Due first = Take(due);
  if (first.what == Due::What::kHeal || first.what == Due::What::kExpire) return first;
  const auto is_only_recorded = [this](const Due& planned) {
    if (planned.what != Due::What::kHeal) return false;
    const FaultForm fault = memory_->begun_faults[planned.which];
    return fault != FaultForm::kSplitBrain && !EntryOf(fault).runs_kind;
  };
  while (true) {
    // The end of most faults is only recorded, at its own time. No event is deferred behind it.
    std::vector<Due>& heals = memory_->heals_between;
    heals.clear();
    const Due* next = Next();
    for (; next != nullptr && is_only_recorded(*next); next = Next()) heals.push_back(Take(*next));
    // Nor behind the end of a session, a lease, or a fault whose end changes the world.
    const bool may_wait = next != nullptr && next->what != Due::What::kExpire &&
                          next->what != Due::What::kHeal && next->at - first.at <= terms_.window;
    if (!may_wait || Choose(ChoiceKind::kOrder, 2) == 0) {
      for (const Due& heal : heals) Insert(heal);
      return first;
    }
    const Due second = Take(*next);
    for (const Due& heal : heals) {
      now_ = std::max(now_, heal.at);
      Happen(heal);
    }
    first.at = std::max(first.at, second.at);
    Plan(first);
    first = second;
  }
}

}  // namespace doublehold::sim
