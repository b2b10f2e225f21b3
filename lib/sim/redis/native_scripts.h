// Scripts on the hot path, implemented in C++. sim_conformance_test compares the C++ functions and
// the script texts with a real server.
#ifndef DOUBLEHOLD_LIB_SIM_REDIS_NATIVE_SCRIPTS_H_
#define DOUBLEHOLD_LIB_SIM_REDIS_NATIVE_SCRIPTS_H_

#include <span>
#include <string_view>

#include "lib/sim/redis/script_engine.h"

namespace doublehold::sim {

struct NativeScriptEntry {
  std::string_view text;  // the exact script text; any other text runs in Lua
  NativeScript native;
};
std::span<const NativeScriptEntry> NativeScripts();

// Makes `engine` run the C++ functions instead of the script texts.
void UseNativeScripts(ScriptEngine& engine);

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_REDIS_NATIVE_SCRIPTS_H_
