// Digests of a world's state. Two worlds with equal states go on in the same way, and the checkers
// judge them alike. Whatever decides what happens later must be a part of the state:
// - the data, clocks and connections of the nodes;
// - the messages, timers and ends of faults that are due;
// - of each process, all that its tasks have seen: they are functions of that;
// - what the checkers see of the past.
//
// Two states that differ may go on alike all the same. Times that are over do not count.
#include <algorithm>
#include <vector>

#include "lib/sim/state/state_digest.h"
#include "lib/sim/world_parts.h"

namespace doublehold::sim {

StateDigest& World::SeenBy(int process) {
  return memory_->processes[static_cast<size_t>(process)].seen;
}

StateDigest World::DigestState(Point point, uint32_t which) {
  StateDigest digest;
  digest.Mix(static_cast<int>(point));
  digest.Mix(now_);
  if (point == Point::kReply || point == Point::kNews) digest.Mix(moment_);
  if (point == Point::kReply) {
    memory_->network.MixReply(which, digest);
  } else if (point == Point::kRequest || point == Point::kExecute) {
    memory_->network.MixRequest(which, digest);
  } else {
    digest.Mix(which);
  }
  MixPast();
  digest.Mix(memory_->past);
  MixTasks(digest);
  MixPlanned(digest);
  memory_->network.MixState(digest);
  return digest;
}

uint32_t World::CountIdle(Point point) const {
  const std::vector<FaultForm>& faults = memory_->faults_at[static_cast<size_t>(point)];
  const auto changes = [&](FaultForm fault) {
    return terms_.clients_read_clocks || !CanBeginBeforeClient(fault) ||
           terms_.remembered.test(static_cast<size_t>(fault));
  };
  const auto last = std::ranges::find_if(faults.rbegin(), faults.rend(), changes);
  return static_cast<uint32_t>(last - faults.rbegin());
}

void World::MixPast() {
  for (; memory_->past_events < memory_->events.size(); ++memory_->past_events) {
    Event event = memory_->events[memory_->past_events];
    if (event.op == Op::kFault) {
      const FaultForm fault = memory_->begun_faults[static_cast<size_t>(event.value[0])];
      if (!terms_.remembered.test(static_cast<size_t>(fault))) continue;
      event.value[0] = static_cast<int64_t>(fault);
    }
    memory_->past.MixObject(event);
  }
}

void World::MixTasks(StateDigest& digest) const {
  digest.Mix(memory_->task_count);
  std::vector<bool> works(memory_->processes.size());
  for (size_t i = 0; i < memory_->task_count; ++i) {
    const Task& task = *memory_->tasks[i];
    digest.Mix(task.process->number);
    digest.Mix(static_cast<int>(task.kind));
    digest.Mix(task.thread);
    digest.Mix((task.begun ? 1 : 0) + (task.stop ? 2 : 0) + (task.finished ? 4 : 0));
    digest.Mix(task.begun_fault ? 1 + static_cast<int>(*task.begun_fault) : 0);
    if (!task.finished) works[static_cast<size_t>(task.process->number)] = true;
  }
  for (const Process& process : memory_->processes) {
    digest.Mix((process.begun ? 1 : 0) + (process.gone ? 2 : 0) + process.idle * 4);
    if (!works[static_cast<size_t>(process.number)]) continue;
    digest.Mix(process.seen);
    digest.Mix(std::max(process.still_until, now_));
    if (terms_.clients_read_clocks) process.clock.MixState(digest);
  }
}

// Their order is a part of the state, their numbers are not.
void World::MixPlanned(StateDigest& digest) const {
  std::vector<const Due*> planned;
  for (const Due& due : memory_->due) planned.push_back(&due);
  for (const Due& timer : memory_->timers) planned.push_back(&timer);
  std::ranges::sort(planned, [](const Due* a, const Due* b) { return IsBefore(*a, *b); });
  for (const Due* due : planned) {
    const Task* task = due->what == Due::What::kWake ? memory_->tasks[due->which].get() : nullptr;
    if (task == nullptr || (!task->finished && task->wait == due->wait)) MixDue(*due, digest);
  }
}

void World::MixDue(const Due& due, StateDigest& digest) const {
  digest.Mix(due.at);
  digest.Mix(static_cast<int>(due.what));
  switch (due.what) {
    case Due::What::kRequest:
      return memory_->network.MixRequest(due.which, digest);
    case Due::What::kReply:
      return memory_->network.MixReply(due.which, digest);
    case Due::What::kHeal:
      digest.Mix(static_cast<int>(memory_->begun_faults[due.which]));
      digest.Mix(memory_->heals[due.which].value[2]);
      return digest.Mix(memory_->heals[due.which].value[3]);
    case Due::What::kNews:
      digest.Mix(due.which);
      return digest.Mix(due.wait);
    case Due::What::kWake:
    case Due::What::kExpire:
      return digest.Mix(due.which);
  }
}

}  // namespace doublehold::sim
