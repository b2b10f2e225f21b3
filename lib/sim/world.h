// A simulated world: processes whose tasks are fibers, nodes that are modelled servers, messages
// between them, and virtual time. Only a ChoiceSource decides what happens, so the same answers
// give the same execution.
//
// Events happen one at a time, in the order of their due times. Events with the same due time
// happen in the order in which they were planned. A message takes `latency`; computing takes no
// time. Faults begin at points (fault_sites.h), and only while clients work.
//
// Thread rule: one thread. A World is one execution. The terms, the choices and the bench must
// outlive it.
#ifndef DOUBLEHOLD_LIB_SIM_WORLD_H_
#define DOUBLEHOLD_LIB_SIM_WORLD_H_

#include <array>
#include <bitset>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/env.h"
#include "lib/base/fault_forms.h"
#include "lib/history/frame.h"
#include "lib/history/history.h"
#include "lib/sim/choices/choice.h"
#include "lib/sim/fault_sites.h"
#include "lib/sim/fiber.h"
#include "lib/sim/network.h"
#include "lib/sim/outside_faults.h"
#include "lib/sim/redis/script_engine.h"
#include "lib/sim/state/state_digest.h"

namespace doublehold::sim {

struct WorldMemory;

// Memory and engines that consecutive executions reuse. Must outlive the worlds.
struct Workbench {
  Workbench();
  ~Workbench();
  StackPool stacks;
  ScriptEngine scripts;
  std::unique_ptr<WorldMemory> left;  // the last world's memory, for the next world
};

// A choice that was asked.
struct AskedChoice {
  ChoiceKind kind = ChoiceKind::kFault;
  size_t events_before = 0;  // number of events recorded before it
  size_t frames_before = 0;  // number of frames before it, if frames are recorded
};

// Once a world has recorded `after_events` events, its tasks draw from the streams of another seed.
struct Redraw {
  size_t after_events = 0;
  uint64_t seed = 0;
};

struct WorldTerms {
  int clients = 1;
  int nodes = 1;                       // nodes 1.. keep locks; node 0 is the store
  MakeService make_service = nullptr;  // makes a lock node; null: lock nodes are Redis servers
  uint64_t seed = 1;
  Duration latency = 50us;   // of one message, one way
  Duration apart{};          // delay between the starts of consecutive clients
  Duration lasts{};          // length of a pause or a held message; size of a clock jump
  int replicas = 0;          // for each node
  Duration lag{};            // replication lag
  Duration restart_delay{};  // how long a restarting node refuses connections
  // Whether the traffic of all clients is recorded. If not, only the traffic of idle clients is
  // recorded.
  bool records_traffic = false;
  // Events due within this time of each other may be reordered. With 0, no event is reordered.
  Duration window{};
  std::vector<FaultForm> faults{};
  // The faults whose records are a part of the world's state when they are past.
  std::bitset<kFaultFormCount> remembered = std::bitset<kFaultFormCount>{}.set();
  // Whether the state includes the wall clocks of the clients. It need not if no client ever reads
  // one (World::has_read_clock).
  bool clients_read_clocks = true;
  int64_t most_steps = 100'000;  // an execution with more steps is cut off
  // If not null, fault places are noted here. Must outlive the world.
  std::vector<FaultPlace>* places = nullptr;
  // If not null, the world appends each client's requests and their replies, not pushed messages.
  // Request time: when the client sends it. Reply time: when the node executed the command. Must
  // outlive the world.
  std::vector<Frame>* frames = nullptr;
  // If not null, every choice is noted here, in order. Must outlive the world.
  std::vector<AskedChoice>* asked = nullptr;
  std::optional<Redraw> redraw{};
  MakeOutsideFaults make_outside_faults = nullptr;  // not null if a fault has `runs_kind`
};

class World {
 public:
  World(const WorldTerms& terms, ChoiceSource& choices, Workbench& bench);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // Starts a task of a process: 0 is the referee, 1.. are clients. The task begins when its start
  // time comes.
  void Start(int process, TaskKind kind, int thread, std::function<void(Env&)> body);
  // Runs until no event is left. With `with_faults`, asks for choices of faults and of order. Pass
  // false before and after the clients work.
  void Run(bool with_faults);

  [[nodiscard]] const std::vector<Event>& events() const;
  [[nodiscard]] const std::vector<FaultFact>& faults() const;
  // The faults that began, in order.
  [[nodiscard]] const std::vector<FaultForm>& begun_faults() const;
  [[nodiscard]] bool cut_off() const { return cut_off_; }
  // Whether a client has read its wall clock.
  [[nodiscard]] bool has_read_clock() const { return has_read_clock_; }
  [[nodiscard]] MonoTime now() const { return now_; }
  [[nodiscard]] const WorldTerms& terms() const { return terms_; }

  // Sets a rule for the messages on a way, until ClearRule. All rules of a way are asked about each
  // message, in the order in which they were set, and the first fate that is not kPasses counts.
  // They are not asked about copies, nor about messages that another form hits. A rule may depend
  // only on the outside faults that are active, because the digest of a state has no rules.
  uint64_t SetRule(const Way& way, FateOf fate);
  void ClearRule(uint64_t rule);

 private:
  friend class SimEnv;
  friend class Network;
  friend struct WorldMemory;
  struct Process;
  struct Task;

  // An event that is due at a later time.
  struct Due {
    MonoTime at;
    uint64_t number = 0;  // among events due at the same time, the lower number happens first
    enum class What : uint8_t { kWake, kRequest, kReply, kNews, kHeal, kExpire } what = What::kWake;
    uint32_t which = 0;  // index of the task, message, listener or fault
    // For kWake, the wait that this event ends. For kNews, twice the connection's number, plus 1 if
    // the connection closes.
    uint64_t wait = 0;
  };
  static bool IsBefore(const Due& a, const Due& b) {
    return a.at != b.at ? a.at < b.at : a.number < b.number;
  }

