// The requests and results of a lock: LockKey, Grant, and the result types.
#ifndef DOUBLEHOLD_LIB_LOCKS_GRANT_H_
#define DOUBLEHOLD_LIB_LOCKS_GRANT_H_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "lib/base/time.h"

namespace doublehold {

struct LockKey {
  std::string name;     // the key in the lock's service
  uint16_t index = 0;   // the key in a history
  bool shared = false;  // asks for shared access; only some variants support readers
  // Further keys of the same attempt, which grants all keys or none. Requires
  // Lock::TakesKeysTogether().
  std::vector<LockKey> also{};
};

struct Grant {
  LockKey key;
  std::string owner;  // owner text, which proves ownership to the node
  // Identifies this grant in the history; unique in a run. The keys of
  // LockKey::also have the next numbers, in their order.
  uint64_t hold = 0;
  MonoTime valid_until{};  // counted from the invocation, or MonoTime::max() for no end
  int64_t token = 0;       // fencing token, or 0 if the variant has no tokens
  bool shared = false;     // other readers may hold the key too
};

struct Granted {
  Grant grant;
};
struct Busy {
  Duration retry_hint{};  // upper bound of the holder's remaining lease, or 0 if not known
};
struct Unknown {
  Grant perhaps;  // the grant to release, in case the node executed the request
};
using AcquireResult = std::variant<Granted, Busy, Unknown>;

struct Extended {
  MonoTime valid_until{};
};
struct Lost {};       // the key certainly belongs to another owner or to none
struct Undecided {};  // the extension may have been carried out
using ExtendResult = std::variant<Extended, Lost, Undecided>;

// kReleased: the caller's own lock was freed.
// kFreed: a lock was freed without comparing its owner.
// kNotOwner: no lock was freed, because the caller did not own it.
// kNoLock: there was no lock to free. Its owner would not have been compared.
enum class [[nodiscard]] ReleaseResult : uint8_t{kReleased, kFreed, kNotOwner, kNoLock, kUnknown};
inline bool FreedNothing(ReleaseResult result) {
  return result == ReleaseResult::kNotOwner || result == ReleaseResult::kNoLock;
}

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_LOCKS_GRANT_H_
