// Helpers to test the modelled Redis: commands and replies as text.
#ifndef DOUBLEHOLD_LIB_SIM_TESTING_TESTING_MODEL_H_
#define DOUBLEHOLD_LIB_SIM_TESTING_TESTING_MODEL_H_

#include <string>
#include <string_view>

#include "lib/sim/redis/redis_model.h"

namespace doublehold::testing {

// For example: "nil", "integer 3", "string a", "status OK", "[integer 1, nil]", "error ERR ..."
std::string Show(const Reply& reply);
std::string Show(const sim::ServerReply& reply);

// Splits `command` into words at blanks. '...' is one word and may contain blanks.
std::string Ask(sim::RedisModel& model, std::string_view command, int64_t now_ms = 0,
                int connection = 0);

}  // namespace doublehold::testing

#endif  // DOUBLEHOLD_LIB_SIM_TESTING_TESTING_MODEL_H_
