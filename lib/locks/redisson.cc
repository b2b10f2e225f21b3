// redisson: Redisson's RLock. A hash `client-uuid:thread -> count` under the key, so the same thread may enter again;
// taken, extended and released by scripts; a waiter is woken through a channel; a watchdog extends the lease every third
// of it for as long as the process lives, unless an explicit lease was asked for.
//
// Claims:  one owner at a time; a living holder does not lose the lock, a dead one blocks nobody longer than the lease.
// Assumes: one server that loses no write and whose clock runs at the clients' rate; the process is never stopped for
//          longer than the lease, since its watchdog stops with it.
// Attack:  stop the process past the lease; hold its renewals back; move the server's clock (K17); lose the server's
//          memory (K18).
// Source:  Redisson 3.23.5, whose keys, fields, channel and message are kept.

#include <algorithm>
#include <array>
#include <map>

#include "lib/locks/owners.h"
#include "lib/locks/recorded_lock.h"
#include "lib/locks/registry.h"
#include "lib/locks/watchdog.h"

namespace doublehold {
namespace {

constexpr std::string_view kUnlockMessage = "0";
constexpr std::string_view kThread = "1";  // one session a client

// Nil: taken, or entered once more. Else how long the holder's lease lasts, in ms.
const Script& Acquire() {
  static const Script script(
      "if redis.call('exists', KEYS[1]) == 0 or redis.call('hexists', KEYS[1], ARGV[2]) == 1 then "
      "redis.call('hincrby', KEYS[1], ARGV[2], 1) redis.call('pexpire', KEYS[1], ARGV[1]) "
      "return nil end return redis.call('pttl', KEYS[1])");
  return script;
}

// 1: released and told. 0: still held, by an outer entry. Nil: not the owner.
const Script& Unlock() {
  static const Script script(
      "if redis.call('hexists', KEYS[1], ARGV[3]) == 0 then return nil end "
      "local left = redis.call('hincrby', KEYS[1], ARGV[3], -1) "
      "if left > 0 then redis.call('pexpire', KEYS[1], ARGV[2]) return 0 end "
      "redis.call('del', KEYS[1]) redis.call('publish', KEYS[2], ARGV[1]) return 1");
  return script;
}

const Script& Renew() {
  static const Script script(
      "if redis.call('hexists', KEYS[1], ARGV[2]) == 1 then "
      "redis.call('pexpire', KEYS[1], ARGV[1]) return 1 end return 0");
  return script;
}

std::string ChannelOf(const LockKey& key) { return "redisson_lock__channel:{" + key.name + "}"; }

ExtendResult RenewOn(Env& env, Connection& node, const Grant& grant, Lease lease,
                     Deadline deadline) {
  const MonoTime valid_until = env.Mono() + lease;
  const std::string lease_ms = std::to_string(ToMs(lease));
  const std::array<std::string_view, 1> keys{grant.key.name};
  const std::array<std::string_view, 2> args{lease_ms, grant.owner};
  const CallResult result = node.Eval(Renew(), keys, args, deadline);
  if (!result) return Undecided{};
  if (result->IsInteger(1)) return Extended{valid_until};
  return Lost{};
}

class Redisson final : public Lock {
 public:
  explicit Redisson(const LockContext& context)
      : env_(context.env),
        node_(context.env.Connect(NodeId{1})),
        owners_(context.seed, context.client, context.thread),
        owner_(owners_.ClientUuid() + ":" + std::string(kThread)),
        lease_(context.lease) {
    if (context.options.Flag("explicit-lease")) return;
    watchdog_ = std::make_unique<Watchdog>(env_, lease_, RenewOn);
  }

  AcquireResult TryAcquire(const LockKey& key, Lease lease, Deadline deadline) override {
    Grant grant{.key = key, .owner = owner_, .hold = owners_.NextHold()};
    grant.valid_until = env_.Mono() + lease;
    const std::string lease_ms = std::to_string(ToMs(lease));
    const std::array<std::string_view, 1> keys{key.name};
    const std::array<std::string_view, 2> args{lease_ms, owner_};
    const CallResult result = node_->Eval(Acquire(), keys, args, deadline);
    if (!result) {
      if (result.error().definite) return Busy{};
      return Unknown{std::move(grant)};
    }
    // A key without expiry answers -1: no hint.
    if (!result->IsNil())
      return Busy{std::chrono::milliseconds(std::max<int64_t>(result->integer, 0))};
    if (watchdog_) watchdog_->Guard(grant);
    return Granted{std::move(grant)};
  }

  ExtendResult Extend(const Grant& grant, Lease lease, Deadline deadline) override {
    return RenewOn(env_, *node_, grant, lease, deadline);
  }

  ReleaseResult Release(const Grant& grant, Deadline deadline) override {
    if (watchdog_) watchdog_->Leave(grant);
    const std::string lease_ms = std::to_string(ToMs(lease_));
    const std::string channel = ChannelOf(grant.key);
    const std::array<std::string_view, 2> keys{grant.key.name, channel};
    const std::array<std::string_view, 3> args{kUnlockMessage, lease_ms, owner_};
    const CallResult result = node_->Eval(Unlock(), keys, args, deadline);
    if (!result) return ReleaseResult::kUnknown;
    return result->IsNil() ? ReleaseResult::kNotOwner : ReleaseResult::kReleased;
  }

  Subscription* WakeUps(const LockKey& key) override {
    std::unique_ptr<Subscription>& channel = channels_[key.name];
    if (!channel) channel = env_.Subscribe(NodeId{1}, ChannelOf(key));
    return channel.get();
  }

 private:
  Env& env_;
  std::unique_ptr<Connection> node_;
  Owners owners_;
  std::string owner_;
  Lease lease_;
  std::map<std::string, std::unique_ptr<Subscription>> channels_;
  std::unique_ptr<Watchdog> watchdog_;  // null with an explicit lease
};

}  // namespace

LockEntry RedissonLock() {
  return {.name = "redisson",
          .summary = "Redisson's RLock: re-entrant hash, watchdog, wake-up channel",
          .options = {{.name = "explicit-lease",
                       .kind = OptionSpec::Kind::kFlag,
                       .fallback = "false",
                       .help = "an explicit lease, as lock(lease) has it: no watchdog"}},
          .make = MakeLock<Redisson>,
          .traits = {Trait::kReentry}};
}

}  // namespace doublehold
