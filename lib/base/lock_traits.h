// What a lock variant can do besides locking one key for one owner, and how it does it, as far as
// it matters to workloads and to who judges a history. Its registry entry (lib/locks/registry.h)
// says it, and it travels in the history.
#ifndef DOUBLEHOLD_LIB_BASE_LOCK_TRAITS_H_
#define DOUBLEHOLD_LIB_BASE_LOCK_TRAITS_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "lib/base/trait_set.h"

namespace doublehold {

enum class LockTrait : uint8_t {
  kToken,         // grants carry a fencing token
  kReaders,       // LockKey::shared lets readers in together
  kReentry,       // its owner may enter again
  kManyKeys,      // several keys, all or none
  kQueue,         // grants in the order of arrival
  kLockFree,      // takes no lock at all: what protects the stock is how it is written
  kClientClocks,  // keeps the instant of its client's wall clock in the key, and goes by it
  kLooksFirst,    // its release looks whose the key is, and deletes it by a second command
  kMajority,      // of several nodes it needs more than half
  kGrantsAll,     // keeps nobody out
};

// "client-clocks", as histories spell it.
std::span<const std::string_view> NamesOfAll(LockTrait);

using LockTraits = TraitSet<LockTrait>;

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_BASE_LOCK_TRAITS_H_