  Task& AddTask(Process& process, TaskKind kind, int thread, std::function<void(Env&)> body,
                Duration later = {});
  void Plan(Due due);
  void Insert(const Due& due);
  // Returns the next event, or null when none is left. Drops wake-ups of waits that have already
  // ended. The end of a session or a lease is an event only if another one follows: it keeps no
  // world going.
  const Due* Next();
  Due Take(const Due& next);
  Due TakeNext(const Due& next);
  uint32_t Choose(ChoiceKind kind, uint32_t count) {
    ++asked_;
    if (terms_.asked != nullptr)
      terms_.asked->push_back(
          {.kind = kind,
           .events_before = events().size(),
           .frames_before = terms_.frames == nullptr ? 0 : terms_.frames->size()});
    return choices_.Choose(kind, count);
  }
  void Happen(const Due& due);
  void ContinueTask(const Due& due);
  void RunTask(Task& task);
  // Called by a running task. Returns at once unless a fault hits the task's process here.
  void PassPoint(Task& task);
  void Kill(Process& process);
  Network& network();

  // Called by a running task. Lets other tasks run until the calling task is woken, or until
  // `until`. Returns at once when the task's process is killed.
  void Block(Task& task, MonoTime until);
  void Wake(uint32_t task);
  void Join(Task& joining, Task& child);
  void Record(const Task& task, const Event& event);
  // Records a message to a lock node when its sender is idle, or when all traffic is recorded.
  void NoteTraffic(int process, int node);

  // Asks whether a fault begins at a point, and which. `which` is the task, message or listener
  // that the point is about. A fault at a step lets other events of the instant go first, so it
  // always changes something.
  std::optional<FaultForm> ChooseFault(Point point, uint32_t which, bool at_step = false) {
    const uint32_t count = alternatives_[static_cast<size_t>(point)];
    if (count == 0) return std::nullopt;
    if (tracks_)
      choices_.TakeState([this, point, which] { return DigestState(point, which); },
                         at_step ? 0 : CountIdle(point));
    const uint32_t choice = Choose(ChoiceKind::kFault, count);
    if (choice == 0) return std::nullopt;
    return FaultOf(point, choice);
  }
  // All that decides what happens from this point on, and what the checkers see of the past.
  StateDigest DigestState(Point point, uint32_t which);
  // Returns how many of the last faults that can begin at a point change nothing.
  [[nodiscard]] uint32_t CountIdle(Point point) const;
  void MixPast();
  void MixPlanned(StateDigest& digest) const;
  void MixDue(const Due& due, StateDigest& digest) const;
  void MixTasks(StateDigest& digest) const;
  // Adds what a process has just seen. The state of its tasks is a function of all that it saw.
  template <typename... Seen>
  void See(int process, const Seen&... seen) {
    if (tracks_) (SeenBy(process).Mix(seen), ...);
  }
  StateDigest& SeenBy(int process);
  // Notes what the event that happens now has yet to do: to send a reply, or messages to listeners.
  template <typename... Yet>
  void BeginMoment(const Yet&... yet) {
    moment_ = {};
    AddToMoment(yet...);
  }
  template <typename... Yet>
  void AddToMoment(const Yet&... yet) {
    if (tracks_) (moment_.Mix(yet), ...);
  }
  [[nodiscard]] FaultForm FaultOf(Point point, uint32_t choice) const;
  // Whether the place must be noted before ChooseFault: the terms ask for places, and ChooseFault
  // will ask for a choice.
  [[nodiscard]] bool NotesPlaces(Point point) const {
    return terms_.places != nullptr && alternatives_[static_cast<size_t>(point)] != 0;
  }
  void NotePlace(FaultPlace place);
  void NoteContinuation(Task& task, Point point);
  void NoteStep(Task& task, Step step);
  // Records a fault that begins now and ends at `until`. MonoTime::max() means that the fault is
  // never healed, for example a clock jump. `command` is the command of the message that the fault
  // hits.
  void Note(FaultForm fault, int client, int node, MonoTime until, std::string_view command = {});
  void Record(FaultForm fault, const FaultPlaceNow& place, MonoTime until, std::string what);
  void BeginOutside(FaultForm fault, const FaultPlaceNow& place);
  [[nodiscard]] bool HasRules() const { return !rules_.empty(); }
  Fate AskRules(const Way& way, const OnItsWay& message);
  void Heal(uint32_t fault);

  const WorldTerms& terms_;
  ChoiceSource& choices_;
  Workbench& bench_;
  MonoTime now_;
  uint64_t planned_ = 0;
  std::unique_ptr<WorldMemory> memory_;
  uint32_t asked_ = 0;                            // number of choices so far
  std::array<uint32_t, kPoints> alternatives_{};  // by point, or 0 if no choice is asked
  bool cut_off_ = false;
  bool has_read_clock_ = false;
  Task* running_ = nullptr;  // the task that runs now
  Due expiry_{};             // the next end of a session or a lease
  int64_t steps_ = 0;
  const bool tracks_;  // whether states are wanted
  struct Rule {
    uint64_t id = 0;
    Way way;
    FateOf fate;
  };
  std::vector<Rule> rules_;
  uint64_t last_rule_ = 0;
  std::unique_ptr<OutsideFaults> outside_;  // made with the first such fault
  StateDigest moment_{};
};

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_WORLD_H_
