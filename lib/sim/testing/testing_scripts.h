// Scripts to hold the modelled Redis to a real one with.
#ifndef DOUBLEHOLD_LIB_SIM_TESTING_TESTING_SCRIPTS_H_
#define DOUBLEHOLD_LIB_SIM_TESTING_TESTING_SCRIPTS_H_

#include <span>
#include <string_view>
#include <vector>

#include "lib/base/connection.h"

namespace doublehold::testing {

// All that lib/locks and workloads send, as they stand in the sources, in the order of their files.
std::vector<Script> ShippedScripts();

// What a script may meet: conversions, errors, and what it must not do.
std::span<const std::string_view> ProbeScripts();

}  // namespace doublehold::testing

#endif  // DOUBLEHOLD_LIB_SIM_TESTING_TESTING_SCRIPTS_H_
