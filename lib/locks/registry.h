// The registry of lock variants; registry.cc has one line for each.
#ifndef DOUBLEHOLD_LIB_LOCKS_REGISTRY_H_
#define DOUBLEHOLD_LIB_LOCKS_REGISTRY_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/env.h"
#include "lib/base/lock_traits.h"
#include "lib/base/options.h"
#include "lib/base/sends.h"
#include "lib/clients/clients.h"
#include "lib/clients/etcd.h"
#include "lib/clients/redis.h"
#include "lib/locks/lock.h"

namespace doublehold {

// The arguments of a lock's constructor. `env` must outlive the lock; the rest is copied.
struct LockContext {
  Env& env;
  int client = 0;     // unique in the run; part of every owner and hold
  int thread = 0;     // index among the client's sessions
  uint64_t seed = 0;  // of the run
  int nodes = 1;      // 1..nodes keep lock keys
  Lease lease{};      // the plan's lease; options counted in leases refer to it
  Duration call_timeout{};
  Options options;

  [[nodiscard]] RedisClients& redis() const { return env.clients().redis(); }
  [[nodiscard]] ZooKeeperClients& zookeeper() const { return env.clients().zookeeper(); }
  [[nodiscard]] EtcdClients& etcd() const { return env.clients().etcd(); }
};

using Trait = LockTrait;
std::string_view Name(Trait trait);  // for example "admits readers together"

// The times of a variant's source, for runs with lock.pace = "source". Durations are in the user's
// syntax. An empty duration or a negative number means the default of all locks.
struct SourcePace {
  std::string_view lease{};
  std::string_view interval{};  // between two tries
  int64_t retries = -1;
  std::string_view timeout{};
};

// The services in which locks keep their keys.
constexpr std::string_view kRedisService = "redis";
constexpr std::string_view kPostgresService = "postgres";
constexpr std::string_view kMariaDbService = "mariadb";
constexpr std::string_view kZooKeeperService = "zookeeper";
constexpr std::string_view kEtcdService = "etcd";

// An option of locks on PostgreSQL: the pooler between clients and the server, which the service
// starts.
constexpr const char* kThroughPooler = "through-pooler";
constexpr std::string_view kNoPooler = "none";

// Says how long what is left of a key will keep others out, in ms: kNothingLeft, kLeftForEver, or
// a number of at least 0. Returns nothing if the node does not answer.
using AskLeft = std::function<std::optional<int64_t>(const LockKey&, Deadline)>;
constexpr int64_t kNothingLeft = -2;
constexpr int64_t kLeftForEver = -1;

// A trait that a lock has too if an option has this value. A flag has the value "true" or "false".
struct OptionTrait {
  std::string_view option, value;
  Trait trait;
};

struct LockEntry {
  std::string_view name;
  std::string_view summary;                  // one line for `doublehold list locks`
  std::string_view service = kRedisService;  // where the lock keeps its keys
  int least_nodes = 1;
  int most_nodes = 1;
  std::vector<OptionSpec> options{};
  // The commands that the lock sends to its nodes, including those of Extend. Empty if not known.
  std::optional<Sends> sends{};
  std::unique_ptr<Lock> (*make)(const LockContext&) = nullptr;
  LockTraits traits{};
  std::vector<OptionTrait> option_traits{};
  std::vector<Step> steps{};  // steps that the lock announces between its commands
  // Makes the question to a node what is left of keys. Null: Redis' PTTL of the key.
  AskLeft (*ask_left)(Env&, NodeId, Lease) = nullptr;
  bool has_leases = true;  // false: the lock's grants never end
  bool extends = true;     // false: Extend does nothing, so a grant ends with its first lease
  // Whether the key's value contains the end of the lease. If so, a key without expiry does no
  // harm.
  bool end_is_in_value = false;
  // Default write mode of the stock under this lock. For lock-free variants: the only write mode.
  std::string_view write{};
  // The waiting times if the experiment sets none, as in the variant's source. Empty: the default
  // of all locks.
  std::string_view retry_interval{}, retry_longest{};
  double retry_growth = 1;
  SourcePace source{};

  [[nodiscard]] bool Has(Trait trait) const { return traits.Has(trait); }
};

// An implementation of LockEntry::make.
template <typename Variant>
std::unique_ptr<Lock> MakeLock(const LockContext& context) {
  return std::make_unique<Variant>(context);
}

std::span<const LockEntry> Locks();
// The lock `driver` is not in Locks(). A user's program serves this lock (docs/driver-protocol.md)
// and determines its traits. `make` is null, because the code that starts the program also makes
// the lock.
constexpr std::string_view kDriverLock = "driver";
const LockEntry& DriverEntry();
// Finds a lock of Locks(), or the lock `driver`. Returns null when no lock has this name.
const LockEntry* FindLock(std::string_view name);
// Returns the names of the locks with a trait.
std::vector<std::string> LocksWith(Trait trait);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_LOCKS_REGISTRY_H_
