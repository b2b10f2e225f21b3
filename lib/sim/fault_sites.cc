#include "lib/sim/fault_sites.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "lib/sim/network.h"
#include "lib/sim/world_parts.h"

namespace doublehold::sim {

void World::NotePlace(FaultPlace place) {
  place.at = asked_;
  terms_.places->push_back(std::move(place));
}

void World::NoteContinuation(Task& task, Point point) {
  if (!NotesPlaces(point)) return;
  task.noted = terms_.places->size();
  task.looked = false;
  NotePlace({.point = point, .client = task.process->number});
}

void World::NoteStep(Task& task, Step step) {
  task.step = Announced{.step = step, .nth = ++task.process->announced[static_cast<size_t>(step)]};
  if (!task.noted) return;
  FaultPlace& place = (*terms_.places)[*task.noted];
  place.step = task.step;
  place.looks_first = task.looked;
  task.noted.reset();
}

// Counts messages as on a real server, which begins without scripts. There, the first EVALSHA of a
// script fails. The client then sends an EVAL with the text, which the server executes.
void Network::NotePlace(Point point, uint32_t index) {
  const Link& link = links_[messages_[index].link];
  FaultPlace place{.point = point, .client = link.process, .node = link.node};
  std::vector<const Script*> known;
  std::map<std::string, int> sent;  // The client's commands so far, by name.
  for (uint32_t i = 1; i <= index; ++i) {
    const Message& message = messages_[i];
    const Link& other = links_[message.link];
    if (other.node != link.node || message.is_copy) continue;
    const bool is_new = message.script != nullptr && !message.with_text &&
                        std::ranges::find(known, message.script) == known.end();
    if (is_new) known.push_back(message.script);
    if (other.process != link.process) continue;
    place.step = message.step;
    place.command = message.script == nullptr     ? std::string(message.words.front())
                    : is_new || message.with_text ? "EVAL"
                                                  : "EVALSHA";
    // The EVALSHA that failed before this EVAL counts as well.
    if (is_new) ++sent["EVALSHA"];
    place.nth = ++sent[place.command];
  }
  world_->NotePlace(std::move(place));
}

}  // namespace doublehold::sim
