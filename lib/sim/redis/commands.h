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
COMMAND(PExpire);
COMMAND(PTtl);
COMMAND(Type);
COMMAND(DbSize);

// commands_strings.cc
COMMAND(Decr);
COMMAND(Get);
COMMAND(GetSet);
COMMAND(Incr);
COMMAND(MGet);
COMMAND(MSet);
COMMAND(Set);
COMMAND(SetNx);

// commands_hashes.cc
COMMAND(HDel);
COMMAND(HExists);
COMMAND(HGet);
COMMAND(HGetAll);
COMMAND(HIncrBy);
COMMAND(HKeys);
COMMAND(HLen);
COMMAND(HSet);

// commands_lists.cc
COMMAND(LIndex);
COMMAND(LLen);
COMMAND(LPop);
COMMAND(LPos);
COMMAND(LRange);
COMMAND(LRem);
COMMAND(RPush);

// commands_sorted_sets.cc
COMMAND(ZAdd);
COMMAND(ZIncrBy);
COMMAND(ZRange);
COMMAND(ZRem);
COMMAND(ZScore);

// commands_server.cc
COMMAND(Eval);
COMMAND(EvalSha);
COMMAND(Exec);
COMMAND(Multi);
COMMAND(Publish);
COMMAND(Unwatch);
COMMAND(Wait);
COMMAND(Watch);

#undef COMMAND

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_REDIS_COMMANDS_H_
