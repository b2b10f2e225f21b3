// Several keys at once, all or none, as Redisson's MultiLock takes them. Over any Lock, so that
// each key's attempts are recorded like any other's.
//
//   WithLocks(env, *lock, keys, lease, policy, [&](std::span<const Grant> grants) { ... });
//
// Nobody deadlocks, in whatever order the keys are named: a round of taking them has a bound; at
// its end everything is given back, and after a pause of random length the next round begins, until
// the policy's time-out.
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

// A grant for each key, in the order given; or none at all. The keys differ from each other.
[[nodiscard]] std::vector<Grant> AcquireAll(Env& env, Lock& lock, std::span<const LockKey> keys,
                                            Lease lease, const RetryPolicy& policy);

// Owns grants and releases them all, at the latest when it goes: but for a variant that stays
// locked when the section throws. Not thread-safe; lock and env outlive it.
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
  int exceptions_ = std::uncaught_exceptions();  // on their way when it was made
};

// A wait around the whole, for each key.
void RecordWaits(Env& env, std::span<const LockKey> keys);
void RecordWaited(Env& env, std::span<const LockKey> keys, std::span<const Grant> grants);

// As WithLock. Each step is announced once for all keys.
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
