#include "lib/driver/driver_lock.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "lib/locks/recorded_lock.h"

namespace doublehold {
namespace {

// A request takes an older time for its driver's wait so far. That can only lengthen the wait.
constexpr Duration kCpuWaitMaxAge = 50ms;

using AnswerKind = DriverAnswer::Kind;

bool Has(std::span<const std::string> can, std::string_view what) {
  return std::ranges::find(can, what) != can.end();
}

// The number of a kind of call in events.
int64_t NumberOf(DriverOp op) {
  return op == DriverOp::kAcquire ? 0 : op == DriverOp::kRelease ? 1 : 2;
}

}  // namespace

bool LeasesEndKnown(std::span<const std::string> can) {
  return Has(can, "lease") && !Has(can, "watchdog");
}

LockEntry DriverEntryWith(std::span<const std::string> can) {
  LockEntry entry = DriverEntry();
  for (const auto& [word, trait] : {std::pair{"token", Trait::kToken},
                                    {"read-write", Trait::kReaders},
                                    {"keys-together", Trait::kManyKeys},
                                    {"reentrant", Trait::kReentry}}) {
    if (Has(can, word)) entry.traits.Add(trait);
  }
  entry.extends = !LeasesEndKnown(can) || Has(can, "extend");
  return entry;
}

DriverLock::DriverLock(const LockContext& context, DriverRequests& driver, DriverHello hello)
    : env_(context.env),
      driver_(driver),
      hello_(std::move(hello)),
      session_(context.thread),
      call_timeout_(context.call_timeout),
      lease_(context.lease),
      owners_(context.seed, context.client, context.thread) {}

DriverLock::~DriverLock() {
  if (AwaitPending(env_.Mono() + call_timeout_) || !pending_) return;
  // Records the pending call even within its timeout. Without this event the checker would count
  // the call as answered.
  const Duration took = env_.Mono() - pending_->sent;
  RecordWaitForCpu(took);
  RecordLateReply(EventType::kFail, took);
}

AcquireResult DriverLock::TryAcquire(const LockKey& key, Lease lease, Deadline deadline) {
  if (!AwaitPending(deadline)) return Busy{};
  const MonoTime sent = env_.Mono();
  Grant grant{.key = key, .owner = {}, .hold = owners_.NextHold()};
  const Duration wait = WaitOf(std::max(deadline - sent, Duration::zero()));
  nlohmann::json members{
      {"session", session_}, {"key", key.name}, {"lease_ms", ToMs(lease)}, {"wait_ms", ToMs(wait)}};
  for (const LockKey& next : key.also) {
    members["also"].push_back(next.name);
    (void)owners_.NextHold();  // reserves the next number for `next`
  }
  grant.shared = key.shared && hello_.Can("read-write");
  if (grant.shared) members["mode"] = "read";
  const PendingCall call{
      .op = DriverOp::kAcquire, .hold = grant.hold, .key = key.index, .timeout = wait};
  const auto answer = Ask(call, members, deadline);
  if (!answer) return Unknown{std::move(grant)};
  if (answer->kind == AnswerKind::kNo) return Busy{answer->taken};
  if (answer->kind == AnswerKind::kError) {
    if (answer->definite) return Busy{};
    return Unknown{std::move(grant)};
  }
  grant.owner = answer->grant;
  grant.token = answer->token;
  grant.valid_until = ValidUntil(sent, lease, *answer);
  return Granted{std::move(grant)};
}

ExtendResult DriverLock::Extend(const Grant& grant, Lease lease, Deadline deadline) {
  if (!hello_.Can("extend") || !AwaitPending(deadline)) return Undecided{};
  const MonoTime sent = env_.Mono();
  const auto answer =
      Ask({.op = DriverOp::kExtend, .hold = grant.hold, .key = grant.key.index, .timeout = lease},
          {{"session", session_}, {"grant", grant.owner}, {"lease_ms", ToMs(lease)}}, deadline);
  if (!answer || answer->kind == AnswerKind::kError) return Undecided{};
  if (answer->kind == AnswerKind::kNo && !grant.key.also.empty()) return Undecided{};
  if (answer->kind == AnswerKind::kNo) return Lost{};
  return Extended{ValidUntil(sent, lease, *answer)};
}

// If the acquire has no reply yet, first waits for its reply, because the acquire may have been
// refused.
ReleaseResult DriverLock::Release(const Grant& grant, Deadline deadline) {
  std::string text = grant.owner;
  if (text.empty() && pending_ && pending_->op == DriverOp::kAcquire) {
    const auto acquired = AwaitReply(deadline);
    if (!acquired) return ReleaseResult::kUnknown;
    if (acquired->kind == AnswerKind::kNo || acquired->definite) return ReleaseResult::kNotOwner;
    text = acquired->grant;
  }
  if (text.empty())
    return ReleaseResult::kUnknown;  // an error reply has no grant that could be released
  const DeferredRelease release{.grant = text, .hold = grant.hold, .key = grant.key.index};
  RecordLoss(grant);  // recorded even if the release is deferred
  if (!AwaitPending(deadline)) {
    late_grants_.push_back(release);
    return ReleaseResult::kUnknown;
  }
  const auto answer = AskRelease(release, deadline);
  if (!answer || answer->kind == AnswerKind::kError) return ReleaseResult::kUnknown;
  // For a grant of several keys, `no` does not say which keys were lost.
  if (answer->kind == AnswerKind::kNo && !grant.key.also.empty()) return ReleaseResult::kUnknown;
  if (answer->kind == AnswerKind::kNo)
    return ReleasesAnothers() ? ReleaseResult::kNoLock : ReleaseResult::kNotOwner;
  return ReleasesAnothers() ? ReleaseResult::kFreed : ReleaseResult::kReleased;
}

std::optional<DriverAnswer> DriverLock::Ask(PendingCall call, const nlohmann::json& members,
                                            Deadline deadline) {
  call.waited = driver_.WaitedForCpu(kCpuWaitMaxAge);
  call.sent = env_.Mono();
  call.id = driver_.Send(call.op, members);
  pending_ = call;
  return AwaitReply(deadline);
}

std::optional<DriverAnswer> DriverLock::AskRelease(const DeferredRelease& what, Deadline deadline) {
  return Ask({.op = DriverOp::kRelease, .hold = what.hold, .key = what.key, .timeout = lease_},
             {{"session", session_}, {"grant", what.grant}}, deadline);
}

std::optional<DriverAnswer> DriverLock::AwaitReply(Deadline deadline) {
  auto answer = driver_.Await(pending_->id, deadline);
  if (!answer) return answer;
  const Duration took = answer->came - pending_->sent;
  RecordWaitForCpu(took);
  if (took > pending_->timeout) RecordLateReply(EventType::kOk, took);
  if (answer->kind == AnswerKind::kError) RecordError(*answer, took);
  pending_.reset();
  return answer;
}

// A driver that waits for a processor is stalled, also if its client is not: a client that mostly
// sleeps gets a processor at once, and a driver that computes gets its share of a busy machine.
void DriverLock::RecordWaitForCpu(Duration took) {
  const Duration threshold = lease_ / kShortestStallsPerLease;
  if (took < threshold) return;
  const Duration waited = std::min(took, driver_.WaitedForCpu({}) - pending_->waited);
  if (waited >= threshold)
    env_.Record({.op = Op::kStall, .type = EventType::kInfo, .value = {ToNs(waited)}});
}

void DriverLock::RecordLateReply(EventType how, Duration took) {
  env_.Record({.hold = pending_->hold,
               .key = pending_->key,
               .op = Op::kLateReply,
               .type = how,
               .value = {ToNs(pending_->timeout), ToNs(took), NumberOf(pending_->op)}});
}

void DriverLock::RecordError(const DriverAnswer& error, Duration took) {
  env_.Record({.hold = pending_->hold,
               .key = pending_->key,
               .op = Op::kDriverError,
               .type = EventType::kInfo,
               .value = {ToNs(took), NumberOf(pending_->op), error.definite ? 1 : 0}});
}

void DriverLock::RecordLoss(const Grant& grant) {
  const auto lost = driver_.LostAt(grant.owner);
  if (!lost) return;
  RecordOnKeys(env_, grant.key,
               {.hold = grant.hold,
                .op = Op::kLostNotification,
                .type = EventType::kInfo,
                .value = {env_.SinceStartNs(*lost)}});
}

// Waits for the pending call and sends the deferred releases. Returns true when no call is pending
// and no release is deferred.
bool DriverLock::AwaitPending(Deadline deadline) {
  if (pending_) {
    const PendingCall call = *pending_;
    const auto late = AwaitReply(deadline);
    if (!late) return false;
    const bool granted = call.op == DriverOp::kAcquire && late->kind == AnswerKind::kOk;
    // Does not release the late grant if the library's release compares no owners. Such a release
    // could free another owner's lock.
    if (granted && !ReleasesAnothers())
      late_grants_.push_back({.grant = late->grant, .hold = call.hold, .key = call.key});
  }
  return ReleaseLateGrants(deadline);
}

bool DriverLock::ReleaseLateGrants(Deadline deadline) {
  while (!late_grants_.empty()) {
    const DeferredRelease first = late_grants_.front();
    late_grants_.erase(late_grants_.begin());
    if (!AskRelease(first, deadline)) return false;
  }
  return true;
}

// Returns the guaranteed end of the lease. A watchdog of the library may extend the lease without a
// report.
MonoTime DriverLock::ValidUntil(MonoTime sent, Lease lease, const DriverAnswer& answer) const {
  if (!hello_.Can("lease") && !answer.validity) return MonoTime::max();
  return answer.from.value_or(sent) + answer.validity.value_or(lease);
}

}  // namespace doublehold
