// The lock variants there are: one explicit line each in registry.cc.
#ifndef DOUBLEHOLD_LIB_LOCKS_REGISTRY_H_
#define DOUBLEHOLD_LIB_LOCKS_REGISTRY_H_

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
#include "lib/locks/lock.h"

namespace doublehold {

// Everything a lock is made from. `env` outlives the lock; the rest is copied.
struct LockContext {
  Env& env;
  int client = 0;     // unique in the run; part of every owner and hold
  int thread = 0;     // which of the client's sessions
  uint64_t seed = 0;  // of the run
  int nodes = 1;      // 1..nodes keep lock keys
  Lease lease{};      // of the plan: what options in leases were counted in
  Duration call_timeout{};
  Options options;
};

using Trait = LockTrait;
std::string_view Name(Trait trait);  // "lets readers in together"

// The times of a variant's source, by which a run goes that asks for them (lock.pace = "source").
// Durations as a user writes them; an empty one, or a negative number: as every lock here does.
struct SourcePace {
  std::string_view lease{};
  std::string_view interval{};  // between two tries
  int64_t retries = -1;
  std::string_view timeout{};
};

struct LockEntry {
  std::string_view name;
  std::string_view summary;  // one line for `doublehold list locks`
  int least_nodes = 1;
  int most_nodes = 1;
  std::vector<OptionSpec> options{};
  // To its nodes, with what Extend would send, whether or not a watchdog calls it. Nothing: it is
  // not known.
  std::optional<Sends> sends{};
  std::unique_ptr<Lock> (*make)(const LockContext&) = nullptr;
  LockTraits traits{};
  std::vector<Step> steps{};     // that it announces by itself, between its commands
  bool has_leases = true;        // else its grants never end
  bool end_is_in_value = false;  // so that a key without expiry in Redis blocks nobody for ever
  // How stock is to be written under it, when the experiment does not say; lock-free: how it must
  // be.
  std::string_view write{};
  // How its source waits, when the experiment does not say; empty: as every lock here does.
  std::string_view retry_interval{}, retry_longest{};
  double retry_growth = 1;
  SourcePace source{};

  [[nodiscard]] bool Has(Trait trait) const { return traits.Has(trait); }
};

// For LockEntry::make.
template <typename Variant>
std::unique_ptr<Lock> MakeLock(const LockContext& context) {
  return std::make_unique<Variant>(context);
}

std::span<const LockEntry> Locks();
// Besides them: the lock that a program of the user's serves (docs/driver-protocol.md). What it can
// is that program's; its `make` is null, for whoever has the program makes it.
constexpr std::string_view kDriverLock = "driver";
const LockEntry& DriverEntry();
// Of both. Null when there is none of that name.
const LockEntry* FindLock(std::string_view name);
// The names of those with a trait.
std::vector<std::string> LocksWith(Trait trait);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_LOCKS_REGISTRY_H_
