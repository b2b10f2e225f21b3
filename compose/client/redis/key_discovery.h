// Finds the leftover keys of a library's lock, whatever their names are.
#ifndef DOUBLEHOLD_COMPOSE_CLIENT_REDIS_KEY_DISCOVERY_H_
#define DOUBLEHOLD_COMPOSE_CLIENT_REDIS_KEY_DISCOVERY_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compose/client/redis/leftover_keys.h"

namespace doublehold {

// Returns the names of a node's keys that may belong to a lock, each with what is left of it, as
// AskLeft does. Returns nothing if the node does not answer.
using KeysLeft = std::map<std::string, int64_t>;
using AskKeys = std::function<std::optional<KeysLeft>(NodeId, Deadline)>;

// Asks for the keys in Redis whose names contain that of the lock. `env` must outlive the result.
AskKeys AskForRedisKeys(Env& env, const std::string& lock);

// Like RecordLeftovers, for a library that may store its lock as `lock:KEY`, beside counters and
// queues that it never removes. A key belongs to the lock if it exists only while the lock is held.
// Used by one task; `env` and `lock` must outlive it.
class LibraryKeys {
 public:
  LibraryKeys(Env& env, int nodes, LockKey key, ProbeTerms terms, AskKeys ask)
      : env_(env), nodes_(nodes), key_(std::move(key)), terms_(terms), ask_(std::move(ask)) {}

  // Records the keys that have the lock's own name. Call it when nobody holds the lock, before any
  // probe.
  void Look();
  // Call it after a probe. Acquires the lock once more to find the names of its keys. Records which
  // of these keys existed when Look was called, with their remaining TTL. Records `info` for a node
  // if the names were not found.
  void Record(Lock& lock);

 private:
  using Names = std::set<std::string>;
  struct Seen {
    int node = 0;
    MonoTime at{};
    KeysLeft keys{};
  };

  std::optional<KeysLeft> Ask(int node) const;
  // Returns the keys that each node has. While a node has keys other than `expected`, asks it again
  // for a part of the lease, because a release may still remove these keys.
  std::vector<Seen> Await(const Names& expected);
  Names OwnNames(Lock& lock);
  void Note(EventType type, int64_t pttl_ms, int node);

  Env& env_;
  int nodes_;
  LockKey key_;
  ProbeTerms terms_;
  AskKeys ask_;
  std::vector<Seen> open_{};  // keys that Look saw and has not recorded
  Names before_{};
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLIENT_REDIS_KEY_DISCOVERY_H_
