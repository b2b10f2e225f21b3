// The abilities and mechanisms of a lock variant, as far as workloads and checkers need them. A
// variant's registry entry (lib/locks/registry.h) states them, and they are stored in the history.
// `Locks()` adds kSendsOnce, unless an option of the lock decides that.
#ifndef DOUBLEHOLD_LIB_BASE_LOCK_TRAITS_H_
#define DOUBLEHOLD_LIB_BASE_LOCK_TRAITS_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "lib/base/trait_set.h"

namespace doublehold {

enum class LockTrait : uint8_t {
  kToken,         // grants carry a fencing token
  kReaders,       // LockKey::shared grants the lock to several readers
  kReentry,       // the owner may re-enter
  kManyKeys,      // several keys, all or none
  kQueue,         // grants follow the order of arrival
  kLockFree,      // acquires no lock; the stock is protected by the commands that write it
  kClientClocks,  // stores an instant of its client's wall clock in the key, and relies on it
  kLooksFirst,    // its release reads the owner, and deletes the key in a second command
  kMajority,      // needs more than half of its nodes
  kGrantsAll,     // excludes nobody
  kSession,       // lasts as long as the holder's session, which a restart of its server ends
  kEachServer,    // each of n servers grants it by itself; client c uses server c, modulo n
  kLentSession,   // a pooler may lend the session that holds it to other clients
  kIgnoresEnd,    // its client goes on as the holder without knowing that its session lives
  kSendsOnce,     // sends each request at most once, also if it has no answer
};

// Names as in histories: "client-clocks".
std::span<const std::string_view> NamesOfAll(LockTrait);

using LockTraits = TraitSet<LockTrait>;

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_BASE_LOCK_TRAITS_H_
