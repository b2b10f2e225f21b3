// The usual way to use a lock. WithLock runs a function while it holds the lock, and releases the
// lock however the function ends.
//
//   const LockKey key = MakeLockKey("order", {user_id, order_id});             // "order:17_4711"
//   const Entry entry = WithLock(env, *lock, key, lease, policy, [&](const Grant& grant) { ... });
//   if (!entry.entered) ...                                                     // nothing was done
#ifndef DOUBLEHOLD_LIB_LOCKS_WITH_LOCK_H_
#define DOUBLEHOLD_LIB_LOCKS_WITH_LOCK_H_

#include <exception>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

#include "lib/locks/retry.h"

namespace doublehold {

// Builds "prefix:field_field" from a prefix and the fields that identify the data.
LockKey MakeLockKey(std::string_view prefix, std::initializer_list<std::string_view> fields);

// Owns a grant and releases it, in its destructor at the latest. Does not release a variant that
// stays locked on a throw if an exception is in flight. Not thread-safe. `lock` and `env` must
// outlive this object.
class HeldLock {
 public:
  HeldLock(Env& env, Lock& lock, Grant grant, Duration call_timeout)
      : env_(env), lock_(lock), grant_(std::move(grant)), call_timeout_(call_timeout) {}
  HeldLock(const HeldLock&) = delete;
  HeldLock& operator=(const HeldLock&) = delete;
  ~HeldLock();

  [[nodiscard]] const Grant& grant() const { return grant_; }
  // Releases the lock. A later call returns the result of the first call.
  ReleaseResult Release();

 private:
  Env& env_;
  Lock& lock_;
  Grant grant_;
  Duration call_timeout_;
  int exceptions_ = std::uncaught_exceptions();  // number of exceptions in flight at construction
  std::optional<ReleaseResult> released_;
};

// The outcome of a WithLock call.
struct Entry {
  bool entered = false;
  bool perhaps_left_locked = false;  // not entered, and the outcome of the last try is unknown
  ReleaseResult released = ReleaseResult::kUnknown;  // set if entered
};

// Acquires by the policy, and records the wait. A policy with a timeout of 0 tries once. `due`:
// when the customer came, if customers come by a schedule; the history then has this time, which
// may be long before the call.
[[nodiscard]] AcquireResult AwaitLock(Env& env, Lock& lock, const LockKey& key, Lease lease,
                                      const RetryPolicy& policy,
                                      std::optional<MonoTime> due = std::nullopt);

// Acquires like AwaitLock, and then calls `body`. Releases the lock even if `body` throws, and
// passes the exception on.
template <typename Body>
Entry WithLock(Env& env, Lock& lock, const LockKey& key, Lease lease, const RetryPolicy& policy,
               Body&& body, std::optional<MonoTime> due = std::nullopt) {
  AcquireResult result = AwaitLock(env, lock, key, lease, policy, due);
  auto* granted = std::get_if<Granted>(&result);
  if (granted == nullptr) {
    return {.entered = false, .perhaps_left_locked = std::holds_alternative<Unknown>(result)};
  }
  HeldLock held(env, lock, std::move(granted->grant), policy.call_timeout);
  env.Reach(Step::kAfterAcquire);
  std::forward<Body>(body)(held.grant());
  return {.entered = true, .perhaps_left_locked = false, .released = held.Release()};
}

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_LOCKS_WITH_LOCK_H_
