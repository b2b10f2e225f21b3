// redisson-read-write: Redisson's RReadWriteLock. Readers share the key; a writer holds it alone.
// Both may re-enter, and a writer may read. The key is a hash with the mode (read or write) and the
// number of entries of each owner. Each entry of a reader has a further key with the entry's
// expiry. So the hash can live as long as its longest entry.
//
// Claims:  no reader and writer hold at the same time; one writer at a time; otherwise the claims
//          of redisson.
// Assumes: the same as redisson.
// Attack:  the same as redisson. A reader that acquires for writing waits for itself. The watchdog
//          of one reader extends the entries of all readers, even of dead ones, so a writer can
//          starve while any reader lives.
// Source:  Redisson 3.23.5, RedissonReadLock and RedissonWriteLock.

#include <array>

#include "lib/locks/redis/redisson_family.h"

namespace doublehold {
namespace {

constexpr std::string_view kWriter = ":write";

// Keys: hash, prefix of the owner's entry keys. Arguments: lease, reader, writer. Returns nil when
// acquired, otherwise the PTTL.
const Script& AcquireToRead() {
  static const Script script(
      "local mode = redis.call('hget', KEYS[1], 'mode') "
      "if mode == 'write' and redis.call('hexists', KEYS[1], ARGV[3]) == 0 then "
      "return redis.call('pttl', KEYS[1]) end "
      "if not mode then redis.call('hset', KEYS[1], 'mode', 'read') end "
      "local entry = redis.call('hincrby', KEYS[1], ARGV[2], 1) "
      "redis.call('set', KEYS[2] .. ':' .. entry, 1, 'px', ARGV[1]) "
      "redis.call('pexpire', KEYS[1], math.max(redis.call('pttl', KEYS[1]), tonumber(ARGV[1]))) "
      "return nil");
  return script;
}

// Keys: hash. Arguments: lease, writer. A re-entry of the writer adds a lease to the remaining one.
const Script& AcquireToWrite() {
  static const Script script(
      "local mode = redis.call('hget', KEYS[1], 'mode') "
      "if not mode then redis.call('hset', KEYS[1], 'mode', 'write', ARGV[2], 1) "
      "redis.call('pexpire', KEYS[1], ARGV[1]) return nil end "
      "if mode == 'write' and redis.call('hexists', KEYS[1], ARGV[2]) == 1 then "
      "redis.call('hincrby', KEYS[1], ARGV[2], 1) "
      "redis.call('pexpire', KEYS[1], redis.call('pttl', KEYS[1]) + tonumber(ARGV[1])) return nil "
      "end "
      "return redis.call('pttl', KEYS[1])");
  return script;
}

// Keys: hash, channel, prefix of the owner's entry keys, prefix of all entry keys. Arguments:
// message, reader, entries to keep. Returns 1 when no entry is left, 0 when entries are left, nil
// when the caller is not a reader. The remaining hash lives as long as its longest entry.
const Script& UnlockRead() {
  static const Script script(
      "local mode = redis.call('hget', KEYS[1], 'mode') "
      "if not mode then redis.call('publish', KEYS[2], ARGV[1]) return nil end "
      "local count = tonumber(redis.call('hget', KEYS[1], ARGV[2]) or '0') "
      "if count <= tonumber(ARGV[3]) then return nil end "
      "if redis.call('hincrby', KEYS[1], ARGV[2], -1) == 0 then redis.call('hdel', KEYS[1], "
      "ARGV[2]) end "
      "redis.call('del', KEYS[3] .. ':' .. count) "
      "if redis.call('hlen', KEYS[1]) > 1 then local longest = -3 "
      "for _, field in ipairs(redis.call('hkeys', KEYS[1])) do "
      "for i = tonumber(redis.call('hget', KEYS[1], field)) or 0, 1, -1 do "
      "longest = math.max(longest, "
      "redis.call('pttl', KEYS[4] .. ':' .. field .. ':rwlock_timeout:' .. i)) end end "
      "if longest > 0 then redis.call('pexpire', KEYS[1], longest) return 0 end "
      "if mode == 'write' then return 0 end end "
      "redis.call('del', KEYS[1]) redis.call('publish', KEYS[2], ARGV[1]) return 1");
  return script;
}

// Keys: hash, channel. Arguments: message, lease, writer, entries to keep. A writer that also reads
// becomes a reader.
const Script& UnlockWrite() {
  static const Script script(
      "local mode = redis.call('hget', KEYS[1], 'mode') "
      "if not mode then redis.call('publish', KEYS[2], ARGV[1]) return nil end "
      "local count = tonumber(redis.call('hget', KEYS[1], ARGV[3]) or '0') "
      "if mode ~= 'write' or count <= tonumber(ARGV[4]) then return nil end "
      "if redis.call('hincrby', KEYS[1], ARGV[3], -1) > 0 then "
      "redis.call('pexpire', KEYS[1], ARGV[2]) return 0 end "
      "redis.call('hdel', KEYS[1], ARGV[3]) "
      "if redis.call('hlen', KEYS[1]) > 1 then redis.call('hset', KEYS[1], 'mode', 'read') return "
      "1 end "
      "redis.call('del', KEYS[1]) redis.call('publish', KEYS[2], ARGV[1]) return 1");
  return script;
}

// Keys: hash, prefix of all entry keys. Arguments: lease, owner. Extends the entries of every
// reader.
const Script& RenewEntries() {
  static const Script script(
      "if redis.call('hexists', KEYS[1], ARGV[2]) == 0 then return 0 end "
      "redis.call('pexpire', KEYS[1], ARGV[1]) "
      "for _, field in ipairs(redis.call('hkeys', KEYS[1])) do "
      "for i = tonumber(redis.call('hget', KEYS[1], field)) or 0, 1, -1 do "
      "redis.call('pexpire', KEYS[2] .. ':' .. field .. ':rwlock_timeout:' .. i, ARGV[1]) end end "
      "return 1");
  return script;
}

std::string EntriesOf(const Grant& grant) {
  return Braced(grant.key) + ":" + grant.owner + ":rwlock_timeout";
}

ExtendResult Renew(Env& env, Nodes nodes, const Grant& grant, Lease lease, Deadline deadline) {
  Grant writer = grant;
  writer.owner += kWriter;
  if (!grant.shared) return RenewRedisson(env, nodes, writer, lease, deadline);
  const MonoTime valid_until = env.Mono() + lease;
  const std::string lease_ms = std::to_string(ToMs(lease));
  const std::string prefix = Braced(grant.key);
  const std::array<std::string_view, 2> keys{grant.key.name, prefix};
  const std::array<std::string_view, 2> args{lease_ms, grant.owner};
  const CallResult result = nodes.front()->Eval(RenewEntries(), keys, args, deadline);
  if (!result) return Undecided{};
  if (result->IsInteger(1)) return Extended{valid_until};
  return Lost{};
}

class RedissonReadWrite final : public RedissonFamily {
 public:
  explicit RedissonReadWrite(const LockContext& context)
      : RedissonFamily(context, Renew), writer_(owner_ + std::string(kWriter)) {}

