#include "compose/client/probe.h"

#include "lib/locks/retry.h"

namespace doublehold {
namespace {

constexpr Duration kProbeInterval = 5ms;

// A lock that records whether an attempt was unanswered or answered late. Such an attempt proves
// nothing.
class Attempts final : public Lock {
 public:
  Attempts(Env& env, Lock& lock, Duration too_late) : env_(env), lock_(lock), too_late_(too_late) {}

  [[nodiscard]] bool AllAnswered() const { return all_answered_; }

  AcquireResult TryAcquire(const LockKey& key, Lease lease, Deadline deadline) override {
    const MonoTime asked = env_.Mono();
    AcquireResult result = lock_.TryAcquire(key, lease, deadline);
    const bool late = env_.Mono() - asked > too_late_;
    if (late || std::holds_alternative<Unknown>(result)) all_answered_ = false;
    return result;
  }
  ExtendResult Extend(const Grant& grant, Lease lease, Deadline deadline) override {
    return lock_.Extend(grant, lease, deadline);
  }
  ReleaseResult Release(const Grant& grant, Deadline deadline) override {
    return lock_.Release(grant, deadline);
  }
  ReleaseResult GiveUp(const LockKey& key, Deadline deadline) override {
    return lock_.GiveUp(key, deadline);
  }
  bool ReleasesAnothers() const override { return lock_.ReleasesAnothers(); }
  Subscription* WakeUps(const LockKey& key) override { return lock_.WakeUps(key); }

 private:
  Env& env_;
  Lock& lock_;
  Duration too_late_;
  bool all_answered_ = true;
};

}  // namespace

void Probe(Env& env, Lock& lock, const LockKey& key, const ProbeTerms& terms) {
  const Duration budget = terms.lease + terms.grace;
  Event event{
      .key = key.index, .op = Op::kProbe, .type = EventType::kInvoke, .value = {budget.count()}};
  env.Record(event);
  const MonoTime begun = env.Mono();
  Attempts attempts(env, lock, terms.own_wait + terms.grace / 2);
  const RetryPolicy policy{
      .interval = kProbeInterval, .timeout = budget, .call_timeout = terms.call_timeout};
  const AcquireResult result = AcquireWithRetry(env, attempts, key, terms.lease, policy);
  const auto* granted = std::get_if<Granted>(&result);
  event.type = granted != nullptr       ? EventType::kOk
               : attempts.AllAnswered() ? EventType::kFail
                                        : EventType::kInfo;
  event.value = {};
  if (event.type != EventType::kInfo) event.value[0] = (env.Mono() - begun).count();
  env.Record(event);
  if (granted == nullptr) return;
  [[maybe_unused]] const ReleaseResult released =
      lock.Release(granted->grant, env.Mono() + terms.call_timeout);
}

}  // namespace doublehold
