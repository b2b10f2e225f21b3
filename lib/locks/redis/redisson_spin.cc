// redisson-spin: redisson without a channel. A release publishes nothing. A waiter polls after 1
// ms, and doubles the interval after each poll, up to 128 ms.
//
// Claims:  the claims of redisson; nothing is published, because publishing is expensive in a large
//          cluster.
// Assumes: the same as redisson.
// Attack:  the same as redisson. A new waiter polls more often than an old waiter. So new waiters
//          may overtake an old waiter for ever.
// Source:  Redisson 3.23.5, RedissonSpinLock and its exponential back-off.

#include <array>

#include "lib/locks/redis/redisson_family.h"

namespace doublehold {
namespace {

const Script& UnlockSpinScript() {
  static const Script script(
      "local count = tonumber(redis.call('hget', KEYS[1], ARGV[2]) or '0') "
      "if count <= tonumber(ARGV[3]) then return nil end "
      "if redis.call('hincrby', KEYS[1], ARGV[2], -1) > 0 then "
      "redis.call('pexpire', KEYS[1], ARGV[1]) return 0 end "
      "redis.call('del', KEYS[1]) return 1");
  return script;
}

class RedissonSpin final : public RedissonFamily {
 public:
  explicit RedissonSpin(const LockContext& context) : RedissonFamily(context, RenewRedisson) {}

 private:
  CallResult GiveBack(const Grant& grant, const std::string& lease_ms, const std::string& keep,
                      Deadline deadline) override {
    const std::array<std::string_view, 1> keys{grant.key.name};
    const std::array<std::string_view, 3> args{lease_ms, owner_, keep};
    return node_->Eval(UnlockSpinScript(), keys, args, deadline);
  }
  std::string ChannelOf(const LockKey& /*key*/) const override { return ""; }
};

}  // namespace

LockEntry RedissonSpinLock() {
  return {.name = "redisson-spin",
          .summary = "redisson without a channel: waiters retry with growing pauses",
          .options = RedissonOptions(),
          .sends = Sends{{"EVALSHA EVAL", "{}"}},
          .make = MakeLock<RedissonSpin>,
          .traits = {Trait::kReentry},
          .option_traits = RedissonOptionTraits(),
          .retry_interval = "1ms",
          .retry_longest = "128ms",
          .retry_growth = 2,
          .source = {.lease = "30s"}};
}

}  // namespace doublehold
