// Records every attempt in the history. The invocation is recorded before anything is sent, and the
// outcome after the reply. So the node executes the operation between the two events.
#ifndef DOUBLEHOLD_LIB_LOCKS_RECORDED_LOCK_H_
#define DOUBLEHOLD_LIB_LOCKS_RECORDED_LOCK_H_

#include <memory>
#include <utility>

#include "lib/base/env.h"
#include "lib/locks/lock.h"

namespace doublehold {

// Wraps and owns a variant. The rules of Lock apply (lock.h).
class RecordedLock final : public Lock {
 public:
  RecordedLock(Env& env, std::unique_ptr<Lock> lock) : env_(env), lock_(std::move(lock)) {}

  AcquireResult TryAcquire(const LockKey& key, Lease lease, Deadline deadline) override;
  ExtendResult Extend(const Grant& grant, Lease lease, Deadline deadline) override;
  ReleaseResult Release(const Grant& grant, Deadline deadline) override;
  ReleaseResult GiveUp(const LockKey& key, Deadline deadline) override;
  bool FreesOnGivingUp() const override { return lock_->FreesOnGivingUp(); }
  bool StaysLockedOnThrow() const override { return lock_->StaysLockedOnThrow(); }
  bool ReleasesAnothers() const override { return lock_->ReleasesAnothers(); }
  bool TakesKeysTogether() const override { return lock_->TakesKeysTogether(); }
  bool ExtendsByItself() const override { return lock_->ExtendsByItself(); }
  bool ExtendsWithoutLease() const override { return lock_->ExtendsWithoutLease(); }
  Subscription* WakeUps(const LockKey& key) override { return lock_->WakeUps(key); }

 private:
  Env& env_;
  std::unique_ptr<Lock> lock_;
};

// Records `event` on `key` and on each key of LockKey::also. Each further key has the next hold.
void RecordOnKeys(Env& env, const LockKey& key, Event event);

void RecordExtended(Env& env, const Grant& grant, const ExtendResult& result);

// Records an extension. An extension of a grant without an end asks for no lease, recorded as 0.
template <typename Extension>
ExtendResult RecordExtend(Env& env, const Grant& grant, Lease lease, Extension&& extend) {
  RecordOnKeys(env, grant.key,
               {.hold = grant.hold,
                .op = Op::kExtend,
                .type = EventType::kInvoke,
                .value = {grant.valid_until == MonoTime::max() ? 0 : lease.count()}});
  ExtendResult result = std::forward<Extension>(extend)();
  RecordExtended(env, grant, result);
  return result;
}

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_LOCKS_RECORDED_LOCK_H_
