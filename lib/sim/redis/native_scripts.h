// Scripts of the hot path in C++: each does what its text does. sim_conformance_test holds both to
// a real server.
#ifndef DOUBLEHOLD_LIB_SIM_REDIS_NATIVE_SCRIPTS_H_
#define DOUBLEHOLD_LIB_SIM_REDIS_NATIVE_SCRIPTS_H_

#include <span>
#include <string_view>

#include "lib/sim/redis/script_engine.h"

namespace doublehold::sim {

struct Twin {
  std::string_view text;  // as it is sent, to the letter: one that differs runs as it stands
  NativeScript native;
};
std::span<const Twin> Twins();

// From now on they run instead of their texts.
void UseTwins(ScriptEngine& engine);

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_REDIS_NATIVE_SCRIPTS_H_
