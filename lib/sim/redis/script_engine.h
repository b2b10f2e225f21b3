// Runs the text of scripts in a Lua 5.1 of its own, as Redis does: KEYS, ARGV, redis.call, and no
// way to leave anything behind for the next script.
#ifndef DOUBLEHOLD_LIB_SIM_REDIS_SCRIPT_ENGINE_H_
#define DOUBLEHOLD_LIB_SIM_REDIS_SCRIPT_ENGINE_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lib/sim/redis/server.h"

namespace doublehold::sim {

// What a script does, in C++; held equal to its text by test. Nothing where it cannot tell, and has
// changed nothing: then the text runs.
using NativeScript = std::optional<ServerReply> (*)(const ServerCall& call, Argv keys, Argv args);

struct CompiledScript {
  std::string sha1;
  int function = 0;  // its number in Lua
  NativeScript twin = nullptr;
};

// Compiles a text once. Any number of servers share one engine, all used by one thread. Not
// copyable; what Compile returns lives as long as the engine.
class ScriptEngine {
 public:
  ScriptEngine();
  ~ScriptEngine();
  ScriptEngine(const ScriptEngine&) = delete;
  ScriptEngine& operator=(const ScriptEngine&) = delete;

  [[nodiscard]] tl::expected<const CompiledScript*, ServerError> Compile(const Script& script);
  // From now on this runs instead of the text, which must compile.
  void UseTwin(const Script& script, NativeScript twin);
  // As the command `call` of a server, at its instant. Never within another script.
  [[nodiscard]] ServerReply Run(const CompiledScript& script, const ServerCall& call, Argv keys,
                                Argv args);

 private:
  class Lua;
  std::unique_ptr<Lua> lua_;
};

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_REDIS_SCRIPT_ENGINE_H_
