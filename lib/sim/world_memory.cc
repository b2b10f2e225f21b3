#include "lib/base/check.h"
#include "lib/sim/twins.h"
#include "lib/sim/world_parts.h"

namespace doublehold::sim {

Workbench::Workbench() { UseTwins(scripts); }
Workbench::~Workbench() = default;

void WorldMemory::Begin(World& world, const WorldTerms& terms) {
  due.clear();
  timers.clear();
  processes.clear();
  for (int number = 0; number <= terms.clients; ++number) processes.push_back({.number = number});
  CHECK(task_count == 0);
  network.Begin(world, terms.nodes);
  for (std::vector<SimFault>& faults_of : faults_at) faults_of.clear();
  for (const SimFault fault : terms.faults)
    faults_at[static_cast<size_t>(EntryOf(fault).at)].push_back(fault);
  events.clear();
  faults.clear();
  struck.clear();
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
  return task;
}

}  // namespace doublehold::sim
