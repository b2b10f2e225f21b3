#include "lib/locks/redis/redisson_family.h"

#include <algorithm>
#include <array>

#include "lib/clients/redis.h"
#include "lib/locks/redis/key_operations.h"

namespace doublehold {
namespace {

// With the option resend, the first attempt of a command gets 1/2 of the time to the deadline.
constexpr int kFirstShareOfDeadline = 2;

}  // namespace

std::string RedissonOwner(const Owners& owners, int thread) {
  return owners.ClientUuid() + ":" + std::to_string(thread + 1);
}

const Script& RedissonAcquire() {
  static const Script script(
      "if redis.call('exists', KEYS[1]) == 0 or redis.call('hexists', KEYS[1], ARGV[2]) == 1 then "
      "redis.call('hincrby', KEYS[1], ARGV[2], 1) redis.call('pexpire', KEYS[1], ARGV[1]) "
      "return nil end return redis.call('pttl', KEYS[1])");
  return script;
}

const Script& RedissonUnlock() {
  static const Script script(
      "local count = tonumber(redis.call('hget', KEYS[1], ARGV[3]) or '0') "
      "if count <= tonumber(ARGV[4]) then return nil end "
      "if redis.call('hincrby', KEYS[1], ARGV[3], -1) > 0 then "
      "redis.call('pexpire', KEYS[1], ARGV[2]) return 0 end "
      "redis.call('del', KEYS[1]) redis.call('publish', KEYS[2], ARGV[1]) return 1");
  return script;
}

const Script& RedissonRenew() {
  static const Script script(
      "if redis.call('hexists', KEYS[1], ARGV[2]) == 1 then "
      "redis.call('pexpire', KEYS[1], ARGV[1]) return 1 end return 0");
  return script;
}

std::string RedissonChannel(const LockKey& key) { return "redisson_lock__channel:" + Braced(key); }

// Returns {name}. Returns the name unchanged if it has a brace, because such a name already
// determines its slot.
std::string Braced(const LockKey& key) {
  return key.name.find('{') == std::string::npos ? "{" + key.name + "}" : key.name;
}

ExtendResult RenewRedisson(Env& env, Nodes nodes, const Grant& grant, Lease lease,
                           Deadline deadline) {
  const MonoTime valid_until = env.Mono() + lease;
  const std::string lease_ms = std::to_string(ToMs(lease));
  const std::array<std::string_view, 1> keys{grant.key.name};
  const std::array<std::string_view, 2> args{lease_ms, grant.owner};
  const CallResult result = nodes.front()->Eval(RedissonRenew(), keys, args, deadline);
  if (!result) return Undecided{};
  if (result->IsInteger(1)) return Extended{valid_until};
  return Lost{};
}

std::vector<OptionSpec> RedissonOptions() {
  using Kind = OptionSpec::Kind;
  std::vector<OptionSpec> options{
      {.name = "explicit-lease",
       .kind = Kind::kFlag,
       .fallback = "false",
       .help = "use an explicit lease, as lock(lease): no watchdog"},
      {.name = "renew-once",
       .kind = Kind::kFlag,
       .fallback = "false",
       .help = "never retry a failed renewal (K22)"},
      {.name = "resend",
       .kind = Kind::kFlag,
       .fallback = "false",
       .help = "send an acquire or a release again if it had no reply (K21)"}};
  const std::vector<OptionSpec> await = AwaitOptions();
  options.insert(options.end(), await.begin(), await.end());
  return options;
}

std::vector<OptionTrait> RedissonOptionTraits() { return {{"resend", "false", Trait::kSendsOnce}}; }

RedissonFamily::RedissonFamily(const LockContext& context, RenewOnNodes renew)
    : env_(context.env),
      redis_(context.redis()),
      node_(context.redis().Connect(NodeId{1})),
      owners_(context.seed, context.client, context.thread),
      owner_(RedissonOwner(owners_, context.thread)),
      lease_(context.lease),
      renew_(renew),
      resends_(context.options.Flag("resend")),
      awaited_(ReadAwaited(context.options)) {
  if (context.options.Flag("explicit-lease")) return;
  watchdog_ = std::make_unique<Watchdog>(
      env_, OverOwnConnections(renew, 1),
      Watchdog::Care{.lease = lease_, .once = context.options.Flag("renew-once")});
}

AcquireResult RedissonFamily::TryAcquire(const LockKey& key, Lease lease, Deadline deadline) {
  Grant grant{.key = key, .owner = owner_, .hold = owners_.NextHold()};
  const MonoTime invoked = env_.Mono();
  grant.valid_until = invoked + lease;
  const std::string lease_ms = std::to_string(ToMs(lease));
  CallResult result = Send([&](Deadline by) { return Ask(grant, lease_ms, by); }, deadline);
  if (!result) return NotGranted(result.error(), std::move(grant));
  // PTTL returns -1 for a key without expiry and -2 for a missing key. In both cases there is no
  // hint.
  if (!result->IsNil())
    return Busy{std::chrono::milliseconds(std::max<int64_t>(result->integer, 0))};
  entered_.push_back(grant);
  AcquireResult acknowledged =
      AwaitReplicas(env_, *node_, awaited_, Granted{std::move(grant)}, deadline,
                    [&](const Grant& granted) { return Release(granted, deadline); });
  const auto* granted = std::get_if<Granted>(&acknowledged);
  if (granted != nullptr && watchdog_) watchdog_->Guard(granted->grant);
  return acknowledged;
}

ExtendResult RedissonFamily::Extend(const Grant& grant, Lease lease, Deadline deadline) {
  return renew_(env_, Nodes(&node_, 1), grant, lease, deadline);
}

// After an acquire of unknown outcome there may be no entry. The release of such an acquire must
// not remove an outer entry instead.
ReleaseResult RedissonFamily::Release(const Grant& grant, Deadline deadline) {
  if (watchdog_) watchdog_->Leave(grant);
  const bool was_granted =
      std::erase_if(entered_, [&](const Grant& g) { return g.hold == grant.hold; }) > 0;
  const auto outer = std::ranges::count_if(entered_, [&](const Grant& g) {
    return g.key.name == grant.key.name && g.shared == grant.shared;
  });
  const std::string lease_ms = std::to_string(ToMs(lease_));
  const std::string keep = std::to_string(was_granted ? 0 : outer);
  const CallResult result =
      Send([&](Deadline by) { return GiveBack(grant, lease_ms, keep, by); }, deadline);
  if (!result) return ReleaseResult::kUnknown;
  return result->IsNil() ? ReleaseResult::kNotOwner : ReleaseResult::kReleased;
}

Subscription* RedissonFamily::WakeUps(const LockKey& key) {
  const std::string name = ChannelOf(key);
  if (name.empty()) return nullptr;
  std::unique_ptr<Subscription>& channel = channels_[name];
  if (!channel) channel = redis_.Subscribe(NodeId{1}, name);
  return channel.get();
}

CallResult RedissonFamily::Send(const std::function<CallResult(Deadline)>& command,
                                Deadline deadline) const {
  if (!resends_) return command(deadline);
  const MonoTime now = env_.Mono();
  CallResult result = command(now + (deadline - now) / kFirstShareOfDeadline);
  const bool lost = !result && !result.error().definite;
  return lost ? command(deadline) : result;
}

CallResult RedissonFamily::Ask(Grant& grant, const std::string& lease_ms, Deadline deadline) {
  const std::array<std::string_view, 1> keys{grant.key.name};
  const std::array<std::string_view, 2> args{lease_ms, owner_};
  return node_->Eval(RedissonAcquire(), keys, args, deadline);
}

CallResult RedissonFamily::GiveBack(const Grant& grant, const std::string& lease_ms,
                                    const std::string& keep, Deadline deadline) {
  const std::string channel = RedissonChannel(grant.key);
  const std::array<std::string_view, 2> keys{grant.key.name, channel};
  const std::array<std::string_view, 4> args{kUnlockMessage, lease_ms, owner_, keep};
  return node_->Eval(RedissonUnlock(), keys, args, deadline);
}

std::string RedissonFamily::ChannelOf(const LockKey& key) const { return RedissonChannel(key); }

}  // namespace doublehold
