// The real Env: threads, the operating system's clocks, clients of services, shared
// memory.
#ifndef DOUBLEHOLD_LIB_REAL_REAL_ENV_H_
#define DOUBLEHOLD_LIB_REAL_REAL_ENV_H_

#include <memory>
#include <optional>
#include <vector>

#include "lib/base/env.h"
#include "lib/clients/clients.h"
#include "lib/clients/etcd.h"
#include "lib/clients/redis.h"
#include "lib/clients/sql.h"
#include "lib/clients/zookeeper.h"
#include "lib/history/recorder.h"
#include "lib/history/shared_run.h"
#include "lib/redis/route.h"

namespace doublehold {

// The shared state of a process's Envs. The RealProcess must outlive these Envs, and must not
// change after the first Env is made.
struct RealProcess {
  int number = 0;  // Event::client, and its index in `shared`
  uint64_t seed = 0;
  std::vector<NodeAddress> addresses;  // by node number; [0] is the store
  Roster roster;                       // empty unless clients follow the master
  SharedRun* shared = nullptr;         // if null, nothing is recorded, and no step is announced
  int step_fd = -1;                    // socket for announced steps, or -1 if there is none
};

// One task's Env. Not thread-safe; Spawn makes another Env for the new thread. A spawned session is
// a further session of the client, with its own number. Only the first session announces its steps.
class RealEnv final : public Env,
                      private Clients,
                      private RedisClients,
                      private SqlClients,
                      private ZooKeeperClients,
                      private EtcdClients {
 public:
  RealEnv(const RealProcess& process, TaskKind task, int thread = 0);
  ~RealEnv() override;

  MonoTime Mono() override;
  WallTime Wall() override;
  bool SleepUntil(MonoTime time) override;
  bool Stopping() override;
  Clients& clients() override { return *this; }
  std::unique_ptr<Task> Spawn(TaskKind kind, std::function<void(Env&)> body) override;
  Prng& Random() override { return random_; }
  void Reach(Step step) override;
  void Record(Event event) override;
  int64_t SinceStartNs(MonoTime time) override;

 private:
  RedisClients& redis() override { return *this; }
  SqlClients& sql() override { return *this; }
  SqlClients& mariadb() override { return mariadb_; }
  ZooKeeperClients& zookeeper() override { return *this; }
  EtcdClients& etcd() override { return *this; }
  std::unique_ptr<Connection> Connect(NodeId node) override;
  std::unique_ptr<Subscription> Subscribe(NodeId node, std::string channel) override;
  std::unique_ptr<SqlSession> OpenSession(NodeId node) override;
  std::unique_ptr<ZooKeeperSession> Open(Duration timeout) override;
  std::unique_ptr<EtcdConnection> Dial() override;

  [[nodiscard]] std::unique_ptr<Route> RouteTo(NodeId node) const;
  [[nodiscard]] std::vector<NodeAddress> ServersFromOwn() const;

  struct StopSignal;
  class Thread;
  class MariaDb final : public SqlClients {
   public:
    explicit MariaDb(const RealEnv& env) : env_(env) {}
    std::unique_ptr<SqlSession> OpenSession(NodeId node) override;

   private:
    const RealEnv& env_;
  };

  const RealProcess& process_;
  TaskKind task_;
  int thread_;
  int sessions_ = 1;  // sessions started by this Env, including itself
  MonoTime start_;
  Prng random_;
  std::optional<Recorder> recorder_;
  ClientControl* control_ = nullptr;
  StopSignal* stop_ = nullptr;  // of a spawned task
  MariaDb mariadb_{*this};
};

// Sleeps repeatedly and measures how late it wakes, until its task is stopped. A late wake-up means
// that the process was stalled, for whatever reason. Records stalls of at least `threshold`. Spawn
// this function as TaskKind::kMeter.
void MeterStalls(Env& env, Duration threshold, ClientControl* control);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_REAL_REAL_ENV_H_
