// The lock variants there are: one explicit line each in registry.cc.
#ifndef DOUBLEHOLD_LIB_LOCKS_REGISTRY_H_
#define DOUBLEHOLD_LIB_LOCKS_REGISTRY_H_

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "lib/base/env.h"
#include "lib/base/options.h"
#include "lib/locks/lock.h"

namespace doublehold {

// Everything a lock is made from. `env` outlives the lock; the rest is copied.
struct LockContext {
  Env& env;
  int client = 0;     // unique in the run; part of every owner and hold
  uint64_t seed = 0;  // of the run
  int nodes = 1;      // 1..nodes keep lock keys
  Lease lease{};      // of the plan: what options in leases were counted in
  Duration call_timeout{};
  Options options;
};

struct LockEntry {
  std::string_view name;
  std::string_view summary;  // one line for `doublehold list locks`
  int least_nodes = 1;       // 0: none needed
  int most_nodes = 1;
  std::vector<OptionSpec> options;
  std::unique_ptr<Lock> (*make)(const LockContext&) = nullptr;
  bool end_is_in_value = false;  // so that a key without expiry in Redis blocks nobody for ever
};

std::span<const LockEntry> Locks();
// Null when there is none of that name.
const LockEntry* FindLock(std::string_view name);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_LOCKS_REGISTRY_H_
