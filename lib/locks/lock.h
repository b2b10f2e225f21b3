// What a lock variant is: three operations, one attempt each, without waiting. Waiting is the retry
// policy's business (retry.h).
#ifndef DOUBLEHOLD_LIB_LOCKS_LOCK_H_
#define DOUBLEHOLD_LIB_LOCKS_LOCK_H_

#include <cstdint>
#include <string>
#include <variant>

#include "lib/base/connection.h"
#include "lib/base/time.h"

namespace doublehold {

struct LockKey {
  std::string name;     // as it stands in Redis
  uint16_t index = 0;   // as it stands in a history
  bool shared = false;  // only to read: of variants that let readers in together
};

struct Grant {
  LockKey key;
  std::string owner;       // what proves ownership to the node
  uint64_t hold = 0;       // this grant in the history; unique in a run
  MonoTime valid_until{};  // counted from the invocation; MonoTime::max(): never ends
  int64_t token = 0;       // fencing token; 0: the variant has none
  bool shared = false;     // other readers may hold it too
};

struct Granted {
  Grant grant;
};
struct Busy {
  Duration retry_hint{};  // how long the holder's lease lasts at most; 0: the node did not tell
};
struct Unknown {
  Grant perhaps;  // what was perhaps granted, for Release
};
using AcquireResult = std::variant<Granted, Busy, Unknown>;

struct Extended {
  MonoTime valid_until{};
};
struct Lost {};       // another owner's, or nobody's: certainly not ours
struct Undecided {};  // the extension may have been carried out
using ExtendResult = std::variant<Extended, Lost, Undecided>;

// kReleased: the caller's own lock. kFreed: a lock, whoever's it was: the variant did not look.
// kNotOwner: nothing was freed, or nothing of the caller's was there.
enum class [[nodiscard]] ReleaseResult : uint8_t{kReleased, kFreed, kNotOwner, kUnknown};

// One attempt at a time on one variant. Not thread-safe: one Lock a client task.
class Lock {
 public:
  virtual ~Lock() = default;

  // Tries once; never waits for another holder.
  // Granted: the caller holds `key` until Grant::valid_until unless it extends.
  // Busy:    another owner holds it, or no quorum was had; nothing of this attempt is left behind, as far as nodes answer.
  // Unknown: the request may have been carried out. The caller must not enter, and should Release,
  // unless that would free another's lock (ReleasesAnothers).
  [[nodiscard]] virtual AcquireResult TryAcquire(const LockKey& key, Lease lease,
                                                 Deadline deadline) = 0;
  // Makes the lease of a grant end `lease` after now.
  [[nodiscard]] virtual ExtendResult Extend(const Grant& grant, Lease lease, Deadline deadline) = 0;
  virtual ReleaseResult Release(const Grant& grant, Deadline deadline) = 0;

  // Called when a caller stops trying for a key that it was not granted: leaves a queue, say.
  virtual ReleaseResult GiveUp(const LockKey& key, Deadline deadline) {
    (void)key, (void)deadline;
    return ReleaseResult::kNotOwner;
  }

  // Defects that some variants have. The first: GiveUp frees the lock, as if it were the caller's.
  // The second: a section that throws leaves the lock taken.
  [[nodiscard]] virtual bool FreesOnGivingUp() const { return false; }
  [[nodiscard]] virtual bool StaysLockedOnThrow() const { return false; }
  // Release frees the lock also when it is another's. So what was only perhaps granted is not
  // released: it may be.
  [[nodiscard]] virtual bool ReleasesAnothers() const { return false; }
  // A watchdog extends every grant until it is released.
  [[nodiscard]] virtual bool ExtendsByItself() const { return false; }

  // Becomes readable when the key is released, for variants that tell; else null. Owned by the
  // lock.
  [[nodiscard]] virtual Subscription* WakeUps(const LockKey& key) {
    (void)key;
    return nullptr;
  }
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_LOCKS_LOCK_H_
