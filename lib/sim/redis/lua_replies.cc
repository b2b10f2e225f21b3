#include "lib/sim/redis/lua_replies.h"

#include <fmt/format.h>

#include <cmath>

#include "lib/sim/redis/replies.h"

namespace doublehold::sim {
namespace {

// Deeper than the reply of any lock's script. The limit ends the conversion of a table that
// contains itself.
constexpr int kDeepest = 32;

void Push(lua_State* lua, std::string_view text) { lua_pushlstring(lua, text.data(), text.size()); }

void PushTableOf(lua_State* lua, const char* name, std::string_view text) {
  lua_createtable(lua, 0, 2);
  Push(lua, text);
  lua_setfield(lua, -2, name);
}

void PushPlain(lua_State* lua, const Reply& reply) {
  luaL_checkstack(lua, 4, "a reply is nested too deeply");
  switch (reply.kind) {
    case Reply::Kind::kNil:
      return lua_pushboolean(lua, 0);
    case Reply::Kind::kInteger:
      return lua_pushnumber(lua, static_cast<lua_Number>(reply.integer));
    case Reply::Kind::kString:
      return Push(lua, reply.text);
    case Reply::Kind::kStatus:
      return PushTableOf(lua, "ok", reply.text);
    case Reply::Kind::kArray:
      lua_createtable(lua, static_cast<int>(reply.items.size()), 0);
      for (size_t i = 0; i < reply.items.size(); ++i) {
        PushPlain(lua, reply.items[i]);
        lua_rawseti(lua, -2, static_cast<int>(i) + 1);
      }
  }
}

// Returns the value of a table's field if it is a string.
std::optional<std::string> TextField(lua_State* lua, const char* name) {
  lua_pushstring(lua, name);
  lua_rawget(lua, -2);
  std::optional<std::string> text;
  if (lua_type(lua, -1) == LUA_TSTRING) {
    size_t bytes = 0;
    const char* start = lua_tolstring(lua, -1, &bytes);
    text.emplace(start, bytes);
  }
  lua_pop(lua, 1);
  return text;
}

ServerReply Converted(lua_State* lua, int depth);

ServerReply OfTable(lua_State* lua, int depth) {
  if (auto error = TextField(lua, "err")) return Error(std::move(*error));
  if (const auto status = TextField(lua, "ok")) return Status(OneLine(*status));
  Reply reply = Array();
  if (depth == kDeepest || lua_checkstack(lua, 4) == 0) return Error("ERR reached lua stack limit");
  for (int i = 1;; ++i) {
    lua_rawgeti(lua, -1, i);
    if (lua_isnil(lua, -1)) break;
    ServerReply item = Converted(lua, depth + 1);
    lua_pop(lua, 1);
    if (item) {
      reply.items.push_back(std::move(*item));
    } else {
      reply.items.push_back(*Status(item.error().text));
    }
  }
  lua_pop(lua, 1);
  return reply;
}

ServerReply Converted(lua_State* lua, int depth) {
  switch (lua_type(lua, -1)) {
    case LUA_TSTRING: {
      size_t bytes = 0;
      const char* start = lua_tolstring(lua, -1, &bytes);
      return Text({start, bytes});
    }
    case LUA_TBOOLEAN:
      return lua_toboolean(lua, -1) != 0 ? Integer(int64_t{1}) : Nil();
    case LUA_TNUMBER: {
      // A number out of range becomes INT64_MIN, as in the server's C code on x86-64.
      const double number = lua_tonumber(lua, -1);
      constexpr double kTooLarge = 9223372036854775808.0;
      const bool fits = number >= -kTooLarge && number < kTooLarge;
      return Integer(fits ? static_cast<int64_t>(number) : INT64_MIN);
    }
    case LUA_TTABLE:
      return OfTable(lua, depth);
    default:
      return Nil();
  }
}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  while (!text.empty() && (text.front() == '\n' || text.front() == '\r')) text.remove_prefix(1);
  return text;
}

}  // namespace

void PushReply(lua_State* lua, const ServerReply& reply) {
  if (reply) return PushPlain(lua, *reply);
  PushTableOf(lua, "err", reply.error().text);
}

void PushError(lua_State* lua, std::string_view words) {
  std::string_view code = "ERR";
  if (words.starts_with('-')) {
    words = Trimmed(words);
    words.remove_prefix(1);
    if (const size_t space = words.find(' '); space != std::string_view::npos) {
      code = words.substr(0, space);
      words = words.substr(space + 1);
    }
  }
  PushTableOf(lua, "err", fmt::format("{} {}", code, Trimmed(words)));
}

ServerReply ReplyOf(lua_State* lua) { return Converted(lua, 0); }

ServerError ErrorOf(lua_State* lua, std::string_view sha1) {
  if (!lua_istable(lua, -1)) return {"ERR Error running script " + std::string(sha1)};
  std::string text = TextField(lua, "err").value_or("");
  const auto source = TextField(lua, "source");
  lua_getfield(lua, -1, "line");
  const auto line = static_cast<int64_t>(lua_tonumber(lua, -1));
  lua_pop(lua, 1);
  if (source) text += fmt::format(" script: {}, on {}:{}.", sha1, *source, line);
  return {OneLine(std::move(text))};
}

}  // namespace doublehold::sim
