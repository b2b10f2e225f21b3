#include "lib/sim/redis/script_engine.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <deque>
#include <lua.hpp>

#include "lib/base/check.h"
#include "lib/sim/redis/lua_replies.h"
#include "lib/sim/redis/replies.h"

namespace doublehold::sim {
namespace {

// More words than any script of a lock passes. A command with more words is an error.
constexpr int kMostWords = 256;
constexpr size_t kNumberBytes = 40;
constexpr int kGarbagePercent =
    1000;  // few objects are live, so frequent garbage collection would cost too much
constexpr const char* kChunk = "@user_script";

// The Lua functions that scripts may call. Excluded are files and the system, `load` and its
// variants, functions that bypass protected tables, and random numbers, which differ between runs.
constexpr std::array<const char*, 14> kBuiltins{
    "assert", "error",  "getmetatable", "ipairs", "next",     "pairs",    "rawequal",
    "rawget", "select", "setmetatable", "type",   "tonumber", "tostring", "unpack"};

int NoSuchGlobal(lua_State* lua) {
  return luaL_error(lua, "Script attempted to access nonexistent global variable '%s'",
                    luaL_checkstring(lua, 2));
}

int NoSuchWrite(lua_State* lua) { return luaL_error(lua, "Attempt to modify a readonly table"); }

// Adds the place where an error was raised to the error.
int OnError(lua_State* lua) {
  if (!lua_istable(lua, 1)) {
    const char* words = lua_tostring(lua, 1);
    lua_pushfstring(lua, "ERR %s", words == nullptr ? luaL_typename(lua, 1) : words);
    lua_createtable(lua, 0, 3);
    lua_insert(lua, 1);
    lua_setfield(lua, 1, "err");
    lua_settop(lua, 1);
  }
  lua_Debug place{};
  for (int level = 1; level <= 2 && lua_getstack(lua, level, &place) != 0; ++level) {
    lua_getinfo(lua, "Sl", &place);
    if (level == 1 && *place.what == 'C') continue;
    lua_pushstring(lua, place.source);
    lua_setfield(lua, 1, "source");
    lua_pushinteger(lua, place.currentline);
    lua_setfield(lua, 1, "line");
    break;
  }
  lua_settop(lua, 1);
  return 1;
}

// pcall for scripts. Passes an error of redis.call to the script as text.
int ProtectedCall(lua_State* lua) {
  luaL_checkany(lua, 1);
  lua_pushboolean(lua, 1);
  lua_insert(lua, 1);
  if (lua_pcall(lua, lua_gettop(lua) - 2, LUA_MULTRET, 0) == 0) return lua_gettop(lua);
  lua_pushboolean(lua, 0);
  lua_replace(lua, 1);
  if (lua_istable(lua, -1)) {
    lua_getfield(lua, -1, "err");
    if (lua_isstring(lua, -1) != 0) lua_replace(lua, 2);
    lua_settop(lua, 2);
  }
  return 2;
}

// Replaces the table on top of the stack by a read-only view of this table.
void Protect(lua_State* lua) {
  lua_createtable(lua, 0, 0);
  lua_createtable(lua, 0, 3);
  lua_pushvalue(lua, -3);
  lua_setfield(lua, -2, "__index");
  lua_pushcfunction(lua, NoSuchWrite);
  lua_setfield(lua, -2, "__newindex");
  lua_pushboolean(lua, 0);
  lua_setfield(lua, -2, "__metatable");
  lua_setmetatable(lua, -2);
  lua_remove(lua, -2);
}

}  // namespace

class ScriptEngine::Lua {
 public:
  Lua() : lua_(luaL_newstate()) {
    CHECK(lua_ != nullptr);
    lua_gc(lua_, LUA_GCSETPAUSE, kGarbagePercent);
    for (const lua_CFunction open : {luaopen_base, luaopen_table, luaopen_string, luaopen_math}) {
      lua_pushcfunction(lua_, open);
      lua_call(lua_, 0, 0);
    }
    MakeGlobals();
    MakeEnvironment();
    lua_pushcfunction(lua_, OnError);
    on_error_ = luaL_ref(lua_, LUA_REGISTRYINDEX);
  }
  ~Lua() { lua_close(lua_); }
  Lua(const Lua&) = delete;
  Lua& operator=(const Lua&) = delete;

  tl::expected<CompiledScript*, ServerError> Compile(const Script& script) {
    for (CompiledScript& each : scripts_) {
      if (each.sha1 == script.sha1) return &each;
    }
    if (luaL_loadbuffer(lua_, script.text.data(), script.text.size(), kChunk) != 0) {
      std::string why = lua_tostring(lua_, -1);
      lua_pop(lua_, 1);
      return Error("ERR Error compiling script (new function): " + why);
    }
    lua_rawgeti(lua_, LUA_REGISTRYINDEX, environment_);
    lua_setfenv(lua_, -2);
    const int function = luaL_ref(lua_, LUA_REGISTRYINDEX);
    return &scripts_.emplace_back(CompiledScript{.sha1 = script.sha1, .function = function});
  }

