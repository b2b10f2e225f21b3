// Acquires several keys at once, all or none, as Redisson's MultiLock does. Works over any Lock, so
// that the attempts on each key are recorded as usual.
//
//   WithLocks(env, *lock, keys, lease, policy, [&](std::span<const Grant> grants) { ... });
//
// There is no deadlock in any order of the keys, because a round has a time limit. At its end all
// keys are released. After a pause of random length the next round begins, until the policy's
// timeout.
#ifndef DOUBLEHOLD_LIB_LOCKS_REDIS_REDISSON_MULTI_H_
#define DOUBLEHOLD_LIB_LOCKS_REDIS_REDISSON_MULTI_H_

#include <exception>
#include <span>
#include <utility>
#include <vector>

#include "lib/locks/retry.h"

namespace doublehold {

struct ManyEntry {
  bool entered = false;
};

// Returns a grant for each key, in the given order, or an empty list. The keys must differ.
[[nodiscard]] std::vector<Grant> AcquireAll(Env& env, Lock& lock, std::span<const LockKey> keys,
                                            Lease lease, const RetryPolicy& policy);

// Owns grants and releases them all, in its destructor at the latest. A variant that stays locked
// on a throw is not released then. Not thread-safe; `lock` and `env` must outlive it.
class HeldLocks {
 public:
  HeldLocks(Env& env, Lock& lock, std::vector<Grant> grants, Duration call_timeout)
      : env_(env), lock_(lock), grants_(std::move(grants)), call_timeout_(call_timeout) {}
  HeldLocks(const HeldLocks&) = delete;
  HeldLocks& operator=(const HeldLocks&) = delete;
  ~HeldLocks();

  [[nodiscard]] std::span<const Grant> grants() const { return grants_; }

 private:
  Env& env_;
  Lock& lock_;
  std::vector<Grant> grants_;
  Duration call_timeout_;
  int exceptions_ = std::uncaught_exceptions();  // in flight at construction
};

// Records a wait around the whole operation, for each key.
void RecordWaits(Env& env, std::span<const LockKey> keys);
void RecordWaited(Env& env, std::span<const LockKey> keys, std::span<const Grant> grants);

// Like WithLock, for several keys. Each step is announced once for all keys.
template <typename Body>
ManyEntry WithLocks(Env& env, Lock& lock, std::span<const LockKey> keys, Lease lease,
                    const RetryPolicy& policy, Body&& body) {
  RecordWaits(env, keys);
  std::vector<Grant> grants = AcquireAll(env, lock, keys, lease, policy);
  RecordWaited(env, keys, grants);
  if (grants.size() != keys.size()) return {};
  const HeldLocks held(env, lock, std::move(grants), policy.call_timeout);
  env.Reach(Step::kAfterAcquire);
  std::forward<Body>(body)(held.grants());
  return {.entered = true};
}

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_LOCKS_REDIS_REDISSON_MULTI_H_
