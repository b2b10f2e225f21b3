// Compares every variant on one node with a bare hiredis loop that sends the same commands, alone
// and with eight clients on one key. Measures the handover time of redisson, and the cost of five
// nodes for redlock. The compared sides take turns in short blocks against the same servers, so
// that a busy machine slows both alike. Prints JSON.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <nlohmann/json.hpp>
#include <thread>

#include "bench/replay_loop.h"
#include "bench/servers.h"
#include "lib/base/check.h"
#include "lib/history/shared_run.h"
#include "lib/locks/recorded_lock.h"
#include "lib/locks/with_lock.h"
#include "lib/real/real_env.h"
#include "lib/redis/hiredis_connection.h"

namespace doublehold {
namespace {

using nlohmann::json;

constexpr int kBlocks = 7;
constexpr Duration kBlock = 100ms;
constexpr int kClients = 8;
constexpr int kContendedBlocks = 11;
constexpr Duration kContendedBlock = 100ms;
constexpr Duration kInterval = 1ms;  // between two attempts of a waiter, on both compared sides
constexpr int kHandOvers = 200;
constexpr int kGrants = 2000;
constexpr int kNodes = 5;
constexpr Lease kLease = 10s;

// A client with its own lock and thread. Its events are recorded.
class OurClient {
 public:
  OurClient(const BenchServers& servers, SharedRun& shared, const LockEntry& entry, int number,
            int nodes)
      : process_{.number = number,
                 .seed = 1,
                 .addresses = servers.Addresses(nodes),
                 .shared = &shared},
        env_((shared.Control(number).start_ns.store(ToNs(RealMono())), process_),
             TaskKind::kSession),
        lock_(env_, MakeWithDefaults(env_, entry, number, nodes, kLease)) {}

  void Cycle() {
    WithLock(env_, lock_, kKey, kLease, kPolicy, [](const Grant&) {});
  }
  RealEnv& env() { return env_; }
  Lock& lock() { return lock_; }

  static inline const LockKey kKey{.name = "dh:bench", .index = 0};
  static inline const RetryPolicy kPolicy{
      .interval = kInterval, .timeout = 30s, .call_timeout = 10s};

