// save_once: a user finishes the same task several times at once. The result must be saved only
// once.
//
//   save_once tcp:127.0.0.1:6379 USER TASK [wait]
//
// Acquires the lock finish-task:USER_TASK on a real server, and saves the result if it is missing.
// With `wait`, waits up to 5 s for the lock. Without `wait`, tries once.
//
// Any lock of `doublehold list locks` that needs one node can replace set-nx-px, except none,
// watch, version and atomic-script, which acquire nothing.
//
// Exit status: 0 saved, now or earlier; 1 busy; 3 bad input; 4 the server did not answer. With
// status 4 the result may have been saved.

#include <array>
#include <iostream>
#include <random>
#include <string>

#include "lib/locks/registry.h"
#include "lib/locks/with_lock.h"
#include "lib/real/real_env.h"

using namespace doublehold;
using namespace std::chrono_literals;

namespace {

constexpr Lease kLease = 10s;
constexpr Duration kCallTimeout = 1s;

std::unique_ptr<Lock> MakeLockNamed(std::string_view name, Env& env) {
  const LockEntry& entry = *FindLock(name);
  const auto options = CompleteOptions(entry.name, entry.options, {}, kLease);
  return entry.make(
      {.env = env,
       .client = 1,
       .seed = std::random_device()(),  // makes owners differ from those of other processes
       .lease = kLease,
       .call_timeout = kCallTimeout,
       .options = Options(*options)});
}

enum class Saved : uint8_t { kNow, kBefore, kUnknown };

// Requires that the caller holds the lock.
Saved SaveUnlessSaved(Env& env, Connection& store, const std::string& result) {
  const std::array<std::string_view, 2> exists{"EXISTS", result};
  const CallResult there = store.Call(exists, env.Mono() + kCallTimeout);
  if (!there) return Saved::kUnknown;
  if (there->IsInteger(1)) return Saved::kBefore;
  env.SleepUntil(env.Mono() + 200ms);  // the work
  const std::array<std::string_view, 3> save{"RPUSH", result, "done"};
  return store.Call(save, env.Mono() + kCallTimeout) ? Saved::kNow : Saved::kUnknown;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::cerr << "save_once tcp:HOST:PORT|unix:PATH USER TASK [wait]\n";
    return 3;
  }
  const Result<NodeAddress> server = ParseAddress(argv[1]);
  if (!server) {
    std::cerr << server.error().message << "\n";
    return 3;
  }
  // Node 0 keeps the data, node 1 the locks. Here one server is both.
  const RealProcess process{.addresses = {*server, *server}};
  RealEnv env(process, TaskKind::kSession);
  const std::unique_ptr<Lock> lock = MakeLockNamed("set-nx-px", env);
  const std::unique_ptr<Connection> store = env.clients().redis().Connect(kStoreId);

  const std::array<std::string_view, 1> ping{"PING"};
  if (!store->Call(ping, env.Mono() + kCallTimeout)) {
    std::cerr << argv[1] << " does not answer\n";
    return 4;
  }
  const bool waits = argc > 4 && std::string_view(argv[4]) == "wait";
  const RetryPolicy policy{.interval = 100ms,
                           .timeout = waits ? Duration(5s) : Duration::zero(),
                           .call_timeout = kCallTimeout};
  const LockKey key = MakeLockKey("finish-task", {argv[2], argv[3]});
  Saved saved = Saved::kUnknown;
  const Entry entry = WithLock(env, *lock, key, kLease, policy, [&](const Grant&) {
    saved = SaveUnlessSaved(env, *store, "result:" + key.name);
  });
  if (!entry.entered) {
    std::cout << "busy\n";
    return 1;
  }
  if (saved == Saved::kUnknown) {
    std::cerr << argv[1] << " does not answer: perhaps saved\n";
    return 4;
  }
  std::cout << (saved == Saved::kNow ? "saved\n" : "saved before\n");
  return 0;
}
