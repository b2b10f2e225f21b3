// The parts of a simulated world.
#ifndef DOUBLEHOLD_LIB_SIM_WORLD_PARTS_H_
#define DOUBLEHOLD_LIB_SIM_WORLD_PARTS_H_

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "lib/sim/fault_text.h"
#include "lib/sim/fiber.h"
#include "lib/sim/network.h"
#include "lib/sim/sim_env.h"
#include "lib/sim/skewed_clock.h"
#include "lib/sim/world.h"

namespace doublehold::sim {

constexpr MonoTime kStart{std::chrono::hours(1)};
constexpr WallTime kWallAtStart{std::chrono::hours(24 * 365 * 55)};

struct World::Process {
  int number = 0;
  bool begun = false;
  bool gone = false;  // whether it was killed; its tasks must end without effect
  int idle = 0;       // sessions that have finished their work and stay idle
  MonoTime still_until{};
  SkewedClock clock{};
  std::array<int, kStepNames.size()> announced{};  // how often each step was announced
  StateDigest seen{};                              // all that its tasks have seen
};

// A later world reuses this object for one of its tasks.
struct World::Task {
  Process* process = nullptr;
  uint32_t number = 0;
  TaskKind kind = TaskKind::kSession;
  int thread = 0;
  bool begun = false;
  bool stop = false;
  bool finished = false;
  uint64_t wait = 0;  // number of the task's current wait
  int sessions = 1;   // number of the process's sessions; only in its first task
  std::optional<uint32_t> joiner{};
  // The fault that PassPoint chose. It begins when the task continues.
  std::optional<FaultForm> begun_fault{};
  std::optional<Announced> step{};  // the last step announced since the task continued
  // Index in WorldTerms::places of the place that was noted when the task continued. Empty after
  // the task has announced a step or blocked.
  std::optional<size_t> noted{};
  std::optional<MonoTime> stopped_at{};  // when a fault stopped the task at a step
  StateDigest seen_then{};               // what the process had seen then
  bool looked = false;                   // whether the task has read a clock since it continued
  std::function<void(Env&)> body{};
  std::optional<SimEnv> env{};
  std::optional<Fiber> fiber{};
};

// The growing containers of a world.
struct WorldMemory {
  explicit WorldMemory(ScriptEngine& scripts) : network(scripts) {}

  // Resets everything but keeps the allocated memory.
  void Begin(World& world, const WorldTerms& terms);
  // Call when no task of the world is left.
  void End();
  World::Task& AddTask();

  // Timers that wake tasks: at most one for each waiting task.
  void AddTimer(const World::Due& timer);
  void DropTimer(uint32_t task);
  void ClearTimers();
  const World::Due* FirstTimer() const { return timers.empty() ? nullptr : &timers[first_timer]; }

  std::vector<World::Due> due;  // ordered; the next event is at the back
  std::vector<World::Due> timers;
  // Heals that are due between two events whose order is being chosen.
  std::vector<World::Due> heals_between;
  size_t first_timer = 0;  // index of the timer that fires first
  std::vector<World::Process> processes;
  std::vector<std::unique_ptr<World::Task>> tasks;
  size_t task_count = 0;  // tasks of the current world, at the front of `tasks`
  Network network;
  std::array<std::vector<FaultForm>, kPoints> faults_at;  // by point
  std::vector<Event> events;
  StateDigest past;        // of the events that the checkers see in a state
  size_t past_events = 0;  // number of events in `past`
  std::vector<FaultFact> faults;
  std::vector<FaultForm> begun_faults;
  std::vector<Event> heals;  // by fault: the event to record when the fault ends
  FaultTexts texts;
};

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_WORLD_PARTS_H_
