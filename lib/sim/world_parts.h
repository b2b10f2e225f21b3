// What a simulated world is made of, inside.
#ifndef DOUBLEHOLD_LIB_SIM_WORLD_PARTS_H_
#define DOUBLEHOLD_LIB_SIM_WORLD_PARTS_H_

#include <memory>
#include <optional>

#include "lib/sim/fiber.h"
#include "lib/sim/sim_env.h"
#include "lib/sim/world.h"

namespace doublehold::sim {

constexpr MonoTime kStart{std::chrono::hours(1)};
constexpr WallTime kWallAtStart{std::chrono::hours(24 * 365 * 55)};

struct World::Process {
  int number = 0;
  bool gone = false;  // killed: its tasks are to end, and nothing that they do has an effect
  MonoTime still_until{};
  Duration clock_ahead{};
};

struct World::Task {
  Task(Process& of, uint32_t index, TaskKind what, int which)
      : process(of), number(index), kind(what), thread(which) {}

  Process& process;
  uint32_t number;
  TaskKind kind;
  int thread;
  bool begun = false;
  bool stop = false;
  bool finished = false;
  uint64_t wait = 0;  // grows each time it goes on
  int sessions = 1;   // of its process, where it is the first
  std::optional<uint32_t> joiner{};
  std::unique_ptr<SimEnv> env{};
  std::optional<Fiber> fiber{};
};

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_WORLD_PARTS_H_
