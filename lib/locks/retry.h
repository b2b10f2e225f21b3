// How to wait for a lock: apart from every variant, the same for all of them.
#ifndef DOUBLEHOLD_LIB_LOCKS_RETRY_H_
#define DOUBLEHOLD_LIB_LOCKS_RETRY_H_

#include "lib/base/env.h"
#include "lib/locks/lock.h"

namespace doublehold {

struct RetryPolicy {
  Duration interval = 50ms;    // between two tries
  double growth = 1;           // each interval is so many times the one before it, from 1
  Duration longest = 1s;       // that growing leads to
  double jitter = 0;           // 0..1: that share of the interval is drawn at random
  int64_t retries = -1;        // further tries after the first; -1: no limit
  Duration timeout{};          // gives up after this; 0: one try
  Duration call_timeout = 1s;  // of one try
};

// Tries, waits, tries again. Granted; Busy: gave up, after the time-out, the retries, or because
// the run is stopping;
// Unknown: gave up, and the last try may have been carried out. After every try of unknown outcome
// the perhaps-granted lock is released before the next, where that cannot free another's. A variant
// that tells of releases is waited for on its channel, for as long as the holder's lease lasts at
// most; the others are asked again after each interval. Who gives up says so (Lock::GiveUp).
[[nodiscard]] AcquireResult AcquireWithRetry(Env& env, Lock& lock, const LockKey& key, Lease lease,
                                             const RetryPolicy& policy);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_LOCKS_RETRY_H_
