// What goes first of several things that are due, and which of these orders come to the same.
#include <algorithm>

#include "lib/base/check.h"
#include "lib/sim/world_parts.h"

namespace doublehold::sim {

// The next thing, or, when the choices want that and another is due within the window, the one
// after it.
World::Due World::TakeNext(const Due& due) {
  Due first = Take(due);
  if (first.what == Due::What::kHeal) return first;
  while (true) {
    // A fault that ends in between only says so, at its time: it is nothing that the first could
    // wait for.
    std::vector<Due>& heals = memory_->heals_between;
    heals.clear();
    const Due* next = Next();
    for (; next != nullptr && next->what == Due::What::kHeal; next = Next())
      heals.push_back(Take(*next));
    const bool waits = next != nullptr && next->at - first.at <= terms_.window &&
                       Choose(ChoiceKind::kOrder, 2) == 1;
    if (!waits) {
      for (const Due& heal : heals) Insert(heal);
      return first;
    }
    const Due second = Take(*next);
    for (const Due& heal : heals) {
      now_ = std::max(now_, heal.at);
      HappenBesideSleepers(heal);
    }
    LetWait(first, second, /*is_tie=*/first.at == second.at && heals.empty());
    first = second;
  }
}

// One that sleeps already sleeps on. One that is due later would happen at another time.
void World::LetWait(Due first, const Due& second, bool is_tie) {
  const auto asleep = std::ranges::find(asleep_, first.number, &Sleeper::number);
  first.at = std::max(first.at, second.at);
  Plan(first);
  if (asleep != asleep_.end()) {
    asleep->number = planned_;
  } else if (is_tie) {
    asleep_.push_back({.number = planned_, .at = first.at, .place = PlaceOf(first)});
  }
}

// What is sent to two nodes comes to the same in either order; so does what a node is sent and what
// a client hears or does, and what a client hears and another does. Each has one effect, so that
// what the other order brings about, the order of these two effects does, which is a choice as
// well. Two clients' steps are not among these: their time-outs end in the order in which they
// began. (By sleep sets: Godefroid, Partial-Order Methods for the Verification of Concurrent
// Systems, 1996.)
void World::HappenBesideSleepers(const Due& due) {
  const Place place = PlaceOf(due);
  const bool was_asleep = std::ranges::find(asleep_, due.number, &Sleeper::number) != asleep_.end();
  const uint64_t effects = effects_;
  Happen(due);
  const bool is_simple = effects_ - effects <= 1;
  // What could have struck it did so behind those that it waited for, which may depend on that.
  if (was_asleep && is_simple && !again_from_) again_from_ = asked_;
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
      return {};
  }
  CHECK(false);
}

}  // namespace doublehold::sim
