#include "lib/locks/registry.h"

#include <algorithm>
#include <array>

// The registry: one line for each variant, in the order of `doublehold list locks`. Each row is a
// function in the variant's own file.
#define DOUBLEHOLD_LOCKS(ROW) \
  ROW(NoneLock)               \
  ROW(SetnxGetsetLock)        \
  ROW(SetnxGetsetExpiredLock) \
  ROW(SetnxExpireLock)        \
  ROW(SetNxPxDelLock)         \
  ROW(SetNxPxGetDelLock)      \
  ROW(SetNxPxLock)            \
  ROW(SetNxPxReentrantLock)   \
  ROW(RedissonLock)           \
  ROW(RedissonFairLock)       \
  ROW(RedissonMultiLock)      \
  ROW(RedissonReadWriteLock)  \
  ROW(RedissonFencedLock)     \
  ROW(RedissonSpinLock)       \
  ROW(RedlockLock)            \
  ROW(RedlockRedissonLock)    \
  ROW(FencedLock)             \
  ROW(WatchLock)              \
  ROW(VersionLock)            \
  ROW(AtomicScriptLock)       \
  ROW(ZooKeeperQueueLock)     \
  ROW(ZooKeeperReadWriteLock) \
  ROW(EtcdMutexLock)          \
  ROW(EtcdApiLock)            \
  ROW(PostgresAdvisoryLock)   \
  ROW(PostgresLeaseLock)      \
  ROW(PostgresRowLock)        \
  ROW(MariaDbGetLockLock)

namespace doublehold {

#define DOUBLEHOLD_DECLARE(row) LockEntry row();
DOUBLEHOLD_LOCKS(DOUBLEHOLD_DECLARE)
#undef DOUBLEHOLD_DECLARE

std::span<const LockEntry> Locks() {
#define DOUBLEHOLD_CALL(row) row(),
  static const std::array entries{DOUBLEHOLD_LOCKS(DOUBLEHOLD_CALL)};
#undef DOUBLEHOLD_CALL
  return entries;
}

const LockEntry& DriverEntry() {
  static const LockEntry entry{
      .name = kDriverLock,
      .summary = "any lock library, behind a driver program (--driver COMMAND)",
      .most_nodes = 15};
  return entry;
}

const LockEntry* FindLock(std::string_view name) {
  if (name == kDriverLock) return &DriverEntry();
  for (const LockEntry& entry : Locks()) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

std::vector<std::string> LocksWith(Trait trait) {
  std::vector<std::string> names;
  for (const LockEntry& entry : Locks()) {
    if (entry.Has(trait)) names.emplace_back(entry.name);
  }
  return names;
}

std::string_view Name(Trait trait) {
  constexpr std::array<std::string_view, 10> kNames{"gives fencing tokens",
                                                    "admits readers together",
                                                    "is reentrant",
                                                    "takes several keys at once",
                                                    "grants in queue order",
                                                    "takes no lock",
                                                    "depends on its clients' clocks",
                                                    "checks the owner on release",
                                                    "needs a majority of its nodes",
                                                    "excludes no client"};
  return kNames[static_cast<size_t>(trait)];
}

}  // namespace doublehold
