// What a simulated world is made of, inside.
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
  bool gone = false;  // killed: its tasks are to end, and nothing that they do has an effect
  int idle = 0;       // sessions that are through with their work, and stay
  MonoTime still_until{};
  SkewedClock clock{};
  std::array<int, kStepNames.size()> announced{};  // of each step, how often
};

// Used again by a task of another world.
struct World::Task {
  Process* process = nullptr;
  uint32_t number = 0;
  TaskKind kind = TaskKind::kSession;
  int thread = 0;
  bool begun = false;
  bool stop = false;
  bool finished = false;
  uint64_t wait = 0;  // grows each time it goes on
  int sessions = 1;   // of its process, where it is the first
  std::optional<uint32_t> joiner{};
  std::optional<FaultForm> struck{};  // where it stands, before it goes on
  std::optional<Announced> step{};    // that it announced since it went on
  std::optional<size_t> noted{};      // the place at which it went on, as long as it announced none
  bool looked = false;                // at a clock since then
  std::function<void(Env&)> body{};
  std::optional<SimEnv> env{};
  std::optional<Fiber> fiber{};
};

// What a world consists of that grows.
struct WorldMemory {
  explicit WorldMemory(ScriptEngine& scripts) : network(scripts) {}

  // As new but for what it has allocated.
  void Begin(World& world, const WorldTerms& terms);
  // No task of the world that ends is left.
  void End();
  World::Task& AddTask();

  // When tasks wake by themselves: at most one for each that waits.
  void AddTimer(const World::Due& timer);
  void DropTimer(uint32_t task);
  void ClearTimers();
  const World::Due* FirstTimer() const { return timers.empty() ? nullptr : &timers[first_timer]; }

  std::vector<World::Due> due;  // the next at the back
  std::vector<World::Due> timers;
  std::vector<World::Due> heals_between;  // two things of which one may wait for the other
  size_t first_timer = 0;                 // where the first to end stands
  std::vector<World::Process> processes;
  std::vector<std::unique_ptr<World::Task>> tasks;
  size_t task_count = 0;  // of this world: the first of them
  Network network;
  std::array<std::vector<FaultForm>, kPoints> faults_at;  // by point
  std::vector<Event> events;
  std::vector<FaultFact> faults;
  std::vector<FaultForm> struck;
  std::vector<Event> heals;  // by fault: what is to be recorded when it ends
  FaultTexts texts;
};

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_WORLD_PARTS_H_
