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
  static const auto entries = [] {
    std::array all{DOUBLEHOLD_LOCKS(DOUBLEHOLD_CALL)};
    // A lock sends each request once, unless its `option_traits` name an option that decides this.
    for (LockEntry& entry : all) {
      if (std::ranges::find(entry.option_traits, Trait::kSendsOnce, &OptionTrait::trait) ==
          entry.option_traits.end())
        entry.traits.Add(Trait::kSendsOnce);
    }
    return all;
  }();
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
  // No default: the compiler names a trait that is missing here.
  switch (trait) {
    case Trait::kToken:
      return "gives fencing tokens";
    case Trait::kReaders:
      return "admits readers together";
    case Trait::kReentry:
      return "is reentrant";
    case Trait::kManyKeys:
      return "takes several keys at once";
    case Trait::kQueue:
      return "grants in queue order";
    case Trait::kLockFree:
      return "takes no lock";
    case Trait::kClientClocks:
      return "depends on its clients' clocks";
    case Trait::kLooksFirst:
      return "checks the owner in a separate command";
    case Trait::kMajority:
      return "needs a majority of its nodes";
    case Trait::kGrantsAll:
      return "excludes no client";
    case Trait::kSession:
      return "belongs to a session";
    case Trait::kEachServer:
      return "is granted by each server alone";
    case Trait::kLentSession:
      return "may share its session";
    case Trait::kIgnoresEnd:
      return "ignores the end of its session";
    case Trait::kSendsOnce:
      return "sends each request once";
  }
  return "";
}

}  // namespace doublehold