 private:
  CallResult Ask(Grant& grant, const std::string& lease_ms, Deadline deadline) override {
    grant.shared = grant.key.shared;
    if (!grant.shared) {
      const std::array<std::string_view, 1> keys{grant.key.name};
      const std::array<std::string_view, 2> args{lease_ms, writer_};
      return node_->Eval(AcquireToWrite(), keys, args, deadline);
    }
    const std::string entries = EntriesOf(grant);
    const std::array<std::string_view, 2> keys{grant.key.name, entries};
    const std::array<std::string_view, 3> args{lease_ms, owner_, writer_};
    return node_->Eval(AcquireToRead(), keys, args, deadline);
  }

  CallResult GiveBack(const Grant& grant, const std::string& lease_ms, const std::string& keep,
                      Deadline deadline) override {
    const std::string channel = ChannelOf(grant.key);
    if (!grant.shared) {
      const std::array<std::string_view, 2> keys{grant.key.name, channel};
      const std::array<std::string_view, 4> args{kWriteUnlockMessage, lease_ms, writer_, keep};
      return node_->Eval(UnlockWrite(), keys, args, deadline);
    }
    const std::string entries = EntriesOf(grant);
    const std::string prefix = Braced(grant.key);
    const std::array<std::string_view, 4> keys{grant.key.name, channel, entries, prefix};
    const std::array<std::string_view, 3> args{kUnlockMessage, owner_, keep};
    return node_->Eval(UnlockRead(), keys, args, deadline);
  }

  std::string ChannelOf(const LockKey& key) const override {
    return "redisson_rwlock:" + Braced(key);
  }

  std::string writer_;
};

}  // namespace

LockEntry RedissonReadWriteLock() {
  return {.name = "redisson-read-write",
          .summary = "Redisson's read-write lock: many readers or one writer",
          .options = RedissonOptions(),
          .sends = Sends{{"EVALSHA EVAL", "{}"}, {"SUBSCRIBE MESSAGE", ""}},
          .make = MakeLock<RedissonReadWrite>,
          .traits = {Trait::kReaders, Trait::kReentry},
          .option_traits = RedissonOptionTraits(),
          .source = {.lease = "30s"}};
}

}  // namespace doublehold
