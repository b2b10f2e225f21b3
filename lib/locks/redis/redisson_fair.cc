// redisson-fair: redisson with a queue of waiters. A refused client is appended to a list, and its
// deadline as a waiter is put into a sorted set. Only the head of the list may take a free lock,
// and a release wakes only the head. Every attempt first removes heads whose deadline has passed.
//
// Claims:  the claims of redisson; waiters are granted the lock in the order of their arrival.
// Assumes: the same as redisson; the clients' wall clocks agree, because each client compares the
//          other clients' deadlines with its own clock.
// Attack:  the same as redisson. A waiter that dies blocks the queue until its deadline. This is
//          wait-time after the deadline of the waiter before it. A client whose clock jumps ahead
//          removes living waiters.
// Source:  Redisson 3.23.5, RedissonFairLock; wait-time is its threadWaitTime.

#include <array>

#include "lib/locks/redis/redisson_family.h"

namespace doublehold {
namespace {

// Defines drop(now), which removes heads whose deadline has passed. Keys: lock, queue, deadlines.
constexpr std::string_view kDefineDrop =
    "local function drop(now) local head = redis.call('lindex', KEYS[2], 0) "
    "while head do local over = tonumber(redis.call('zscore', KEYS[3], head) or '0') "
    "if over > now then return end "
    "redis.call('zrem', KEYS[3], head) redis.call('lpop', KEYS[2]) "
    "head = redis.call('lindex', KEYS[2], 0) end end ";

// Keys: lock, queue, deadlines. Arguments: lease, owner, wait time, now. Times are in ms. Returns
// nil when granted, otherwise the approximate time until the caller is the head of the queue.
const Script& AcquireFairScript() {
  static const Script script(
      std::string(kDefineDrop) +
      "local wait, now = tonumber(ARGV[3]), tonumber(ARGV[4]) drop(now) "
      "local head = redis.call('lindex', KEYS[2], 0) "
      "if redis.call('exists', KEYS[1]) == 0 and (not head or head == ARGV[2]) then "
      "redis.call('lpop', KEYS[2]) redis.call('zrem', KEYS[3], ARGV[2]) "
      "for _, other in ipairs(redis.call('zrange', KEYS[3], 0, -1)) do "
      "redis.call('zincrby', KEYS[3], '-' .. ARGV[3], other) end "
      "redis.call('hset', KEYS[1], ARGV[2], 1) redis.call('pexpire', KEYS[1], ARGV[1]) return nil "
      "end "
      "if redis.call('hexists', KEYS[1], ARGV[2]) == 1 then "
      "redis.call('hincrby', KEYS[1], ARGV[2], 1) redis.call('pexpire', KEYS[1], ARGV[1]) "
      "return nil end "
      "local own = redis.call('zscore', KEYS[3], ARGV[2]) "
      "if own then return tonumber(own) - wait - now end "
      "local last, ttl = redis.call('lindex', KEYS[2], -1), nil "
      "if last then ttl = tonumber(redis.call('zscore', KEYS[3], last)) - now "
      "else ttl = redis.call('pttl', KEYS[1]) end "
      "redis.call('zadd', KEYS[3], ttl + wait + now, ARGV[2]) "
      "redis.call('rpush', KEYS[2], ARGV[2]) return ttl");
  return script;
}

// Keys: lock, queue, deadlines, prefix of the channel. Arguments: message, lease, owner, entries to
// keep, now. Wakes the head of the queue even if the lock no longer exists.
const Script& UnlockFairScript() {
  static const Script script(
      std::string(kDefineDrop) +
      "drop(tonumber(ARGV[5])) "
      "local function tell() local head = redis.call('lindex', KEYS[2], 0) "
      "if head then redis.call('publish', KEYS[4] .. ':' .. head, ARGV[1]) end end "
      "if redis.call('exists', KEYS[1]) == 0 then tell() return nil end "
      "local count = tonumber(redis.call('hget', KEYS[1], ARGV[3]) or '0') "
      "if count <= tonumber(ARGV[4]) then return nil end "
      "if redis.call('hincrby', KEYS[1], ARGV[3], -1) > 0 then "
      "redis.call('pexpire', KEYS[1], ARGV[2]) return 0 end "
      "redis.call('del', KEYS[1]) tell() return 1");
  return script;
}

// Keys: queue, deadlines. Arguments: owner, wait time. Removes the owner from the queue. Returns 1
// if the owner was in the queue. Moves the deadlines of the waiters behind it a wait time earlier.
const Script& LeaveQueueScript() {
  static const Script script(
      "local behind = false "
      "for _, waiter in ipairs(redis.call('lrange', KEYS[1], 0, -1)) do "
      "if behind then redis.call('zincrby', KEYS[2], '-' .. ARGV[2], waiter) end "
      "behind = behind or waiter == ARGV[1] end "
      "redis.call('zrem', KEYS[2], ARGV[1]) return redis.call('lrem', KEYS[1], 0, ARGV[1])");
  return script;
}

std::string QueueOf(const LockKey& key) { return "redisson_lock_queue:" + Braced(key); }
std::string InstantsOf(const LockKey& key) { return "redisson_lock_timeout:" + Braced(key); }

class RedissonFair final : public RedissonFamily {
 public:
  explicit RedissonFair(const LockContext& context)
      : RedissonFamily(context, RenewRedisson),
        wait_ms_(std::to_string(ToMs(context.options.Span("wait-time")))) {}

