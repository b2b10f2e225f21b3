// A lock variant: three operations that make one attempt each and do not wait. The retry policy
// waits (retry.h).
#ifndef DOUBLEHOLD_LIB_LOCKS_LOCK_H_
#define DOUBLEHOLD_LIB_LOCKS_LOCK_H_

#include "lib/base/subscription.h"
#include "lib/locks/grant.h"

namespace doublehold {

// Not thread-safe: each client task has its own Lock, and makes one attempt at a time.
class Lock {
 public:
  virtual ~Lock() = default;

  // Tries once. Does not wait for another holder.
  // Granted: the caller holds `key` until Grant::valid_until, or longer if it extends the grant.
  // Busy:    another owner has the key, or no quorum. At most a place in a queue remains (GiveUp).
  // Unknown: the request may have been carried out. The caller must not enter, and should Release
  //          unless that could free another owner's lock (ReleasesAnothers).
  [[nodiscard]] virtual AcquireResult TryAcquire(const LockKey& key, Lease lease,
                                                 Deadline deadline) = 0;
  // Makes the grant's lease end `lease` from now.
  [[nodiscard]] virtual ExtendResult Extend(const Grant& grant, Lease lease, Deadline deadline) = 0;
  virtual ReleaseResult Release(const Grant& grant, Deadline deadline) = 0;

  // Call after the last failed attempt to acquire a key. Removes the caller from the key's queue.
  virtual ReleaseResult GiveUp(const LockKey& key, Deadline deadline) {
    (void)key, (void)deadline;
    return ReleaseResult::kNotOwner;
  }

  // Defects of some variants. FreesOnGivingUp: GiveUp frees the lock, whoever holds it.
  // StaysLockedOnThrow: the lock stays locked when the section throws.
  [[nodiscard]] virtual bool FreesOnGivingUp() const { return false; }
  [[nodiscard]] virtual bool StaysLockedOnThrow() const { return false; }
  // Whether Release may free another owner's lock. If so, an acquire of unknown outcome must not be
  // released.
  [[nodiscard]] virtual bool ReleasesAnothers() const { return false; }
  // Whether one attempt can acquire several keys (LockKey::also), which one release frees.
  [[nodiscard]] virtual bool TakesKeysTogether() const { return false; }
  // Whether a watchdog extends every grant until its release.
  [[nodiscard]] virtual bool ExtendsByItself() const { return false; }
  // Whether a holder should extend a grant although its lease has no known end.
  [[nodiscard]] virtual bool ExtendsWithoutLease() const { return false; }

  // Returns a subscription that gets a message when the key is released. Returns null if the
  // variant publishes no messages. The lock owns the subscription.
  [[nodiscard]] virtual Subscription* WakeUps(const LockKey& key) {
    (void)key;
    return nullptr;
  }
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_LOCKS_LOCK_H_
