// Orders simultaneous events, and detects orders that lead to the same history (sleep sets).
#include <algorithm>

#include "lib/base/check.h"
#include "lib/sim/world_parts.h"

namespace doublehold::sim {

// Returns the event to happen next, which is `due` or a later one. A choice may defer an event
// behind the next event within the window. The next event may be deferred in the same way.
World::Due World::TakeNext(const Due& due) {
  Due first = Take(due);
  if (first.what == Due::What::kHeal || first.what == Due::What::kExpire) return first;
  const auto is_only_recorded = [this](const Due& planned) {
    return planned.what == Due::What::kHeal &&
           memory_->begun_faults[planned.which] != FaultForm::kSplitBrain;
  };
  while (true) {
    // The end of most faults is only recorded, at its own time. No event is deferred behind it.
    std::vector<Due>& heals = memory_->heals_between;
    heals.clear();
    const Due* next = Next();
    for (; next != nullptr && is_only_recorded(*next); next = Next()) heals.push_back(Take(*next));
    // Nor behind the end of a session, a lease or a split brain.
    const bool waits = next != nullptr && next->what != Due::What::kExpire &&
                       next->what != Due::What::kHeal && next->at - first.at <= terms_.window &&
                       Choose(ChoiceKind::kOrder, 2) == 1;
    if (!waits) {
      for (const Due& heal : heals) Insert(heal);
      return first;
    }
    const Due second = Take(*next);
    for (const Due& heal : heals) {
      now_ = std::max(now_, heal.at);
      ExecuteUpdatingSleepSets(heal);
    }
    Defer(first, second, /*is_tie=*/first.at == second.at && heals.empty());
    first = second;
  }
}

// Plans `first` again behind `second`. If `first` is in the sleep set, it stays there. Otherwise
// adds a sleep-set entry if the two events are simultaneous. An event that is deferred to a later
// instant needs no entry, because it happens at another time.
void World::Defer(Due first, const Due& second, bool is_tie) {
  const auto asleep = std::ranges::find(asleep_, first.number, &Sleeper::number);
  first.at = std::max(first.at, second.at);
  Plan(first);
  if (asleep != asleep_.end()) {
    asleep->number = planned_;
  } else if (is_tie) {
    asleep_.push_back({.number = planned_, .at = first.at, .place = PlaceOf(first)});
  }
}

// Removes the sleep-set entries that depend on `due`. These pairs of events are independent:
// - requests to two nodes;
// - a request to a node, and a reply to a client or a step of a client;
// - a reply to one client, and a reply to another client or a step of another client.
//
// Each event of such a pair plans at most one further event. The order of these further events is a
// choice of its own, so nothing that the other order leads to is lost. The steps of two clients
// depend on each other: their timeouts fire in the order in which they were set. (Sleep sets:
// Godefroid, Partial-Order Methods for the Verification of Concurrent Systems, 1996.)
void World::ExecuteUpdatingSleepSets(const Due& due) {
  const Place place = PlaceOf(due);
  const bool was_asleep = std::ranges::find(asleep_, due.number, &Sleeper::number) != asleep_.end();
  const uint64_t effects = effects_;
  Happen(due);
  const bool is_simple = effects_ - effects <= 1;
  // Choices that were asked while `due` happened are not redundant. A fault at such a choice begins
  // after the events behind which `due` was deferred, and may depend on these events.
  if (was_asleep && is_simple && !redundant_from_) redundant_from_ = asked_;
  const auto depends = [&](const Sleeper& sleeper) {
    if (!is_simple || sleeper.number == due.number || sleeper.at != due.at) return true;
    const Place& other = sleeper.place;
    if (place.kind == Place::Kind::kAnywhere || other.kind == Place::Kind::kAnywhere) return true;
    if (place.kind != other.kind) return false;
    return place.number == other.number || (place.runs && other.runs);
  };
  std::erase_if(asleep_, depends);
}

World::Place World::PlaceOf(const Due& due) const {
  switch (due.what) {
    case Due::What::kRequest:
      return {.kind = Place::Kind::kNode, .number = memory_->network.NodeOf(due.which)};
    case Due::What::kReply:
      return {.kind = Place::Kind::kProcess, .number = memory_->network.ProcessOf(due.which)};
    case Due::What::kWake:
      return {.kind = Place::Kind::kProcess,
              .number = memory_->tasks[due.which]->process->number,
              .runs = true};
    case Due::What::kNews:
    case Due::What::kHeal:
    case Due::What::kExpire:
      return {};
  }
  CHECK(false);
}

}  // namespace doublehold::sim
