#include "lib/base/check.h"
#include "lib/sim/redis/native_scripts.h"
#include "lib/sim/world_parts.h"

namespace doublehold::sim {

Workbench::Workbench() { UseNativeScripts(scripts); }
Workbench::~Workbench() = default;

void WorldMemory::Begin(World& world, const WorldTerms& terms) {
  due.clear();
  ClearTimers();
  processes.clear();
  for (int number = 0; number <= terms.clients; ++number) processes.push_back({.number = number});
  CHECK(task_count == 0);
  network.Begin(world, terms.nodes, terms.make_service);
  for (std::vector<FaultForm>& faults_of : faults_at) faults_of.clear();
  for (const FaultForm fault : terms.faults) {
    if (EntryOf(fault).site == FaultSite::kMasters && terms.replicas == 0) continue;
    faults_at[static_cast<size_t>(PointOf(EntryOf(fault).site))].push_back(fault);
    if (CanBeginBeforeClient(fault)) faults_at[static_cast<size_t>(Point::kBegin)].push_back(fault);
  }
  events.clear();
  past = {};
  past_events = 0;
  faults.clear();
  begun_faults.clear();
  heals.clear();
}

void WorldMemory::End() {
  for (size_t i = 0; i < task_count; ++i) {
    World::Task& task = *tasks[i];
    task.fiber.reset();
    task.env.reset();
    task.body = nullptr;
  }
  task_count = 0;
}

World::Task& WorldMemory::AddTask() {
  if (task_count == tasks.size()) tasks.push_back(std::make_unique<World::Task>());
  World::Task& task = *tasks[task_count];
  task.number = static_cast<uint32_t>(task_count++);
  task.begun = task.stop = task.finished = false;
  task.wait = 0;
  task.sessions = 1;
  task.joiner.reset();
  task.step.reset();
  task.noted.reset();
  task.begun_fault.reset();
  task.stopped_at.reset();
  return task;
}

void WorldMemory::AddTimer(const World::Due& timer) {
  timers.push_back(timer);
  if (World::IsBefore(timer, timers[first_timer])) first_timer = timers.size() - 1;
}

void WorldMemory::DropTimer(uint32_t task) {
  for (size_t i = 0; i < timers.size(); ++i) {
    if (timers[i].which != task) continue;
    timers[i] = timers.back();
    timers.pop_back();
    if (first_timer != i) {
      // The timer was the last one and has moved to `timer`'s slot.
      if (first_timer == timers.size()) first_timer = i;
      return;
    }
    first_timer = 0;
    for (size_t other = 1; other < timers.size(); ++other) {
      if (World::IsBefore(timers[other], timers[first_timer])) first_timer = other;
    }
    return;
  }
}

void WorldMemory::ClearTimers() {
  timers.clear();
  first_timer = 0;
}

}  // namespace doublehold::sim
