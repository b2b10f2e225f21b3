// Scripts for comparing the modelled Redis with a real server.
#ifndef DOUBLEHOLD_LIB_SIM_TESTING_TESTING_SCRIPTS_H_
#define DOUBLEHOLD_LIB_SIM_TESTING_TESTING_SCRIPTS_H_

#include <span>
#include <string_view>
#include <vector>

#include "lib/clients/redis.h"

namespace doublehold::testing {

// Returns all scripts that lib/locks and workloads send. They are read from the sources, in file
// order.
std::vector<Script> ShippedScripts();

// Returns scripts that probe conversions, errors and forbidden operations.
std::span<const std::string_view> ProbeScripts();

}  // namespace doublehold::testing

#endif  // DOUBLEHOLD_LIB_SIM_TESTING_TESTING_SCRIPTS_H_
