#include "lib/driver/served_lock.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace doublehold {
namespace {

using AnswerKind = DriverAnswer::Kind;

// Sets the reply's lease in whole milliseconds, rounded down.
void SetLease(MonoTime sent, MonoTime valid_until, MonoTime now, DriverAnswer& answer) {
  if (valid_until == MonoTime::max()) return;
  const Duration validity =
      std::max(valid_until - sent - (valid_until - sent) % 1ms, Duration::zero());
  answer.validity = validity;
  answer.from = std::clamp(valid_until - validity, sent, now);
}

DriverAnswer UnknownOutcome(const std::string& what) {
  return {.kind = AnswerKind::kError, .definite = false, .text = what};
}

}  // namespace

// Wraps the lock and notes the outcomes of its tries.
class ServedLock::Tries final : public Lock {
 public:
  Tries(Env& env, std::unique_ptr<Lock> lock) : env_(env), lock_(std::move(lock)) {}

  MonoTime sent;                 // the last try
  bool has_unknown_try = false;  // some try had an unknown outcome

  AcquireResult TryAcquire(const LockKey& key, Lease lease, Deadline deadline) override {
    sent = env_.Mono();
    AcquireResult result = lock_->TryAcquire(key, lease, deadline);
    has_unknown_try = has_unknown_try || std::holds_alternative<Unknown>(result);
    return result;
  }
  ExtendResult Extend(const Grant& grant, Lease lease, Deadline deadline) override {
    return lock_->Extend(grant, lease, deadline);
  }
  ReleaseResult Release(const Grant& grant, Deadline deadline) override {
    return lock_->Release(grant, deadline);
  }
  ReleaseResult GiveUp(const LockKey& key, Deadline deadline) override {
    return lock_->GiveUp(key, deadline);
  }
  bool ReleasesAnothers() const override { return lock_->ReleasesAnothers(); }
  Subscription* WakeUps(const LockKey& key) override { return lock_->WakeUps(key); }

 private:
  Env& env_;
  std::unique_ptr<Lock> lock_;
};

std::vector<std::string> CanOf(const LockEntry& entry, const Lock& lock) {
  std::vector<std::string> can{"extend"};
  if (entry.has_leases) can.emplace_back("lease");
  // A variant without leases acquires no lock, and reports success for every release.
  if (!entry.has_leases) can.emplace_back("silent-release");
  if (entry.Has(Trait::kToken)) can.emplace_back("token");
  if (entry.Has(Trait::kReaders)) can.emplace_back("read-write");
  if (entry.Has(Trait::kReentry)) can.emplace_back("reentrant");
  if (lock.ReleasesAnothers()) can.emplace_back("blind-release");
  if (lock.ExtendsByItself()) can.emplace_back("watchdog");
  std::ranges::sort(can);
  return can;
}

ServedLock::ServedLock(Env& env, std::unique_ptr<Lock> lock, const RetryPolicy& policy)
    : env_(env), lock_(std::make_unique<Tries>(env, std::move(lock))), policy_(policy) {}

ServedLock::~ServedLock() = default;

DriverAnswer ServedLock::Answer(const DriverRequest& request) {
  if (request.op == DriverOp::kAcquire) return Acquire(request);
  return request.op == DriverOp::kExtend ? Extend(request) : Release(request);
}

DriverAnswer ServedLock::Acquire(const DriverRequest& request) {
  RetryPolicy policy = policy_;
  policy.timeout = request.wait;
  lock_->has_unknown_try = false;
  const AcquireResult result = AcquireWithRetry(
      env_, *lock_, {.name = request.key, .shared = request.reads}, request.lease, policy);
  if (const auto* granted = std::get_if<Granted>(&result)) {
    const Grant& grant = granted->grant;
    DriverAnswer answer{.grant = std::to_string(grant.hold), .token = grant.token};
    SetLease(lock_->sent, grant.valid_until, env_.Mono(), answer);
    grants_[answer.grant] = grant;
    return answer;
  }
  if (lock_->has_unknown_try) return UnknownOutcome("an acquire was sent and not answered");
  const Duration taken = std::get<Busy>(result).retry_hint;
  return {.kind = AnswerKind::kNo, .taken = taken - taken % 1ms};
}

DriverAnswer ServedLock::Extend(const DriverRequest& request) {
  const auto held = grants_.find(request.grant);
  if (held == grants_.end()) return {.kind = AnswerKind::kNo};
  const MonoTime sent = env_.Mono();
  const ExtendResult result =
      lock_->Extend(held->second, request.lease, sent + policy_.call_timeout);
  if (std::holds_alternative<Lost>(result)) return {.kind = AnswerKind::kNo};
  const auto* extended = std::get_if<Extended>(&result);
  if (extended == nullptr) return UnknownOutcome("the extension was sent and not answered");
  DriverAnswer answer;
  SetLease(sent, extended->valid_until, env_.Mono(), answer);
  return answer;
}

DriverAnswer ServedLock::Release(const DriverRequest& request) {
  const auto held = grants_.find(request.grant);
  if (held == grants_.end()) return {.kind = AnswerKind::kNo};
  const ReleaseResult result = lock_->Release(held->second, env_.Mono() + policy_.call_timeout);
  if (result == ReleaseResult::kUnknown)
    return UnknownOutcome("the release was sent and not answered");
  grants_.erase(held);
  if (FreedNothing(result)) return {.kind = AnswerKind::kNo};
  return {};
}

}  // namespace doublehold
