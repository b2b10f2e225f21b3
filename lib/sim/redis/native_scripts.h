// Scripts on the hot path, implemented in C++. sim_conformance_test compares both forms with a real
// server.
#ifndef DOUBLEHOLD_LIB_SIM_REDIS_NATIVE_SCRIPTS_H_
#define DOUBLEHOLD_LIB_SIM_REDIS_NATIVE_SCRIPTS_H_

#include <span>
#include <string_view>

#include "lib/sim/redis/script_engine.h"

namespace doublehold::sim {

struct Twin {
  std::string_view text;  // the exact text as sent; any other text runs in Lua
  NativeScript native;
};
std::span<const Twin> Twins();

// Makes `engine` run the C++ functions instead of the script texts.
void UseTwins(ScriptEngine& engine);

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_REDIS_NATIVE_SCRIPTS_H_
