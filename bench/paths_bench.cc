// Compares the client path with a bare hiredis loop. The two take turns in short blocks against one
// server, so that a busy machine slows both alike. Prints JSON.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bench/replay_loop.h"
#include "bench/servers.h"
#include "lib/base/check.h"
#include "lib/history/shared_run.h"
#include "lib/locks/recorded_lock.h"
#include "lib/locks/registry.h"
#include "lib/locks/with_lock.h"
#include "lib/real/real_env.h"
#include "lib/redis/hiredis_connection.h"

namespace doublehold {
namespace {

constexpr int kBlocks = 15;
constexpr Duration kBlock = 300ms;

template <typename Work>
double RatePerSecond(const Work& work) {
  const MonoTime begun = RealMono();
  const MonoTime end = begun + kBlock;
  int64_t count = 0;
  // Reads the clock once every 64 iterations: the bare loop would not read it at all.
  while (RealMono() < end) {
    for (int i = 0; i < 64; ++i) work();
    count += 64;
  }
  return static_cast<double>(count) / ToSeconds(RealMono() - begun);
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

int Main(const std::string& redis_server) {
  PinTo(Place::kOneCore);
  const BenchServers server(redis_server, 1);
  fmt::print("{}\n", nlohmann::json{{"cycles", CompareCycles(server.Socket(0))}}.dump());
  return 0;
}

}  // namespace
}  // namespace doublehold

int main(int argc, char** argv) { return doublehold::Main(argc > 1 ? argv[1] : "redis-server"); }
