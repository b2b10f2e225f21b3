#include "lib/driver/driver_lock.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace doublehold {
namespace {

using Kind = DriverAnswer::Kind;

bool Has(std::span<const std::string> can, std::string_view what) {
  return std::ranges::find(can, what) != can.end();
}

}  // namespace

bool LeasesEndKnown(std::span<const std::string> can) {
  return Has(can, "lease") && !Has(can, "watchdog");
}

LockEntry DriverEntryWith(std::span<const std::string> can) {
  LockEntry entry = DriverEntry();
  for (const auto& [word, trait] : {std::pair{"token", Trait::kToken},
                                    {"read-write", Trait::kReaders},
                                    {"reentrant", Trait::kReentry}}) {
    if (Has(can, word)) entry.traits.push_back(trait);
  }
  return entry;
}

DriverLock::DriverLock(const LockContext& context, DriverRequests& driver, DriverHello hello)
    : env_(context.env),
      driver_(driver),
      hello_(std::move(hello)),
      session_(context.thread),
      call_timeout_(context.call_timeout),
      owners_(context.seed, context.client, context.thread) {}

DriverLock::~DriverLock() {
  [[maybe_unused]] const bool settled = Settle(env_.Mono() + call_timeout_);
}

AcquireResult DriverLock::TryAcquire(const LockKey& key, Lease lease, Deadline deadline) {
  if (!Settle(deadline)) return Busy{};
  const MonoTime sent = env_.Mono();
  Grant grant{.key = key, .owner = {}, .hold = owners_.NextHold()};
  // A library that waits answers well before the deadline.
  const Duration wait = std::max(deadline - sent, Duration::zero()) / 2;
  nlohmann::json members{
      {"session", session_}, {"key", key.name}, {"lease_ms", ToMs(lease)}, {"wait_ms", ToMs(wait)}};
  grant.shared = key.shared && hello_.Can("read-write");
  if (grant.shared) members["mode"] = "read";
  const auto answer = Ask(DriverOp::kAcquire, members, deadline);
  if (!answer) return Unknown{std::move(grant)};
  if (answer->kind == Kind::kNo) return Busy{};
  if (answer->kind == Kind::kError) {
    if (answer->definite) return Busy{};
    return Unknown{std::move(grant)};
  }
  grant.owner = answer->grant;
  grant.token = answer->token;
  grant.valid_until = ValidUntil(sent, lease, *answer);
  return Granted{std::move(grant)};
}

ExtendResult DriverLock::Extend(const Grant& grant, Lease lease, Deadline deadline) {
  if (!hello_.Can("extend") || !Settle(deadline)) return Undecided{};
  const MonoTime sent = env_.Mono();
  const auto answer =
      Ask(DriverOp::kExtend,
          {{"session", session_}, {"grant", grant.owner}, {"lease_ms", ToMs(lease)}}, deadline);
  if (!answer || answer->kind == Kind::kError) return Undecided{};
  if (answer->kind == Kind::kNo) return Lost{};
  return Extended{ValidUntil(sent, lease, *answer)};
}

// Of a grant that is not known yet, the acquire is awaited first: it may have been refused.
ReleaseResult DriverLock::Release(const Grant& grant, Deadline deadline) {
  std::string text = grant.owner;
  if (text.empty() && under_way_ && under_way_->op == DriverOp::kAcquire) {
    const auto acquired = AwaitIt(deadline);
    if (!acquired) return ReleaseResult::kUnknown;
    if (acquired->kind == Kind::kNo || acquired->definite) return ReleaseResult::kNotOwner;
    text = acquired->grant;
  }
  if (text.empty())
    return ReleaseResult::kUnknown;  // an error, granted or not: nothing to release by
  if (!Settle(deadline)) {
    owed_.push_back(text);
    return ReleaseResult::kUnknown;
  }
  const auto answer = Ask(DriverOp::kRelease, {{"session", session_}, {"grant", text}}, deadline);
  if (!answer || answer->kind == Kind::kError) return ReleaseResult::kUnknown;
  if (answer->kind == Kind::kNo) return ReleaseResult::kNotOwner;
  return ReleasesAnothers() ? ReleaseResult::kFreed : ReleaseResult::kReleased;
}

std::optional<DriverAnswer> DriverLock::Ask(DriverOp op, const nlohmann::json& members,
                                            Deadline deadline) {
  under_way_ = UnderWay{.id = driver_.Send(op, members), .op = op};
  return AwaitIt(deadline);
}

std::optional<DriverAnswer> DriverLock::AwaitIt(Deadline deadline) {
  auto answer = driver_.Await(under_way_->id, deadline);
  if (answer) under_way_.reset();
  return answer;
}

// True when nothing is under way any more, and nothing owed.
bool DriverLock::Settle(Deadline deadline) {
  if (under_way_) {
    const DriverOp op = under_way_->op;
    const auto late = AwaitIt(deadline);
    if (!late) return false;
    const bool granted = op == DriverOp::kAcquire && late->kind == Kind::kOk;
    // One that frees whatever is there might free another's by now.
    if (granted && !ReleasesAnothers()) owed_.push_back(late->grant);
  }
  return PayOwed(deadline);
}

bool DriverLock::PayOwed(Deadline deadline) {
  while (!owed_.empty()) {
    const std::string text = owed_.front();
    owed_.erase(owed_.begin());
    if (!Ask(DriverOp::kRelease, {{"session", session_}, {"grant", text}}, deadline)) return false;
  }
  return true;
}

// What the library promises at least: a watchdog of its own may make it longer, and nobody is told.
MonoTime DriverLock::ValidUntil(MonoTime sent, Lease lease, const DriverAnswer& answer) const {
  if (!hello_.Can("lease") && !answer.validity) return MonoTime::max();
  return answer.from.value_or(sent) + answer.validity.value_or(lease);
}

}  // namespace doublehold