  ServerReply Run(const CompiledScript& script, const ServerCall& call, Argv keys, Argv args) {
    CHECK(call_ == nullptr);
    call_ = &call;
    lua_rawgeti(lua_, LUA_REGISTRYINDEX, on_error_);
    FillWords(keys_, keys);
    FillWords(args_, args);
    lua_rawgeti(lua_, LUA_REGISTRYINDEX, script.function);
    const bool ended = lua_pcall(lua_, 0, 1, 1) == 0;
    call_ = nullptr;
    ServerReply reply;
    if (ended) {
      reply = ReplyOf(lua_);
    } else {
      reply = tl::unexpected(ErrorOf(lua_, script.sha1));
    }
    lua_settop(lua_, 0);
    return reply;
  }

 private:
  // Builds the table of globals that scripts see.
  void MakeGlobals() {
    lua_createtable(lua_, 0, 32);
    for (const char* name : kBuiltins) {
      lua_getglobal(lua_, name);
      lua_setfield(lua_, -2, name);
    }
    for (const char* name : {"string", "table", "math"}) {
      lua_getglobal(lua_, name);
      for (const char* without : {"random", "randomseed"}) {
        lua_pushnil(lua_);
        lua_setfield(lua_, -2, without);
      }
      Protect(lua_);
      lua_setfield(lua_, -2, name);
    }
    // All scripts share the metatable of strings, so it is protected too.
    lua_pushstring(lua_, "");
    lua_getmetatable(lua_, -1);
    lua_pushboolean(lua_, 0);
    lua_setfield(lua_, -2, "__metatable");
    lua_pop(lua_, 2);
    lua_pushcfunction(lua_, ProtectedCall);
    lua_setfield(lua_, -2, "pcall");
    MakeRedis();
    keys_ = MakeWords("KEYS");
    args_ = MakeWords("ARGV");
    lua_createtable(lua_, 0, 1);
    lua_pushcfunction(lua_, NoSuchGlobal);
    lua_setfield(lua_, -2, "__index");
    lua_setmetatable(lua_, -2);
    globals_ = luaL_ref(lua_, LUA_REGISTRYINDEX);
  }

  void MakeRedis() {
    lua_createtable(lua_, 0, 4);
    struct Function {
      const char* name;
      lua_CFunction function;
    };
    for (const Function& each :
         {Function{"call", CallRaising}, Function{"pcall", CallReturning},
          Function{"error_reply", ErrorReply}, Function{"status_reply", StatusReply}}) {
      lua_pushlightuserdata(lua_, this);
      lua_pushcclosure(lua_, each.function, 1);
      lua_setfield(lua_, -2, each.name);
    }
    Protect(lua_);
    lua_setfield(lua_, -2, "redis");
  }

  void MakeEnvironment() {
    lua_rawgeti(lua_, LUA_REGISTRYINDEX, globals_);
    Protect(lua_);
    environment_ = luaL_ref(lua_, LUA_REGISTRYINDEX);
  }

  // Creates a global table, which FillWords refills for each script.
  int MakeWords(const char* name) {
    lua_createtable(lua_, 8, 0);
    lua_pushvalue(lua_, -1);
    lua_setfield(lua_, -3, name);
    return luaL_ref(lua_, LUA_REGISTRYINDEX);
  }

  // Refills the table of KEYS or ARGV. All scripts share this table, because no script can keep a
  // reference to it. The last script may have changed the table, so it is emptied first.
  void FillWords(int table, Argv words) {
    lua_rawgeti(lua_, LUA_REGISTRYINDEX, table);
    lua_pushnil(lua_);
    while (lua_next(lua_, -2) != 0) {
      lua_pop(lua_, 1);
      lua_pushvalue(lua_, -1);
      lua_pushnil(lua_);
      lua_rawset(lua_, -4);
    }
    lua_pushnil(lua_);
    lua_setmetatable(lua_, -2);
    for (size_t i = 0; i < words.size(); ++i) {
      lua_pushlstring(lua_, words[i].data(), words[i].size());
      lua_rawseti(lua_, -2, static_cast<int>(i) + 1);
    }
    lua_pop(lua_, 1);
  }

  static Lua& Of(lua_State* lua) {
    return *static_cast<Lua*>(lua_touserdata(lua, lua_upvalueindex(1)));
  }

  // lua_error leaves this function by longjmp, so no object with a destructor may be alive at the
  // call.
  static int CallRaising(lua_State* lua) { return Of(lua).PushCall(lua) ? 1 : lua_error(lua); }
  static int CallReturning(lua_State* lua) {
    Of(lua).PushCall(lua);
    return 1;
  }

