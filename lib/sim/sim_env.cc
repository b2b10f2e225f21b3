#include "lib/sim/sim_env.h"

#include <utility>

#include "lib/base/check.h"
#include "lib/sim/network.h"
#include "lib/sim/world_parts.h"

namespace doublehold::sim {
namespace {

CallFailure Gone() { return {.definite = true, .message = "the client was killed"}; }

}  // namespace

// The parent's handle on a task that it has spawned.
class SimEnv::Handle final : public doublehold::Task {
 public:
  Handle(World& world, World::Task& parent, World::Task& child)
      : world_(world), parent_(parent), child_(child) {}
  ~Handle() override { world_.Join(parent_, child_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

 private:
  World& world_;
  World::Task& parent_;
  World::Task& child_;
};

class SimEnv::SimConnection final : public Connection {
 public:
  SimConnection(World& world, World::Task& task, NodeId node)
      : world_(world),
        task_(task),
        link_(world.network().Connect(task.number, task.process->number, node.number)) {}

  void Start(Argv command, Deadline deadline) override {
    script_ = nullptr;
    deadline_ = deadline;
    Send([&] { world_.network().Send(link_, command); });
  }
  void StartScript(const Script& script, Argv keys, Argv args, Deadline deadline) override {
    script_ = &script;
    deadline_ = deadline;
    Send([&] { world_.network().SendScript(link_, script, keys, args); });
  }

  CallResult Finish() override {
    if (refused_) return tl::unexpected(*std::exchange(refused_, {}));
    CallResult result = Await();
    if (script_ == nullptr || result || !result.error().message.starts_with(kNoScript))
      return result;
    world_.network().SendText(link_);
    return Await();
  }

  void Pin() override { is_pinned_ = true; }
  void Unpin() override { is_pinned_ = false; }

 private:
  template <typename Sending>
  void Send(const Sending& send) {
    refused_.reset();
    if (task_.process->gone) {
      refused_ = Gone();
    } else if (is_pinned_ && !world_.network().IsOpen(link_)) {
      refused_ = CallFailure{.definite = true,
                             .message = "the connection was lost, and its WATCH with it"};
    } else {
      send();
    }
  }

  CallResult Await() {
    while (!task_.process->gone) {
      if (CallResult* answer = world_.network().Take(link_)) return std::move(*answer);
      if (world_.now() >= deadline_) {
        world_.network().Break(link_);
        return tl::unexpected(CallFailure{.definite = false, .message = "no answer in time"});
      }
      world_.Block(task_, deadline_);
    }
    return tl::unexpected(Gone());
  }

  World& world_;
  World::Task& task_;
  uint32_t link_;
  bool is_pinned_ = false;
  const Script* script_ = nullptr;
  Deadline deadline_{};
  std::optional<CallFailure> refused_;
};

class SimEnv::SimSubscription final : public Subscription {
 public:
  SimSubscription(World& world, World::Task& task, NodeId node, std::string channel)
      : world_(world),
        task_(task),
        listener_(world.network().Listen(task.number, task.process->number, node.number,
                                         std::move(channel))) {}
  ~SimSubscription() override { world_.network().Unsubscribe(listener_); }
  SimSubscription(const SimSubscription&) = delete;
  SimSubscription& operator=(const SimSubscription&) = delete;

  bool Wait(Deadline deadline) override {
    Network& network = world_.network();
    if (!task_.process->gone && !network.IsListening(listener_)) network.Subscribe(listener_);
    while (!task_.process->gone) {
      if (network.TakeNews(listener_)) return true;
      if (!network.IsListening(listener_) || world_.now() >= deadline) return false;
      world_.Block(task_, deadline);
    }
    return false;
  }

 private:
  World& world_;
  World::Task& task_;
  uint32_t listener_;
};

SimEnv::SimEnv(World& world, World::Task& task)
    : world_(world), task_(task), random_(world.terms_.seed, "simulated task", task.number) {}

Prng& SimEnv::Random() {
  const std::optional<Redraw>& redraw = world_.terms_.redraw;
  if (redraw && !redrawn_ && world_.events().size() >= redraw->after_events) {
    redrawn_ = true;
    random_ = Prng(redraw->seed, "redrawn task", task_.number);
  }
  return random_;
}

MonoTime SimEnv::Mono() {
  task_.looked = true;
  return world_.now();
}

WallTime SimEnv::Wall() {
  task_.looked = true;
  const Duration ahead = task_.process->clock.AheadAt(world_.now());
  world_.See(task_.process->number, ahead);
  world_.has_read_clock_ = world_.has_read_clock_ || task_.process->number > 0;
  return kWallAtStart + (world_.now() - kStart) + ahead;
}

bool SimEnv::SleepUntil(MonoTime time) {
  while (!task_.stop && !task_.process->gone && world_.now() < time) world_.Block(task_, time);
  return !task_.stop && !task_.process->gone;
}

bool SimEnv::Stopping() { return task_.process->gone; }

SqlClients& SimEnv::mariadb() {
  CHECK(false);  // the simulated world has no MariaDB
}

std::unique_ptr<Connection> SimEnv::Connect(NodeId node) {
  return std::make_unique<SimConnection>(world_, task_, node);
}

std::unique_ptr<Subscription> SimEnv::Subscribe(NodeId node, std::string channel) {
  return std::make_unique<SimSubscription>(world_, task_, node, std::move(channel));
}

std::unique_ptr<doublehold::Task> SimEnv::Spawn(TaskKind kind, std::function<void(Env&)> body) {
  const int thread = kind == TaskKind::kSession ? task_.sessions++ : task_.thread;
  World::Task& child = world_.AddTask(*task_.process, kind, thread, std::move(body));
  return std::make_unique<Handle>(world_, task_, child);
}

// Only these two steps are fault points. A client can also be stopped wherever it continues, and
// reaching the next step takes no virtual time. So a stop at any other step has the effect of a
// stop where the client continued. Before these two steps, the client may have read a clock and
// acted on its time.
void SimEnv::Reach(Step step) {
  world_.NoteStep(task_, step);
  if (step == Step::kAfterAcquire || step == Step::kMidRelease) world_.PassPoint(task_);
}

void SimEnv::Record(Event event) { world_.Record(task_, event); }

int64_t SimEnv::SinceStartNs(MonoTime time) {
  return time == MonoTime::max() ? INT64_MAX : ToNs(time - kStart);
}

}  // namespace doublehold::sim
