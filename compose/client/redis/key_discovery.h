// What a library left behind of a lock, whatever names it keeps it under.
#ifndef DOUBLEHOLD_COMPOSE_CLIENT_REDIS_KEY_DISCOVERY_H_
#define DOUBLEHOLD_COMPOSE_CLIENT_REDIS_KEY_DISCOVERY_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compose/client/redis/leftover_keys.h"

namespace doublehold {

// As RecordExpiries, of a lock that a library may keep as `lock:KEY`, with counters and queues
// beside it that stay. The lock's own are those that are there while it is held, and at no other
// time. To be used by one task; `env` and `lock` outlive it.
class LibraryKeys {
 public:
  LibraryKeys(Env& env, int nodes, LockKey key, ProbeTerms terms)
      : env_(env), nodes_(nodes), key_(std::move(key)), terms_(terms) {}

  // To be asked when nobody holds it, and before anybody probes. Records what is there under the
  // lock's own name.
  void Look();
  // After a probe: finds out the names by having the lock once more, and records what Look saw of
  // them, with the time that they have left now; `info` of a node where that cannot be said.
  void Record(Lock& lock);

 private:
  using Expiries = std::map<std::string, int64_t>;  // PTTL's answers, by name
  using Names = std::set<std::string>;
  struct Seen {
    int node = 0;
    MonoTime at{};
    Expiries keys{};
  };

  std::optional<Expiries> Related(Connection& node);
  // What is there besides the `expected` ones may be about to go.
  std::vector<Seen> Await(const Names& expected);
  Names OwnNames(Lock& lock);
  void Note(EventType type, int64_t pttl_ms, int node);

  Env& env_;
  int nodes_;
  LockKey key_;
  ProbeTerms terms_;
  std::vector<Seen> open_{};  // that Look saw, and has not recorded
  Names before_{};
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLIENT_REDIS_KEY_DISCOVERY_H_
