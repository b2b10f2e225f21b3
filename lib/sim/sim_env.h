// The Env of one task of a simulated world.
#ifndef DOUBLEHOLD_LIB_SIM_SIM_ENV_H_
#define DOUBLEHOLD_LIB_SIM_SIM_ENV_H_

#include <memory>
#include <string>

#include "lib/base/env.h"
#include "lib/clients/clients.h"
#include "lib/clients/etcd.h"
#include "lib/clients/redis.h"
#include "lib/clients/sql.h"
#include "lib/clients/zookeeper.h"
#include "lib/sim/world.h"

namespace doublehold::sim {

// Used only by the fiber of one task. After the task's process is killed, every call fails at once
// and nothing is recorded, so that the task ends.
class SimEnv final : public Env,
                     private Clients,
                     private RedisClients,
                     private SqlClients,
                     private ZooKeeperClients,
                     private EtcdClients {
 public:
  SimEnv(World& world, World::Task& task);

  MonoTime Mono() override;
  WallTime Wall() override;
  bool SleepUntil(MonoTime time) override;
  bool Stopping() override;
  Clients& clients() override { return *this; }
  std::unique_ptr<doublehold::Task> Spawn(TaskKind kind, std::function<void(Env&)> body) override;
  Prng& Random() override;
  void Reach(Step step) override;
  void Record(Event event) override;
  int64_t SinceStartNs(MonoTime time) override;

 private:
  RedisClients& redis() override { return *this; }
  SqlClients& sql() override { return *this; }
  SqlClients& mariadb() override;
  ZooKeeperClients& zookeeper() override { return *this; }
  EtcdClients& etcd() override { return *this; }
  std::unique_ptr<Connection> Connect(NodeId node) override;
  std::unique_ptr<Subscription> Subscribe(NodeId node, std::string channel) override;
  std::unique_ptr<SqlSession> OpenSession(NodeId node) override;
  std::unique_ptr<ZooKeeperSession> Open(Duration timeout) override;
  std::unique_ptr<EtcdConnection> Dial() override;

  class Handle;
  class SimConnection;
  class SimSubscription;
  class PostgresSession;
  class ZooSession;
  class EtcdCalls;
  class EtcdWatch;

  World& world_;
  World::Task& task_;
  Prng random_;
  bool redrawn_ = false;  // whether `random_` is of WorldTerms::redraw
};

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_SIM_ENV_H_
