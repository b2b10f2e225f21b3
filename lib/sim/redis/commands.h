// The commands of the modelled Redis, grouped by source file. A handler is called with a number of
// words that its row in commands.cc allows. It executes the command at one instant, and replies as
// Redis 7.0 does.
#ifndef DOUBLEHOLD_LIB_SIM_REDIS_COMMANDS_H_
#define DOUBLEHOLD_LIB_SIM_REDIS_COMMANDS_H_

#include "lib/sim/redis/server.h"

namespace doublehold::sim {

#define COMMAND(name) ServerReply name(const ServerCall& call)

// commands_keys.cc
COMMAND(Del);
COMMAND(Exists);
COMMAND(Expire);
COMMAND(ExpireAt);
COMMAND(PExpire);
COMMAND(PExpireAt);
COMMAND(ExpireTime);
COMMAND(PExpireTime);
COMMAND(Ttl);
COMMAND(PTtl);
COMMAND(Persist);
COMMAND(Type);
COMMAND(DbSize);
COMMAND(FlushAll);

// commands_strings.cc
COMMAND(Append);
COMMAND(Decr);
COMMAND(DecrBy);
COMMAND(Get);
COMMAND(GetDel);
COMMAND(GetSet);
COMMAND(Incr);
COMMAND(IncrBy);
COMMAND(MGet);
COMMAND(MSet);
COMMAND(PSetEx);
COMMAND(Set);
COMMAND(SetEx);
COMMAND(SetNx);
COMMAND(StrLen);

// commands_hashes.cc
COMMAND(HDel);
COMMAND(HExists);
COMMAND(HGet);
COMMAND(HGetAll);
COMMAND(HIncrBy);
COMMAND(HKeys);
COMMAND(HLen);
COMMAND(HMGet);
COMMAND(HMSet);
COMMAND(HSet);
COMMAND(HSetNx);
COMMAND(HVals);

// commands_lists.cc
COMMAND(LIndex);
COMMAND(LLen);
COMMAND(LPop);
COMMAND(LPos);
COMMAND(LPush);
COMMAND(LRange);
COMMAND(LRem);
COMMAND(RPop);
COMMAND(RPush);

// commands_sorted_sets.cc
COMMAND(ZAdd);
COMMAND(ZCard);
COMMAND(ZIncrBy);
COMMAND(ZRange);
COMMAND(ZRem);
COMMAND(ZScore);

// commands_server.cc
COMMAND(Discard);
COMMAND(Echo);
COMMAND(Eval);
COMMAND(EvalSha);
COMMAND(Exec);
COMMAND(Multi);
COMMAND(Ping);
COMMAND(Publish);
COMMAND(ScriptExists);
COMMAND(ScriptFlush);
COMMAND(ScriptLoad);
COMMAND(Time);
COMMAND(Unwatch);
COMMAND(Wait);
COMMAND(Watch);

#undef COMMAND

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_REDIS_COMMANDS_H_
