// Converts between replies and Lua values, as Redis does.
#ifndef DOUBLEHOLD_LIB_SIM_REDIS_LUA_REPLIES_H_
#define DOUBLEHOLD_LIB_SIM_REDIS_LUA_REPLIES_H_

#include <lua.hpp>

#include "lib/sim/redis/server.h"

namespace doublehold::sim {

// Pushes the value that redis.call returns for `reply`. Nil becomes false, a status becomes
// {ok=...}, and an error becomes {err=...}.
void PushReply(lua_State* lua, const ServerReply& reply);
// Pushes {err=...}. `words` is "-CODE message", or a message that gets the code ERR.
void PushError(lua_State* lua, std::string_view words);
// Returns the reply for the value on top of the stack, which stays there. False becomes nil, true
// becomes 1, a number is truncated, and a table ends at its first nil.
ServerReply ReplyOf(lua_State* lua);
// Returns the text of the error that ended a script. Reads the error handler's result on top of the
// stack, and leaves it there.
ServerError ErrorOf(lua_State* lua, std::string_view sha1);

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_REDIS_LUA_REPLIES_H_
