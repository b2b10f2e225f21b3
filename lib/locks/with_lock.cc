#include "lib/locks/with_lock.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace doublehold {

LockKey MakeLockKey(std::string_view prefix, std::initializer_list<std::string_view> fields) {
  return {.name = fmt::format("{}:{}", prefix, fmt::join(fields, "_")), .index = 0};
}

AcquireResult AwaitLock(Env& env, Lock& lock, const LockKey& key, Lease lease,
                        const RetryPolicy& policy, std::optional<MonoTime> due) {
  env.Record({.key = key.index,
              .op = Op::kWait,
              .type = EventType::kInvoke,
              .value = {due ? env.SinceStartNs(*due) : 0}});
  AcquireResult result = AcquireWithRetry(env, lock, key, lease, policy);
  const auto* granted = std::get_if<Granted>(&result);
  env.Record({.hold = granted == nullptr ? 0 : granted->grant.hold,
              .key = key.index,
              .op = Op::kWait,
              .type = granted == nullptr ? EventType::kFail : EventType::kOk});
  return result;
}

HeldLock::~HeldLock() {
  const bool throwing = std::uncaught_exceptions() > exceptions_;
  if (throwing && lock_.StaysLockedOnThrow()) {
    env_.Record(
        {.hold = grant_.hold, .key = grant_.key.index, .op = Op::kLeave, .type = EventType::kInfo});
  } else {
    [[maybe_unused]] const ReleaseResult result = Release();
  }
}

ReleaseResult HeldLock::Release() {
  if (released_) return *released_;
  env_.Reach(Step::kBeforeRelease);
  released_ = lock_.Release(grant_, env_.Mono() + call_timeout_);
  env_.Reach(Step::kAfterRelease);
  return *released_;
}

}  // namespace doublehold