  // Pushes the reply. Returns false when the reply is an error.
  bool PushCall(lua_State* lua) {
    const char* wrong = ReadWords(lua);
    const Command* command = nullptr;
    if (wrong == nullptr) {
      command = FindCommand(words_[0]);
      wrong = command == nullptr        ? "Unknown Redis command called from script"
              : !command->Takes(count_) ? "Wrong number of args calling Redis command from script"
              : !command->in_scripts    ? "This Redis command is not allowed from script"
                                        : nullptr;
    }
    if (wrong != nullptr) {
      PushError(lua, wrong);
      return false;
    }
    const ServerReply reply = command->handler(
        {.server = call_->server, .now_ms = call_->now_ms, .argv = {words_.data(), count_}});
    PushReply(lua, reply);
    return reply.has_value();
  }

  // Reads the arguments into words_. Returns null on success, otherwise an error text.
  const char* ReadWords(lua_State* lua) {
    const int count = lua_gettop(lua);
    if (count == 0) return "Please specify at least one argument for this redis lib call";
    if (count > kMostWords) return "the modelled server does not accept so many arguments";
    for (int i = 1; i <= count; ++i) {
      const auto at = static_cast<size_t>(i) - 1;
      if (lua_type(lua, i) == LUA_TNUMBER) {
        words_[at] = NumberText(lua_tonumber(lua, i), numbers_[at]);
      } else if (lua_type(lua, i) == LUA_TSTRING) {
        size_t bytes = 0;
        const char* start = lua_tolstring(lua, i, &bytes);
        words_[at] = {start, bytes};
      } else {
        return "Lua redis lib command arguments must be strings or integers";
      }
    }
    count_ = static_cast<size_t>(count);
    return nullptr;
  }

  using NumberBuffer = std::array<char, kNumberBytes>;
  static std::string_view NumberText(double number, NumberBuffer& buffer) {
    constexpr double kWhole = 1e15;
    const bool whole = std::abs(number) < kWhole && number == std::trunc(number) &&
                       !(number == 0 && std::signbit(number));
    const auto written =
        whole ? fmt::format_to_n(buffer.data(), kNumberBytes, "{}", static_cast<int64_t>(number))
              : fmt::format_to_n(buffer.data(), kNumberBytes, "{:.17g}", number);
    return {buffer.data(), written.size};
  }

  static int ErrorReply(lua_State* lua) {
    if (lua_gettop(lua) != 1 || lua_type(lua, 1) != LUA_TSTRING) {
      PushError(lua, "wrong number or type of arguments");
      return 1;
    }
    const char* start = lua_tostring(lua, 1);
    // The text begins with exactly one '-', even if the script wrote none.
    Of(lua).error_words_.assign("-").append(start + (*start == '-' ? 1 : 0));
    PushError(lua, Of(lua).error_words_);
    return 1;
  }

  static int StatusReply(lua_State* lua) {
    if (lua_gettop(lua) != 1 || lua_type(lua, 1) != LUA_TSTRING) {
      PushError(lua, "wrong number or type of arguments");
      return 1;
    }
    lua_createtable(lua, 0, 1);
    lua_pushvalue(lua, 1);
    lua_setfield(lua, -2, "ok");
    return 1;
  }

  lua_State* lua_;
  int globals_ = 0;  // references in Lua's registry
  int environment_ = 0;
  int keys_ = 0;
  int args_ = 0;
  int on_error_ = 0;
  std::deque<CompiledScript> scripts_;  // a deque keeps the addresses stable
  // The command that runs the script, and buffers for the commands that the script calls.
  const ServerCall* call_ = nullptr;
  std::array<std::string_view, kMostWords> words_;
  std::array<NumberBuffer, kMostWords> numbers_;
  size_t count_ = 0;
  std::string error_words_;
};

ScriptEngine::ScriptEngine() : lua_(std::make_unique<Lua>()) {}
ScriptEngine::~ScriptEngine() = default;

tl::expected<const CompiledScript*, ServerError> ScriptEngine::Compile(const Script& script) {
  return lua_->Compile(script);
}

void ScriptEngine::UseNativeScript(const Script& script, NativeScript native) {
  const auto compiled = lua_->Compile(script);
  CHECK(compiled.has_value());
  (*compiled)->native = native;
}

ServerReply ScriptEngine::Run(const CompiledScript& script, const ServerCall& call, Argv keys,
                              Argv args) {
  if (script.native != nullptr) {
    if (std::optional<ServerReply> reply = script.native(call, keys, args))
      return std::move(*reply);
  }
  return lua_->Run(script, call, keys, args);
}

}  // namespace doublehold::sim