 private:
  RealProcess process_;
  RealEnv env_;
  RecordedLock lock_;
};

template <typename Work>
double RatePerSecond(Duration block, const Work& work) {
  const MonoTime begun = RealMono();
  int64_t count = 0;
  while (RealMono() < begun + block) {
    for (int i = 0; i < 16; ++i) work();
    count += 16;
  }
  return static_cast<double>(count) / ToSeconds(RealMono() - begun);
}

// Runs all clients at once, each on its own thread, for one block. Returns the cycles a second.
template <typename Client, typename Work>
double RateOfAll(std::vector<std::unique_ptr<Client>>& clients, const Work& work) {
  std::atomic<int64_t> cycles{0};
  const MonoTime begun = RealMono();
  std::vector<std::thread> threads;
  threads.reserve(clients.size());
  for (const auto& client : clients) {
    threads.emplace_back([&cycles, &client, &work, begun] {
      for (; RealMono() < begun + kContendedBlock; cycles.fetch_add(1)) work(*client);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return static_cast<double>(cycles.load()) / ToSeconds(RealMono() - begun);
}

json CompareVariant(const BenchServers& servers, const LockEntry& entry) {
  SharedRun shared = std::move(*SharedRun::Create(kClients + 1, 1));
  std::vector<std::unique_ptr<OurClient>> ours;
  std::vector<std::unique_ptr<ReplayLoop>> bare;
  const auto add_client = [&](int number) {
    ours.push_back(std::make_unique<OurClient>(servers, shared, entry, number, 1));
    bare.push_back(std::make_unique<ReplayLoop>(
        servers.Socket(0), WatchOneCycle(ours.back()->env(), entry, 100 + number,
                                         {.name = "dh:bare", .index = 0}, kLease)));
  };
  json result{{"lock", entry.name}};
  add_client(1);
  for (int block = 0; block < kBlocks; ++block) {
    result["alone"]["bare_per_s"].push_back(
        RatePerSecond(kBlock, [&] { bare.front()->Cycle(kInterval); }));
    result["alone"]["ours_per_s"].push_back(RatePerSecond(kBlock, [&] { ours.front()->Cycle(); }));
  }
  for (int number = 2; number <= kClients; ++number) add_client(number);
  for (int block = 0; block < kContendedBlocks; ++block) {
    result["contended"]["bare_per_s"].push_back(
        RateOfAll(bare, [](ReplayLoop& client) { client.Cycle(kInterval); }));
    result["contended"]["ours_per_s"].push_back(
        RateOfAll(ours, [](OurClient& client) { client.Cycle(); }));
  }
  return result;
}

// Measures the time from the call of the release to the waiter's grant. A PING is measured for
// comparison, on a connection that was idle equally long.
json MeasureHandOver(const BenchServers& servers) {
  SharedRun shared = std::move(*SharedRun::Create(3, 1));
  const LockEntry& entry = *FindLock("redisson");
  OurClient first(servers, shared, entry, 1, 1);
  OurClient second(servers, shared, entry, 2, 1);
  const auto ping_connection = MakeConnection({.unix_path = servers.Socket(0)});
  const std::array<std::string_view, 1> ping{"PING"};
  json result;
  for (int i = 0; i < kHandOvers; ++i) {
    const AcquireResult held =
        AcquireWithRetry(first.env(), first.lock(), OurClient::kKey, kLease, OurClient::kPolicy);
    CHECK(std::holds_alternative<Granted>(held));
    MonoTime granted{};
    std::thread waiter([&] {
      const AcquireResult got = AcquireWithRetry(second.env(), second.lock(), OurClient::kKey,
                                                 kLease, OurClient::kPolicy);
      granted = RealMono();
      CHECK(std::holds_alternative<Granted>(got));
      (void)second.lock().Release(std::get<Granted>(got).grant, RealMono() + 10s);
    });
    std::this_thread::sleep_for(5ms);  // by now the waiter has subscribed
    const MonoTime pinged = RealMono();
    CHECK(ping_connection->Call(ping, pinged + 10s).has_value());
    result["round_trip_us"].push_back(static_cast<double>((RealMono() - pinged).count()) / 1e3);
    const MonoTime released = RealMono();
    (void)first.lock().Release(std::get<Granted>(held).grant, released + 10s);
    waiter.join();
    result["hand_over_us"].push_back(static_cast<double>((granted - released).count()) / 1e3);
  }
  return result;
}

double MedianGrantMicroseconds(OurClient& client) {
  std::vector<double> taken_us;
  for (int i = 0; i < kGrants; ++i) {
    const MonoTime begun = RealMono();
    const AcquireResult result = client.lock().TryAcquire(OurClient::kKey, kLease, begun + 10s);
    taken_us.push_back(static_cast<double>((RealMono() - begun).count()) / 1e3);
    CHECK(std::holds_alternative<Granted>(result));
    (void)client.lock().Release(std::get<Granted>(result).grant, RealMono() + 10s);
  }
  std::ranges::nth_element(taken_us, taken_us.begin() + kGrants / 2);
  return taken_us[kGrants / 2];
}

json CompareQuorum(const BenchServers& servers) {
  SharedRun shared = std::move(*SharedRun::Create(3, 1));
  LockEntry at_once = *FindLock("redlock");
  for (OptionSpec& option : at_once.options) {
    if (option.name == "ask") option.fallback = "at-once";
  }
  // Moves the servers to the other core. On a single core, client and servers would take turns, and
  // parallel requests would save no time.
  servers.Pin(Place::kOtherCore);
  OurClient single(servers, shared, *FindLock("set-nx-px"), 1, 1);
  OurClient quorum(servers, shared, at_once, 2, kNodes);
  json result;
  for (int block = 0; block < kContendedBlocks; ++block) {
    result["single_us"].push_back(MedianGrantMicroseconds(single));
    result["quorum_us"].push_back(MedianGrantMicroseconds(quorum));
  }
  return result;
}

int Main(const std::string& redis_server) {
  PinTo(Place::kOneCore);
  const BenchServers servers(redis_server, kNodes);
  json variants = json::array();
  for (const LockEntry& entry : Locks()) {
    const bool takes_a_lock = entry.name != "none" && !entry.Has(Trait::kLockFree);
    const bool is_comparable = takes_a_lock && entry.service == kRedisService;
    if (entry.least_nodes == 1 && is_comparable) variants.push_back(CompareVariant(servers, entry));
  }
  fmt::print("{}\n", json{{"variants", std::move(variants)},
                          {"hand_over", MeasureHandOver(servers)},
                          {"quorum", CompareQuorum(servers)}}
                         .dump());
  return 0;
}

}  // namespace
}  // namespace doublehold

int main(int argc, char** argv) { return doublehold::Main(argc > 1 ? argv[1] : "redis-server"); }
