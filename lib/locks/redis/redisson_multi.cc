// redisson-multi: Redisson's MultiLock. It acquires an RLock for each of several keys, in the given
// order. When a key is not granted within the waiting time, the round ends: all keys are released,
// and a new round begins.
//
// Claims:  all of the keys or none of them; no deadlock in any order of the keys; the claims of
//          redisson for each key.
// Assumes: the same as redisson. A round takes at most half a lease, so that the first key's lease
//          has not ended when the last key is granted. Within this limit the waiting time is 0.05
//          lease for each key.
// Attack:  the same as redisson, on any one of the keys. The other keys do not prevent the
//          violation.
// Source:  Redisson 3.23.5, RedissonMultiLock: a waiting time of 1.5 s for each key, with a lease
//          of 30 s. Redisson does not pause between two rounds. Here the pause is random, so that
//          two colliding clients do not collide again.

#include "lib/locks/redis/redisson_multi.h"

#include <algorithm>

#include "lib/locks/redis/redisson_family.h"

namespace doublehold {
namespace {

constexpr int kKeysPerLease = 20;   // the waiting time of this many keys is one lease
constexpr int kRoundsPerLease = 2;  // at least this many rounds fit into a lease

Duration RoundOf(size_t keys, Lease lease) {
  return std::min<Duration>(lease * static_cast<int64_t>(keys) / kKeysPerLease,
                            lease / kRoundsPerLease);
}

void ReleaseAll(Env& env, Lock& lock, std::span<const Grant> grants, Duration call_timeout) {
  if (lock.TakesKeysTogether()) grants = grants.first(std::min<size_t>(grants.size(), 1));
  for (const Grant& grant : grants) {
    [[maybe_unused]] const ReleaseResult result = lock.Release(grant, env.Mono() + call_timeout);
  }
}

// Runs one round. Returns the grants of all keys if the round took less than half a lease.
// Otherwise releases them and returns no grant.
std::vector<Grant> TryAll(Env& env, Lock& lock, std::span<const LockKey> keys, Lease lease,
                          RetryPolicy policy, MonoTime until) {
  const MonoTime too_old = env.Mono() + lease / kRoundsPerLease;
  std::vector<Grant> grants;
  policy.retries = -1;  // the number of rounds is limited, not the attempts in a round
  for (const LockKey& key : keys) {
    policy.timeout = std::max(until - env.Mono(), Duration::zero());
    AcquireResult result = AcquireWithRetry(env, lock, key, lease, policy);
    auto* granted = std::get_if<Granted>(&result);
    if (granted == nullptr) break;
    grants.push_back(std::move(granted->grant));
  }
  if (grants.size() == keys.size() && env.Mono() < too_old) return grants;
  ReleaseAll(env, lock, grants, policy.call_timeout);
  return {};
}

// Acquires all keys in one attempt. The first grant names the other keys (LockKey::also), so its
// release frees all keys.
std::vector<Grant> AcquireTogether(Env& env, Lock& lock, std::span<const LockKey> keys, Lease lease,
                                   const RetryPolicy& policy) {
  LockKey all = keys.front();
  all.also.assign(keys.begin() + 1, keys.end());
  AcquireResult result = AcquireWithRetry(env, lock, all, lease, policy);
  auto* granted = std::get_if<Granted>(&result);
  if (granted == nullptr) return {};
  std::vector<Grant> grants{std::move(granted->grant)};
  for (const LockKey& key : keys.subspan(1)) {
    grants.push_back(grants.back());
    grants.back().key = key;
    ++grants.back().hold;
  }
  return grants;
}

}  // namespace

std::vector<Grant> AcquireAll(Env& env, Lock& lock, std::span<const LockKey> keys, Lease lease,
                              const RetryPolicy& policy) {
  if (keys.empty()) return {};
  if (lock.TakesKeysTogether()) return AcquireTogether(env, lock, keys, lease, policy);
  const MonoTime give_up = env.Mono() + policy.timeout;
  const Duration round = RoundOf(keys.size(), lease);
  for (int64_t retry = 0;; ++retry) {
    const MonoTime until = std::min(env.Mono() + round, give_up);
    std::vector<Grant> grants = TryAll(env, lock, keys, lease, policy, until);
    if (!grants.empty() || env.Mono() >= give_up || env.Stopping()) return grants;
    if (policy.retries >= 0 && retry >= policy.retries) return {};
    const Duration pause = env.Random().Between(Duration::zero(), round);
    env.SleepUntil(std::min(env.Mono() + pause, give_up));
    if (env.Mono() >= give_up || env.Stopping()) return {};
  }
}

HeldLocks::~HeldLocks() {
  const bool throwing = std::uncaught_exceptions() > exceptions_;
  if (throwing && lock_.StaysLockedOnThrow()) return;
  env_.Reach(Step::kBeforeRelease);
  ReleaseAll(env_, lock_, grants_, call_timeout_);
  env_.Reach(Step::kAfterRelease);
}

void RecordWaits(Env& env, std::span<const LockKey> keys) {
  for (const LockKey& key : keys)
    env.Record({.key = key.index, .op = Op::kWait, .type = EventType::kInvoke});
}

void RecordWaited(Env& env, std::span<const LockKey> keys, std::span<const Grant> grants) {
  const bool all = grants.size() == keys.size();
  for (size_t i = 0; i < keys.size(); ++i) {
    env.Record({.hold = all ? grants[i].hold : 0,
                .key = keys[i].index,
                .op = Op::kWait,
                .type = all ? EventType::kOk : EventType::kFail});
  }
}

LockEntry RedissonMultiLock() {
  return {.name = "redisson-multi",
          .summary = "Redisson's MultiLock: several keys, all or none, with an RLock for each",
          .options = RedissonOptions(),
          .sends = Sends{{"EVALSHA EVAL", "{}"}, {"SUBSCRIBE MESSAGE", ""}},
          .make = MakeRedisson,
          .traits = {Trait::kManyKeys, Trait::kReentry},
          .option_traits = RedissonOptionTraits(),
          .source = {.lease = "30s"}};
}

}  // namespace doublehold
