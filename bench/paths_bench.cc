// The client path against a bare hiredis loop, and a call through the proxy against a direct one. Each pair takes turns
// in short blocks within one run, against one server, so that a busy machine slows both alike. Prints JSON.
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "bench/replay_loop.h"
#include "bench/servers.h"
#include "faults/proxy/proxy.h"
#include "lib/base/check.h"
#include "lib/history/shared_run.h"
#include "lib/locks/recorded_lock.h"
#include "lib/locks/registry.h"
#include "lib/locks/with_lock.h"
#include "lib/redis/hiredis_connection.h"
#include "lib/redis/real_env.h"

namespace doublehold {
namespace {

constexpr int kBlocks = 15;
constexpr Duration kBlock = 300ms;
constexpr int kCallsPerBlock = 3000;

template <typename Work>
double RatePerSecond(const Work& work) {
  const MonoTime begun = RealMono();
  const MonoTime end = begun + kBlock;
  int64_t count = 0;
  // The clock is asked once in a while only: the bare loop would not ask it at all.
  while (RealMono() < end) {
    for (int i = 0; i < 64; ++i) work();
    count += 64;
  }
  return static_cast<double>(count) / ToSeconds(RealMono() - begun);
}

template <typename Work>
double MedianMicroseconds(const Work& work) {
  std::vector<int64_t> taken_ns;
  taken_ns.reserve(kCallsPerBlock);
  for (int i = 0; i < kCallsPerBlock; ++i) {
    const MonoTime begun = RealMono();
    work();
    taken_ns.push_back((RealMono() - begun).count());
  }
  std::ranges::nth_element(taken_ns, taken_ns.begin() + kCallsPerBlock / 2);
  return static_cast<double>(taken_ns[kCallsPerBlock / 2]) / 1000.0;
}

nlohmann::json CompareCycles(const std::string& socket) {
  Result<SharedRun> shared = SharedRun::Create(2, 1);
  CHECK(shared.has_value());
  shared->Control(1).start_ns.store(ToNs(RealMono()));
  const RealProcess process{.number = 1,
                            .seed = 1,
                            .addresses = {{.unix_path = socket}, {.unix_path = socket}},
                            .shared = &*shared};
  RealEnv env(process, TaskKind::kSession);
  const LockEntry& entry = *FindLock("set-nx-px");
  const auto options = CompleteOptions("lock", entry.options, {}, 500ms);
  RecordedLock lock(
      env, entry.make(
               {.env = env, .client = 1, .seed = 1, .lease = 500ms, .options = Options(*options)}));
  const LockKey key{.name = "dh:item:0", .index = 0};
  ReplayLoop bare(socket, WatchOneCycle(env, entry, /*client=*/9, {.name = "dh:bare"}, 500ms));
  const RetryPolicy policy{.timeout = 5s};
  nlohmann::json bare_rates = nlohmann::json::array();
  nlohmann::json our_rates = nlohmann::json::array();
  for (int block = 0; block < kBlocks; ++block) {
    bare_rates.push_back(RatePerSecond([&] { bare.Cycle(1ms); }));
    our_rates.push_back(
        RatePerSecond([&] { WithLock(env, lock, key, 500ms, policy, [](const Grant&) {}); }));
  }
  return {{"bare_per_s", bare_rates}, {"doublehold_per_s", our_rates}};
}

// The proxy in a process of its own, as the supervisor is; answers its port through a pipe.
class ProxyProcess {
 public:
  explicit ProxyProcess(const std::string& socket) {
    std::array<int, 2> ends{};
    CHECK(pipe(ends.data()) == 0);
    pid_ = fork();
    CHECK(pid_ >= 0);
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      boost::asio::io_context io{1};
      Proxy proxy(io, Prng(1, "proxy"));
      const Result<uint16_t> port = proxy.AddLink({1, 1}, socket);
      CHECK(port.has_value());
      CHECK(write(ends[1], &*port, sizeof *port) == sizeof *port);
      io.run();
      _exit(0);
    }
    CHECK(read(ends[0], &port_, sizeof port_) == sizeof port_);
    close(ends[0]);
    close(ends[1]);
  }
  ~ProxyProcess() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  [[nodiscard]] uint16_t port() const { return port_; }

 private:
  pid_t pid_ = 0;
  uint16_t port_ = 0;
};

nlohmann::json CompareCalls(const std::string& socket) {
  const ProxyProcess proxy(socket);
  const auto direct = MakeConnection({.unix_path = socket});
  const auto through = MakeConnection({.port = proxy.port()});
  const std::array<std::string_view, 1> ping{"PING"};
  const auto call = [&](Connection& connection) {
    CHECK(connection.Call(ping, RealMono() + 5s).has_value());
  };
  nlohmann::json direct_us = nlohmann::json::array();
  nlohmann::json proxy_us = nlohmann::json::array();
  for (int block = 0; block < kBlocks; ++block) {
    direct_us.push_back(MedianMicroseconds([&] { call(*direct); }));
    proxy_us.push_back(MedianMicroseconds([&] { call(*through); }));
  }
  return {{"direct_us", direct_us}, {"proxy_us", proxy_us}};
}

int Main(const std::string& redis_server) {
  PinTo(Place::kOneCore);
  const BenchServers server(redis_server, 1);
  const nlohmann::json result{{"cycles", CompareCycles(server.Socket(0))},
                              {"calls", CompareCalls(server.Socket(0))}};
  fmt::print("{}\n", result.dump());
  return 0;
}

}  // namespace
}  // namespace doublehold

int main(int argc, char** argv) { return doublehold::Main(argc > 1 ? argv[1] : "redis-server"); }