  ReleaseResult GiveUp(const LockKey& key, Deadline deadline) override {
    const std::string queue = QueueOf(key);
    const std::string instants = InstantsOf(key);
    const std::array<std::string_view, 2> keys{queue, instants};
    const std::array<std::string_view, 2> args{owner_, wait_ms_};
    const CallResult left = node_->Eval(LeaveQueueScript(), keys, args, deadline);
    // Leaving a queue frees no lock. Without a reply, the script may run later, and remove the
    // client after it has queued again.
    return left ? ReleaseResult::kNotOwner : ReleaseResult::kUnknown;
  }

 private:
  CallResult Ask(Grant& grant, const std::string& lease_ms, Deadline deadline) override {
    const std::string queue = QueueOf(grant.key);
    const std::string instants = InstantsOf(grant.key);
    const std::string now_ms = std::to_string(ToMs(env_.Wall()));
    const std::array<std::string_view, 3> keys{grant.key.name, queue, instants};
    const std::array<std::string_view, 4> args{lease_ms, owner_, wait_ms_, now_ms};
    return node_->Eval(AcquireFairScript(), keys, args, deadline);
  }

  CallResult GiveBack(const Grant& grant, const std::string& lease_ms, const std::string& keep,
                      Deadline deadline) override {
    const std::string queue = QueueOf(grant.key);
    const std::string instants = InstantsOf(grant.key);
    const std::string channel = RedissonChannel(grant.key);
    const std::string now_ms = std::to_string(ToMs(env_.Wall()));
    const std::array<std::string_view, 4> keys{grant.key.name, queue, instants, channel};
    const std::array<std::string_view, 5> args{kUnlockMessage, lease_ms, owner_, keep, now_ms};
    return node_->Eval(UnlockFairScript(), keys, args, deadline);
  }

  std::string ChannelOf(const LockKey& key) const override {
    return RedissonChannel(key) + ":" + owner_;
  }

  std::string wait_ms_;
};

}  // namespace

LockEntry RedissonFairLock() {
  LockEntry entry{.name = "redisson-fair",
                  .summary = "redisson with a queue: grants in the order of arrival",
                  .options = RedissonOptions(),
                  .sends = Sends{{"EVALSHA EVAL", "{}"},
                                 {"EVALSHA EVAL", "redisson_lock_queue:{{}}"},
                                 {"SUBSCRIBE MESSAGE", ""}},
                  .make = MakeLock<RedissonFair>,
                  .traits = {Trait::kQueue, Trait::kReentry},
                  .option_traits = RedissonOptionTraits(),
                  .source = {.lease = "30s"}};
  entry.options.push_back(
      {.name = "wait-time",
       .kind = OptionSpec::Kind::kDuration,
       .fallback = "5m",
       .help = "how long the head of the queue may stay silent before it is removed"});
  return entry;
}

}  // namespace doublehold
