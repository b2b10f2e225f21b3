// A small world for unit tests: virtual time, nodes whose replies the test determines, and recorded
// events. Uses one thread, and neither sleeps nor does I/O.
#ifndef DOUBLEHOLD_LIB_TESTING_WORLD_H_
#define DOUBLEHOLD_LIB_TESTING_WORLD_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lib/base/env.h"
#include "lib/clients/clients.h"
#include "lib/clients/etcd.h"
#include "lib/clients/redis.h"
#include "lib/clients/sql.h"
#include "lib/clients/zookeeper.h"

namespace doublehold::testing {

constexpr MonoTime kStartOfWorld{std::chrono::hours(1)};

struct World {
  MonoTime now = kStartOfWorld;
  Duration wall_ahead = std::chrono::hours(24 * 365 * 50);  // relative to the monotonic clock
  bool stopping = false;

  // Returns a node's reply to a command. Call AdvanceTo in this function if the command takes time.
  std::function<CallResult(NodeId, const std::vector<std::string>&)> answer;
  // Opens a session of the SQL database.
  std::function<std::unique_ptr<SqlSession>()> open_sql_session;
  // Opens a session to ZooKeeper, with this timeout.
  std::function<std::unique_ptr<ZooKeeperSession>(Duration)> open_session;
  std::function<std::unique_ptr<EtcdConnection>()> dial_etcd;
  // Called for each announced step.
  std::function<void(Step)> on_step;

  std::vector<Event> events;
  std::vector<Step> steps;
  std::vector<std::function<void()>> spawned;  // tasks to run with RunTask
  std::multimap<MonoTime, std::function<void()>> planned;
  MonoTime task_end = MonoTime::max();  // time at which the running task is asked to stop

  [[nodiscard]] Duration Elapsed() const { return now - kStartOfWorld; }
  void At(Duration since_start, std::function<void()> happens) {
    planned.emplace(kStartOfWorld + since_start, std::move(happens));
  }
  // Advances time, and runs each planned function at its time.
  void AdvanceTo(MonoTime time);
  void Advance(Duration span) { AdvanceTo(now + span); }
  // Runs the only spawned task until it is asked to stop at `until`.
  void RunTask(Duration until);
};

class FakeEnv final : public Env,
                      private Clients,
                      private RedisClients,
                      private SqlClients,
                      private ZooKeeperClients,
                      private EtcdClients {
 public:
  explicit FakeEnv(World& world, uint64_t seed = 1) : world_(world), random_(seed, "fake") {}

  MonoTime Mono() override { return world_.now; }
  WallTime Wall() override { return WallTime(world_.now.time_since_epoch() + world_.wall_ahead); }
  bool SleepUntil(MonoTime time) override;
  bool Stopping() override { return world_.stopping; }
  Clients& clients() override { return *this; }
  std::unique_ptr<Task> Spawn(TaskKind kind, std::function<void(Env&)> body) override;
  Prng& Random() override { return random_; }
  void Reach(Step step) override;
  void Record(Event event) override;
  int64_t SinceStartNs(MonoTime time) override {
    return time == MonoTime::max() ? INT64_MAX : (time - kStartOfWorld).count();
  }

 private:
  RedisClients& redis() override { return *this; }
  SqlClients& sql() override { return *this; }
  SqlClients& mariadb() override { return *this; }
  ZooKeeperClients& zookeeper() override { return *this; }
  EtcdClients& etcd() override { return *this; }
  std::unique_ptr<Connection> Connect(NodeId node) override;
  std::unique_ptr<Subscription> Subscribe(NodeId node, std::string channel) override;
  std::unique_ptr<SqlSession> OpenSession(NodeId node) override;
  std::unique_ptr<ZooKeeperSession> Open(Duration timeout) override;
  std::unique_ptr<EtcdConnection> Dial() override;

  World& world_;
  Prng random_;
};

// Formats events as "0 invoke acquire", "12 ok release": time in ms, type and operation.
std::vector<std::string> FormatEvents(const std::vector<Event>& events);

}  // namespace doublehold::testing

#endif  // DOUBLEHOLD_LIB_TESTING_WORLD_H_
