// A lock variant: three operations that make one attempt each and do not wait. The retry policy
// waits (retry.h).
#ifndef DOUBLEHOLD_LIB_LOCKS_LOCK_H_
#define DOUBLEHOLD_LIB_LOCKS_LOCK_H_

#include <cstdint>
#include <string>
#include <variant>

#include "lib/base/connection.h"
#include "lib/base/time.h"

namespace doublehold {

struct LockKey {
  std::string name;     // the key in Redis
  uint16_t index = 0;   // the key in a history
  bool shared = false;  // asks for shared access; only some variants support readers
};

struct Grant {
  LockKey key;
  std::string owner;       // proves ownership to the node
  uint64_t hold = 0;       // identifies this grant in the history; unique in a run
  MonoTime valid_until{};  // counted from the invocation; MonoTime::max(): no end
  int64_t token = 0;       // fencing token; 0: the variant has none
  bool shared = false;     // other readers may hold the key too
};

struct Granted {
  Grant grant;
};
struct Busy {
  Duration retry_hint{};  // upper bound of the holder's remaining lease; 0: not known
};
struct Unknown {
  Grant perhaps;  // the grant to release if it was made after all
};
using AcquireResult = std::variant<Granted, Busy, Unknown>;

struct Extended {
  MonoTime valid_until{};
};
struct Lost {};       // the key certainly belongs to another owner or to none
struct Undecided {};  // the extension may have been carried out
using ExtendResult = std::variant<Extended, Lost, Undecided>;

// kReleased: the caller's own lock was freed.
// kFreed: a lock was freed, whoever its owner was: the variant does not compare.
// kNotOwner: nothing was freed, or the caller had no lock there.
enum class [[nodiscard]] ReleaseResult : uint8_t{kReleased, kFreed, kNotOwner, kUnknown};

// Makes one attempt at a time. Not thread-safe: each client task has its own Lock.
class Lock {
 public:
  virtual ~Lock() = default;

  // Tries once; never waits for another holder.
  // Granted: the caller holds `key` until Grant::valid_until unless it extends.
  // Busy:    another owner holds it, or there is no quorum. Nothing is left on nodes that answer.
  // Unknown: the request may have been carried out. The caller must not enter, and should Release
  //          unless that could free another owner's lock (ReleasesAnothers).
  [[nodiscard]] virtual AcquireResult TryAcquire(const LockKey& key, Lease lease,
                                                 Deadline deadline) = 0;
  // Makes the grant's lease end `lease` from now.
  [[nodiscard]] virtual ExtendResult Extend(const Grant& grant, Lease lease, Deadline deadline) = 0;
  virtual ReleaseResult Release(const Grant& grant, Deadline deadline) = 0;

  // Called when the caller stops trying for a key that it was not granted, to leave a queue.
  virtual ReleaseResult GiveUp(const LockKey& key, Deadline deadline) {
    (void)key, (void)deadline;
    return ReleaseResult::kNotOwner;
  }

  // Defects of some variants. The first: GiveUp frees the lock of whoever holds it. The second: the
  // lock stays taken when the section throws.
  [[nodiscard]] virtual bool FreesOnGivingUp() const { return false; }
  [[nodiscard]] virtual bool StaysLockedOnThrow() const { return false; }
  // Whether Release may free another owner's lock. Then an acquire of unknown outcome must not be
  // released.
  [[nodiscard]] virtual bool ReleasesAnothers() const { return false; }
  // Whether a watchdog extends every grant until its release.
  [[nodiscard]] virtual bool ExtendsByItself() const { return false; }

  // A subscription that becomes readable when the key is released, or null. Owned by the lock.
  [[nodiscard]] virtual Subscription* WakeUps(const LockKey& key) {
    (void)key;
    return nullptr;
  }
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_LOCKS_LOCK_H_
