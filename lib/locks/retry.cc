#include "lib/locks/retry.h"

#include <algorithm>

namespace doublehold {
namespace {

// A waiter on a channel polls after this time at the latest, in case a message is lost.
constexpr Duration kLongestSilence = 1s;

Duration Times(Duration span, double factor) {
  return Duration(static_cast<int64_t>(factor * static_cast<double>(span.count())));
}

Duration DrawPause(Env& env, Duration interval, double jitter) {
  if (jitter <= 0) return interval;
  return env.Random().Between(interval - Times(interval, jitter), interval);
}

void WaitForRelease(Env& env, Lock& lock, const LockKey& key, Duration hint,
                    const RetryPolicy& policy, MonoTime give_up) {
  const MonoTime again =
      std::min(env.Mono() + DrawPause(env, policy.interval, policy.jitter), give_up);
  if (Subscription* wake_ups = lock.WakeUps(key); wake_ups != nullptr) {
    const Duration longest =
        hint > Duration::zero() ? std::min(hint, kLongestSilence) : policy.interval;
    const MonoTime until = std::min(env.Mono() + longest, give_up);
    if (wake_ups->Wait(until) || env.Mono() >= until) return;
  }
  env.SleepUntil(again);
}

AcquireResult Try(Env& env, Lock& lock, const LockKey& key, Lease lease,
                  const RetryPolicy& policy) {
  AcquireResult result = lock.TryAcquire(key, lease, env.Mono() + policy.call_timeout);
  const auto* unknown = std::get_if<Unknown>(&result);
  if (unknown != nullptr && !lock.ReleasesAnothers()) {
    [[maybe_unused]] const ReleaseResult released =
        lock.Release(unknown->perhaps, env.Mono() + policy.call_timeout);
  }
  return result;
}

}  // namespace

AcquireResult AcquireWithRetry(Env& env, Lock& lock, const LockKey& key, Lease lease,
                               const RetryPolicy& given) {
  RetryPolicy policy = given;  // a copy, because the interval grows
  const MonoTime give_up = env.Mono() + policy.timeout;
  AcquireResult result = Try(env, lock, key, lease, policy);
  for (int64_t retry = 0; !std::holds_alternative<Granted>(result); ++retry) {
    if (env.Mono() >= give_up || env.Stopping()) break;
    if (policy.retries >= 0 && retry >= policy.retries) break;
    const auto* busy = std::get_if<Busy>(&result);
    WaitForRelease(env, lock, key, busy == nullptr ? Duration::zero() : busy->retry_hint, policy,
                   give_up);
    policy.interval =
        std::max(policy.interval, std::min(Times(policy.interval, policy.growth), policy.longest));
    if (env.Mono() >= give_up || env.Stopping()) break;
    result = Try(env, lock, key, lease, policy);
  }
  if (!std::holds_alternative<Granted>(result)) {
    [[maybe_unused]] const ReleaseResult left = lock.GiveUp(key, env.Mono() + policy.call_timeout);
  }
  return result;
}

}  // namespace doublehold
