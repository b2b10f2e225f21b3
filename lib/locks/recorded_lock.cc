#include "lib/locks/recorded_lock.h"

namespace doublehold {
namespace {

Event Released(Event event, ReleaseResult result) {
  switch (result) {
    case ReleaseResult::kReleased:
      event.type = EventType::kOk;
      break;
    case ReleaseResult::kFreed:
      event.type = EventType::kOk;
      event.value = {1};
      break;
    case ReleaseResult::kNotOwner:
      event.type = EventType::kFail;
      break;
    case ReleaseResult::kNoLock:
      event.type = EventType::kFail;
      event.value = {1};
      break;
    case ReleaseResult::kUnknown:
      event.type = EventType::kInfo;
      break;
  }
  return event;
}

}  // namespace

void RecordOnKeys(Env& env, const LockKey& key, Event event) {
  event.key = key.index;
  env.Record(event);
  for (const LockKey& next : key.also) {
    event.key = next.index;
    if (event.hold != 0) ++event.hold;
    env.Record(event);
  }
}

AcquireResult RecordedLock::TryAcquire(const LockKey& key, Lease lease, Deadline deadline) {
  const auto keys = static_cast<int64_t>(1 + key.also.size());
  Event event{.op = Op::kAcquire,
              .type = EventType::kInvoke,
              .value = {lease.count(), keys > 1 ? keys : 0}};
  RecordOnKeys(env_, key, event);
  AcquireResult result = lock_->TryAcquire(key, lease, deadline);
  if (const auto* granted = std::get_if<Granted>(&result)) {
    event.type = EventType::kOk;
    event.hold = granted->grant.hold;
    event.value = {env_.SinceStartNs(granted->grant.valid_until), granted->grant.token,
                   granted->grant.shared ? 1 : 0};
  } else if (const auto* busy = std::get_if<Busy>(&result)) {
    event.type = EventType::kFail;
    event.value = {keys > 1 ? 0 : busy->retry_hint.count()};  // a hint for several keys names none
  } else {
    event.type = EventType::kInfo;
    event.hold = std::get<Unknown>(result).perhaps.hold;
    event.value = {};
  }
  RecordOnKeys(env_, key, event);
  return result;
}

ExtendResult RecordedLock::Extend(const Grant& grant, Lease lease, Deadline deadline) {
  return RecordExtend(env_, grant, lease, [&] { return lock_->Extend(grant, lease, deadline); });
}

void RecordExtended(Env& env, const Grant& grant, const ExtendResult& result) {
  Event event{.hold = grant.hold, .op = Op::kExtend, .type = EventType::kInfo};
  if (const auto* extended = std::get_if<Extended>(&result)) {
    event.type = EventType::kOk;
    event.value = {env.SinceStartNs(extended->valid_until)};
  } else if (std::holds_alternative<Lost>(result)) {
    event.type = EventType::kFail;
  }
  RecordOnKeys(env, grant.key, event);
}

ReleaseResult RecordedLock::Release(const Grant& grant, Deadline deadline) {
  const Event event{.hold = grant.hold, .op = Op::kRelease, .type = EventType::kInvoke};
  RecordOnKeys(env_, grant.key, event);
  const ReleaseResult result = lock_->Release(grant, deadline);
  RecordOnKeys(env_, grant.key, Released(event, result));
  return result;
}

ReleaseResult RecordedLock::GiveUp(const LockKey& key, Deadline deadline) {
  if (!lock_->FreesOnGivingUp()) {
    const ReleaseResult result = lock_->GiveUp(key, deadline);
    // A GiveUp without a reply may still take effect later, like a release without a reply.
    if (result == ReleaseResult::kUnknown)
      env_.Record({.key = key.index, .op = Op::kRelease, .type = EventType::kInfo});
    return result;
  }
  const Event event{.key = key.index, .op = Op::kRelease, .type = EventType::kInvoke};
  env_.Record(event);
  const ReleaseResult result = lock_->GiveUp(key, deadline);
  env_.Record(Released(event, result));
  return result;
}

}  // namespace doublehold
