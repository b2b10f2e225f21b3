// A simulated world: processes whose tasks are fibers, nodes that are modelled Redis servers,
// messages between them, and virtual time. What happens is decided by a ChoiceSource alone: the
// same answers, the same execution.
//
// Things happen one after the other, in the order in which they are due; of equals, in the order in
// which they came about. A message takes `latency`; computing takes no time. Faults strike at
// points (fault_sites.h), while clients are at work.
//
// Thread rule: one thread. A World is one execution; it refers to the terms, the choices and the
// bench, which outlive it.
#ifndef DOUBLEHOLD_LIB_SIM_WORLD_H_
#define DOUBLEHOLD_LIB_SIM_WORLD_H_

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lib/base/env.h"
#include "lib/base/fault_forms.h"
#include "lib/history/history.h"
#include "lib/sim/choices/choice.h"
#include "lib/sim/fault_sites.h"
#include "lib/sim/fiber.h"
#include "lib/sim/network.h"
#include "lib/sim/redis/script_engine.h"

namespace doublehold::sim {

struct WorldMemory;

// What is used again and again by one execution after the other. Outlives them.
struct Workbench {
  Workbench();
  ~Workbench();
  StackPool stacks;
  ScriptEngine scripts;
  std::unique_ptr<WorldMemory> left;  // by the last world that has ended, for the next
};

struct WorldTerms {
  int clients = 1;
  int nodes = 1;  // 1.. keep locks; 0 is the store
  uint64_t seed = 1;
  Duration latency = 50us;   // of a message
  Duration apart{};          // by which each client begins after the one before it
  Duration lasts{};          // how long a pause is, or a message is held; and how far a clock jumps
  int replicas = 0;          // of each node
  Duration lag{};            // by which they are behind
  Duration restart_delay{};  // for which a node that restarts is kept out
  bool records_traffic = false;  // of all clients: else of those that are idle
  Duration window{};             // things due within it of each other may change places; 0: none do
  std::vector<FaultForm> faults{};
  int64_t most_steps = 100'000;               // an execution that takes more is cut off
  std::vector<FaultPlace>* places = nullptr;  // where to note them, if anywhere; outlives the world
};

class World {
 public:
  World(const WorldTerms& terms, ChoiceSource& choices, Workbench& bench);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // A task of a process: 0 the referee, 1.. a client. It begins when it is due.
  void Start(int process, TaskKind kind, int thread, std::function<void(Env&)> body);
  // Until nothing is left to happen. With faults: clients are at work, and the choices are asked.
  void Run(bool with_faults);

  [[nodiscard]] const std::vector<Event>& events() const;
  [[nodiscard]] const std::vector<FaultFact>& faults() const;
  // Which they were, in that order.
  [[nodiscard]] const std::vector<FaultForm>& struck() const;
  [[nodiscard]] bool cut_off() const { return cut_off_; }
  // The number of the choice from which on this is another execution, with fewer things that
  // waited, but for the order of two that do not depend on each other; nothing: it is none.
  [[nodiscard]] std::optional<uint32_t> again_from() const { return again_from_; }
  [[nodiscard]] MonoTime now() const { return now_; }

 private:
  friend class SimEnv;
  friend class Network;
  friend struct WorldMemory;
  struct Process;
  struct Task;

  // Something that is to happen.
  struct Due {
    MonoTime at;
    uint64_t number = 0;  // of equals the lower first
    enum class What : uint8_t { kWake, kRequest, kReply, kNews, kHeal } what = What::kWake;
    uint32_t which = 0;  // a task, a message, a listener, a fault
    uint64_t wait = 0;   // of a task: the wait that it ends; of news: the connection
  };
  static bool IsBefore(const Due& a, const Due& b) {
    return a.at != b.at ? a.at < b.at : a.number < b.number;
  }

  // Where something that is due has its effect; of a healing fault nobody knows.
  struct Place {
    enum class Kind : uint8_t { kAnywhere, kNode, kProcess } kind = Kind::kAnywhere;
    int number = 0;
    bool runs = false;  // what the process does next; else it hears of something
  };
  // What waited for something else that was due at the same instant. As long as all that happens
  // does not depend on it, its turn would have come to the same.
  struct Sleeper {
    uint64_t number = 0;  // of what is due
    MonoTime at{};
    Place place{};
  };

  Task& AddTask(Process& process, TaskKind kind, int thread, std::function<void(Env&)> body,
                Duration later = {});
  void Plan(Due due);
  void Insert(const Due& due);
  // The next thing, null when there is none; what nobody waits for any more is dropped.
  const Due* Next();
  Due Take(const Due& next);
  Due TakeNext(const Due& next);
  uint32_t Choose(ChoiceKind kind, uint32_t count) {
    ++asked_;
    return choices_.Choose(kind, count);
  }
  void NoteManyEffects() { effects_ += 2; }
  void LetWait(Due first, const Due& second, bool is_tie);
  void HappenBesideSleepers(const Due& due);
  [[nodiscard]] Place PlaceOf(const Due& due) const;
  void Happen(const Due& due);
  void GoOn(const Due& due);
  void RunTask(Task& task);
  // Of a task that runs: goes on at once, unless its process is struck here.
  void PassPoint(Task& task);
  void Kill(Process& process);
  Network& network();

  // Of a task that runs: lets others go on until it is woken, or until then. At once when its
  // process is gone.
  void Block(Task& task, MonoTime until);
  void Wake(uint32_t task);
  void Join(Task& joining, Task& child);
  void Record(const Task& task, const Event& event);
  // Of a message to a node with locks: recorded when its sender is idle, or always.
  void NoteTraffic(int process, int node);

  // The fault that strikes at a point, if any.
  std::optional<FaultForm> Strike(Point point) {
    const uint32_t count = alternatives_[static_cast<size_t>(point)];
    if (count == 0) return std::nullopt;
    const uint32_t choice = Choose(ChoiceKind::kFault, count);
    if (choice == 0) return std::nullopt;
    return FaultOf(point, choice);
  }
  [[nodiscard]] FaultForm FaultOf(Point point, uint32_t choice) const;
  // Before Strike: notes the place, where that is wanted and a choice will be asked.
  [[nodiscard]] bool NotesPlaces(Point point) const {
    return terms_.places != nullptr && alternatives_[static_cast<size_t>(point)] != 0;
  }
  void NotePlace(FaultPlace place);
  void NoteGoingOn(Task& task, Point point);
  void NoteStep(Task& task, Step step);
  // Notes a fault that began now, and when it ends: MonoTime::max() when nothing heals it, as of a
  // clock that has jumped.
  // `command`: of the message that it befell.
  void Note(FaultForm fault, int client, int node, MonoTime until, std::string_view command = {});
  void Heal(uint32_t fault);

  const WorldTerms& terms_;
  ChoiceSource& choices_;
  Workbench& bench_;
  MonoTime now_;
  uint64_t planned_ = 0;
  std::unique_ptr<WorldMemory> memory_;
  std::vector<Sleeper> asleep_{};
  uint32_t asked_ = 0;    // choices
  uint64_t effects_ = 0;  // on what else is due, or will be; a fault is many
  std::optional<uint32_t> again_from_{};
  std::array<uint32_t, kPoints> alternatives_{};  // at each point; 0: nothing is asked
  bool cut_off_ = false;
  int64_t steps_ = 0;
};

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_WORLD_H_
