#include "lib/real/real_env.h"

#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "lib/base/check.h"
#include "lib/etcd/connection.h"
#include "lib/mariadb/session.h"
#include "lib/postgres/session.h"
#include "lib/redis/hiredis_connection.h"
#include "lib/zookeeper/session.h"

namespace doublehold {
namespace {

constexpr Duration kMeterTick = 10ms;

timespec ToTimespec(MonoTime time) {
  const int64_t ns = ToNs(time);
  return {.tv_sec = ns / 1'000'000'000, .tv_nsec = ns % 1'000'000'000};
}

// The announcement and its answer are one byte each, on a SOCK_SEQPACKET pair. The supervisor
// answers when the faults that wait for this step have started. If the socket closes, the
// supervisor is dead, so the process ends.
void Announce(int fd, uint8_t step) {
  while (send(fd, &step, 1, MSG_NOSIGNAL) < 0) {
    if (errno != EINTR) _exit(0);
  }
  uint8_t answer = 0;
  ssize_t received = -1;
  while ((received = recv(fd, &answer, 1, 0)) < 0 && errno == EINTR) {
  }
  if (received != 1) _exit(0);
}

}  // namespace

struct RealEnv::StopSignal {
  std::mutex mutex;
  std::condition_variable changed;
  bool stopping = false;
};

class RealEnv::Thread final : public Task {
 public:
  Thread(const RealProcess& process, TaskKind kind, int thread, std::function<void(Env&)> body)
      : thread_([this, &process, kind, thread, run = std::move(body)] {
          RealEnv env(process, kind, thread);
          env.stop_ = &stop_;
          run(env);
        }) {}

  ~Thread() override {
    {
      const std::lock_guard lock(stop_.mutex);
      stop_.stopping = true;
    }
    stop_.changed.notify_all();
    thread_.join();
  }

 private:
  StopSignal stop_;
  std::thread thread_;
};

RealEnv::RealEnv(const RealProcess& process, TaskKind task, int thread)
    : process_(process),
      task_(task),
      thread_(thread),
      random_(process.seed, Name(task),
              static_cast<uint64_t>(thread) << 32U | static_cast<uint64_t>(process.number)) {
  if (process.shared == nullptr) {
    start_ = RealMono();
    return;
  }
  control_ = &process.shared->Control(process.number);
  recorder_.emplace(process.shared->Segment(process.number, task, thread));
  start_ = MonoFromNs(control_->start_ns.load(std::memory_order_acquire));
  CHECK(ToNs(start_) != 0);
}

RealEnv::~RealEnv() = default;

MonoTime RealEnv::Mono() { return RealMono(); }

WallTime RealEnv::Wall() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);  // in a run, the clock shim may change this time
  return WallTime(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
}

bool RealEnv::SleepUntil(MonoTime time) {
  if (stop_ != nullptr) {
    std::unique_lock lock(stop_->mutex);
    const std::chrono::steady_clock::time_point until(time.time_since_epoch());
    return !stop_->changed.wait_until(lock, until, [this] { return stop_->stopping; });
  }
  const timespec until = ToTimespec(time);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
  return true;
}

bool RealEnv::Stopping() {
  if (stop_ != nullptr) {
    const std::lock_guard lock(stop_->mutex);
    if (stop_->stopping) return true;
  }
  return control_ != nullptr && control_->stop.load(std::memory_order_relaxed) != 0;
}

// If the topology has a master to follow, locks see all its servers as one node.
std::unique_ptr<Route> RealEnv::RouteTo(NodeId node) const {
  const bool followed = node != kStoreId && !process_.roster.announced.empty();
  if (followed) return RouteToMaster(process_.addresses, process_.roster);
  return FixedRoute(process_.addresses.at(static_cast<size_t>(node.number)));
}

std::unique_ptr<Connection> RealEnv::Connect(NodeId node) { return MakeConnection(RouteTo(node)); }

std::unique_ptr<Subscription> RealEnv::Subscribe(NodeId node, std::string channel) {
  return MakeSubscription(RouteTo(node), std::move(channel));
}

std::unique_ptr<SqlSession> RealEnv::OpenSession(NodeId node) {
  return OpenPostgres(process_.addresses.at(static_cast<size_t>(node.number)));
}

// All servers that keep lock keys are one ensemble.
std::unique_ptr<ZooKeeperSession> RealEnv::Open(Duration timeout) {
  return OpenZooKeeper({process_.addresses.begin() + 1, process_.addresses.end()}, timeout);
}

// Client 1 begins with node 1, client 2 with node 2, and so on, so that all nodes have clients.
std::vector<NodeAddress> RealEnv::ServersFromOwn() const {
  std::vector<NodeAddress> servers{process_.addresses.begin() + 1, process_.addresses.end()};
  CHECK(!servers.empty());
  std::ranges::rotate(servers,
                      servers.begin() + std::max(process_.number - 1, 0) % std::ssize(servers));
  return servers;
}

std::unique_ptr<EtcdConnection> RealEnv::Dial() { return DialEtcd(ServersFromOwn()); }

std::unique_ptr<SqlSession> RealEnv::MariaDb::OpenSession(NodeId /*node*/) {
  return OpenMariaDb(env_.ServersFromOwn().front());
}

std::unique_ptr<Task> RealEnv::Spawn(TaskKind kind, std::function<void(Env&)> body) {
  const bool session = kind == TaskKind::kSession;
  CHECK(kind != task_ || (session && thread_ == 0));  // each segment has one writer
  const int thread = session ? sessions_++ : thread_;
  return std::make_unique<Thread>(process_, kind, thread, std::move(body));
}

void RealEnv::Reach(Step step) {
  if (control_ == nullptr || process_.step_fd < 0 || thread_ != 0) return;
  const uint32_t armed = control_->armed.load(std::memory_order_acquire);
  if ((armed >> static_cast<unsigned>(step) & 1U) == 0) return;
  Announce(process_.step_fd, static_cast<uint8_t>(step));
}

void RealEnv::Record(Event event) {
  if (!recorder_) return;
  event.at_ns = (RealMono() - start_).count();
  event.client = process_.number;
  event.task = task_;
  event.thread = static_cast<uint8_t>(thread_);
  recorder_->Append(event);
  if (event.type != EventType::kOk) return;
  if (event.op == Op::kAcquire) control_->grants.fetch_add(1, std::memory_order_relaxed);
  if (event.op == Op::kOrder) control_->orders.fetch_add(1, std::memory_order_relaxed);
}

int64_t RealEnv::SinceStartNs(MonoTime time) {
  return time == MonoTime::max() ? INT64_MAX : (time - start_).count();
}

void MeterStalls(Env& env, Duration threshold, ClientControl* control) {
  MonoTime due = env.Mono() + kMeterTick;
  while (env.SleepUntil(due)) {
    const MonoTime woke = env.Mono();
    if (control != nullptr) {
      const Duration ahead = env.Wall().time_since_epoch() - woke.time_since_epoch();
      control->wall_ahead_ns.store(ahead.count(), std::memory_order_relaxed);
    }
    if (woke - due >= threshold) {
      env.Record({.op = Op::kStall, .type = EventType::kInfo, .value = {(woke - due).count()}});
    }
    due = woke + kMeterTick;
  }
}

}  // namespace doublehold
