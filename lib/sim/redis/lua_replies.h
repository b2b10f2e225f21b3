// Between replies and values of Lua, as Redis converts them.
#ifndef DOUBLEHOLD_LIB_SIM_REDIS_LUA_REPLIES_H_
#define DOUBLEHOLD_LIB_SIM_REDIS_LUA_REPLIES_H_

#include <lua.hpp>

#include "lib/sim/redis/server.h"

namespace doublehold::sim {

// Pushes the value that redis.call gives for it: nil is false, a status {ok=...}, an error
// {err=...}.
void PushReply(lua_State* lua, const ServerReply& reply);
// Pushes {err=...} of "-CODE words", or of words that get the code ERR.
void PushError(lua_State* lua, std::string_view words);
// The reply for the value on top of the stack, which stays: false is nil, true 1, a number whole,
// and a table ends at its first nil.
ServerReply ReplyOf(lua_State* lua);
// The text of an error that ended the script: what the error handler made of it is on top of the
// stack, and stays.
ServerError ErrorOf(lua_State* lua, std::string_view sha1);

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_REDIS_LUA_REPLIES_H_
