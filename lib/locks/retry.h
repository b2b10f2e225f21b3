// The retry policy: how to wait for a lock. All variants use the same policy.
#ifndef DOUBLEHOLD_LIB_LOCKS_RETRY_H_
#define DOUBLEHOLD_LIB_LOCKS_RETRY_H_

#include "lib/base/env.h"
#include "lib/locks/lock.h"

namespace doublehold {

struct RetryPolicy {
  Duration interval = 50ms;    // between two tries
  double growth = 1;           // factor between consecutive intervals, at least 1
  Duration longest = 1s;       // limit of the growing interval
  double jitter = 0;           // 0..1: this share of the interval is random
  int64_t retries = -1;        // limit of tries after the first, or -1 for no limit
  Duration timeout{};          // gives up after this time, or after one try if 0
  Duration call_timeout = 1s;  // for one try
};

// Tries, waits, and tries again.
// Granted: the lock is held.
// Busy:    gave up, because of the timeout, the retries, or the end of the run.
// Unknown: gave up, and the last try may have been carried out.
// After a try of unknown outcome, releases the lock before the next try, unless the release could
// free another owner's lock. If the variant has a channel, waits for a message, at most for the
// holder's remaining lease. Otherwise tries again after each interval. Calls Lock::GiveUp unless
// the lock is granted.
[[nodiscard]] AcquireResult AcquireWithRetry(Env& env, Lock& lock, const LockKey& key, Lease lease,
                                             const RetryPolicy& policy);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_LOCKS_RETRY_H_
