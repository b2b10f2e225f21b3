// Runs script texts in an embedded Lua 5.1, as Redis does: KEYS, ARGV and redis.call. A script
// cannot leave state for the next script.
#ifndef DOUBLEHOLD_LIB_SIM_REDIS_SCRIPT_ENGINE_H_
#define DOUBLEHOLD_LIB_SIM_REDIS_SCRIPT_ENGINE_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lib/sim/redis/server.h"

namespace doublehold::sim {

// A script implemented in C++. A test compares the function with the script's text. Returns
// nothing, and changes nothing, when it cannot handle the call. The engine then runs the text.
using NativeScript = std::optional<ServerReply> (*)(const ServerCall& call, Argv keys, Argv args);

struct CompiledScript {
  std::string sha1;
  int function = 0;  // reference to the function in Lua's registry
  NativeScript native = nullptr;
};

// Compiles each text once. The servers of one thread share an engine. Not copyable. Pointers
// returned by Compile are valid as long as the engine lives.
class ScriptEngine {
 public:
  ScriptEngine();
  ~ScriptEngine();
  ScriptEngine(const ScriptEngine&) = delete;
  ScriptEngine& operator=(const ScriptEngine&) = delete;

  [[nodiscard]] tl::expected<const CompiledScript*, ServerError> Compile(const Script& script);
  // From now on, runs `native` instead of the script's text. The text must compile.
  void UseNativeScript(const Script& script, NativeScript native);
  // Runs a script as the command `call` of a server, at the call's instant. Must not be called from
  // within a script.
  [[nodiscard]] ServerReply Run(const CompiledScript& script, const ServerCall& call, Argv keys,
                                Argv args);

 private:
  class Lua;
  std::unique_ptr<Lua> lua_;
};

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_REDIS_SCRIPT_ENGINE_H_
