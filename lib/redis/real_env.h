// The real Env: threads, the operating system's clocks, hiredis, shared memory.
#ifndef DOUBLEHOLD_LIB_REDIS_REAL_ENV_H_
#define DOUBLEHOLD_LIB_REDIS_REAL_ENV_H_

#include <memory>
#include <optional>
#include <vector>

#include "lib/base/env.h"
#include "lib/history/recorder.h"
#include "lib/history/shared_run.h"
#include "lib/redis/route.h"

namespace doublehold {

// What the Envs of one process have in common. Outlives them; not changed once the first is made.
struct RealProcess {
  int number = 0;  // Event::client, and the index in `shared`
  uint64_t seed = 0;
  std::vector<NodeAddress> addresses;  // by node number; [0] is the store
  Roster roster;                       // of the nodes, where they are followed
  SharedRun* shared = nullptr;         // null: nothing is recorded, no step is announced
  int step_fd = -1;                    // answers announced steps; -1: none
};

// One task's Env. Not thread-safe; Spawn makes another for the new thread. What is spawned as a
// session is a further session of the client, with a number of its own; only the first one
// announces its steps.
class RealEnv final : public Env {
 public:
  RealEnv(const RealProcess& process, TaskKind task, int thread = 0);
  ~RealEnv() override;

  MonoTime Mono() override;
  WallTime Wall() override;
  bool SleepUntil(MonoTime time) override;
  bool Stopping() override;
  std::unique_ptr<Connection> Connect(NodeId node) override;
  std::unique_ptr<Subscription> Subscribe(NodeId node, std::string channel) override;
  std::unique_ptr<Task> Spawn(TaskKind kind, std::function<void(Env&)> body) override;
  Prng& Random() override { return random_; }
  void Reach(Step step) override;
  void Record(Event event) override;
  int64_t SinceStartNs(MonoTime time) override;

 private:
  [[nodiscard]] std::unique_ptr<Route> RouteTo(NodeId node) const;

  struct StopSignal;
  class Thread;

  const RealProcess& process_;
  TaskKind task_;
  int thread_;
  int sessions_ = 1;  // started by this one, itself included
  MonoTime start_;
  Prng random_;
  std::optional<Recorder> recorder_;
  ClientControl* control_ = nullptr;
  StopSignal* stop_ = nullptr;  // of a spawned task
};

// Sleeps and measures how late it wakes, for ever: a process that cannot run is stalled, whatever
// the reason. Stalls of `threshold` or more are recorded. To be spawned as TaskKind::kMeter.
void MeterStalls(Env& env, Duration threshold, ClientControl* control);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_REDIS_REAL_ENV_H_
