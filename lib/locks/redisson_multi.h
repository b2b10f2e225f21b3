// Several keys at once, all or none, over any Lock: tried in the order named, and all given back when one cannot be had.
#ifndef DOUBLEHOLD_LIB_LOCKS_REDISSON_MULTI_H_
#define DOUBLEHOLD_LIB_LOCKS_REDISSON_MULTI_H_

#include <span>
#include <utility>
#include <vector>

#include "lib/locks/retry.h"

namespace doublehold {

struct ManyEntry {
  bool entered = false;
};

template <typename Body>
ManyEntry WithLocks(Env& env, Lock& lock, std::span<const LockKey> keys, Lease lease,
                    const RetryPolicy& policy, Body&& body) {
  const MonoTime give_up = env.Mono() + policy.timeout;
  RetryPolicy once = policy;
  once.timeout = {};
  std::vector<Grant> grants;
  const auto give_back = [&] {
    for (const Grant& grant : grants) {
      [[maybe_unused]] const auto released = lock.Release(grant, env.Mono() + policy.call_timeout);
    }
    grants.clear();
  };
  while (true) {
    for (const LockKey& key : keys) {
      AcquireResult result = AcquireWithRetry(env, lock, key, lease, once);
      auto* granted = std::get_if<Granted>(&result);
      if (granted == nullptr) break;
      grants.push_back(std::move(granted->grant));
    }
    if (grants.size() == keys.size()) break;
    give_back();
    if (env.Mono() >= give_up || env.Stopping()) return {};
    env.SleepUntil(env.Mono() + env.Random().Between(policy.interval / 2, policy.interval));
  }
  env.Reach(Step::kAfterAcquire);
  std::forward<Body>(body)(std::span<const Grant>(grants));
  env.Reach(Step::kBeforeRelease);
  give_back();
  env.Reach(Step::kAfterRelease);
  return {.entered = true};
}

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_LOCKS_REDISSON_MULTI_H_
