// redisson-fenced: redisson with a script that also increments a counter. The token of each grant,
// re-entries included, is greater than all earlier tokens. The store refuses a token that is lower
// than an earlier one.
//
// Claims:  the claims of redisson; with a store that compares tokens no order is lost, however late
//          a holder is.
// Assumes: the same as redisson; the store compares the tokens of reads and of writes; the counter
//          is never lost.
// Attack:  the same as redisson: a late holder still acts as the holder. After the counter is lost,
//          old tokens are granted again (K34).
// Source:  Redisson 3.23.5, RedissonFencedLock.

#include <array>

#include "lib/locks/redis/redisson_family.h"

namespace doublehold {
namespace {

// Returns {-1, token} when acquired or re-entered. Returns {PTTL, -1} when another owner holds the
// key.
const Script& AcquireRedissonFencedScript() {
  static const Script script(
      "if redis.call('exists', KEYS[1]) == 0 or redis.call('hexists', KEYS[1], ARGV[2]) == 1 then "
      "local token = redis.call('incr', KEYS[2]) "
      "redis.call('hincrby', KEYS[1], ARGV[2], 1) redis.call('pexpire', KEYS[1], ARGV[1]) "
      "return {-1, token} end return {redis.call('pttl', KEYS[1]), -1}");
  return script;
}

class RedissonFenced final : public RedissonFamily {
 public:
  explicit RedissonFenced(const LockContext& context) : RedissonFamily(context, RenewRedisson) {}

 private:
  CallResult Ask(Grant& grant, const std::string& lease_ms, Deadline deadline) override {
    const std::string counter = "redisson_lock_token:" + Braced(grant.key);
    const std::array<std::string_view, 2> keys{grant.key.name, counter};
    const std::array<std::string_view, 2> args{lease_ms, owner_};
    CallResult result = node_->Eval(AcquireRedissonFencedScript(), keys, args, deadline);
    if (!result || result->items.size() != 2) return result;
    const int64_t token = result->items[1].integer;
    if (token < 0) return result->items[0];
    grant.token = token;
    return Reply{};
  }
};

}  // namespace

LockEntry RedissonFencedLock() {
  return {.name = "redisson-fenced",
          .summary = "redisson with a fencing token; the store compares tokens",
          .options = RedissonOptions(),
          .sends = Sends{{"EVALSHA EVAL", "{}"}, {"SUBSCRIBE MESSAGE", ""}},
          .make = MakeLock<RedissonFenced>,
          .traits = {Trait::kToken, Trait::kReentry},
          .option_traits = RedissonOptionTraits(),
          .write = "fenced",
          .source = {.lease = "30s"}};
}

}  // namespace doublehold
