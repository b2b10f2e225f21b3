// Acquires several keys at once, all or none, as Redisson's MultiLock does. Works with any Lock, so
// that a RecordedLock can record the attempts on each key.
//
//   WithLocks(env, *lock, keys, lease, policy, [&](std::span<const Grant> grants) { ... });
//
// If Lock::TakesKeysTogether(), one attempt acquires all keys, and the lock itself must avoid
// deadlocks. Otherwise the keys are acquired one by one, in rounds. There is no deadlock in any
// order of the keys, because each round has a time limit. A round that reaches its limit releases
// all keys. The next round begins after a pause of random length. There are no more rounds after
// the policy's timeout.
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

// Owns grants and releases them all, in its destructor at the latest. Does not release a variant
// that stays locked on a throw if an exception is in flight. Not thread-safe. `lock` and `env` must
// outlive this object.
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
  int exceptions_ = std::uncaught_exceptions();  // number of exceptions in flight at construction
};

// Records one wait for each key. Each of these waits covers the whole operation.
void RecordWaits(Env& env, std::span<const LockKey> keys);
void RecordWaited(Env& env, std::span<const LockKey> keys, std::span<const Grant> grants);

// Like WithLock, but for several keys. Announces each step once for all keys.
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
