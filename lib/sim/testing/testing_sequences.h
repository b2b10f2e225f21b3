// Random command sequences for the modelled and the real Redis. They use few keys and values, all
// commands of the model, and all scripts of lib/locks and workloads.
#ifndef DOUBLEHOLD_LIB_SIM_TESTING_TESTING_SEQUENCES_H_
#define DOUBLEHOLD_LIB_SIM_TESTING_TESTING_SEQUENCES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/base/prng.h"
#include "lib/clients/redis.h"

namespace doublehold::testing {

// A command on a connection, or a move of the clock.
struct SequenceStep {
  int connection = 0;
  std::vector<std::string> words;  // empty if the clock moves
  int64_t move_ms = 0;
};
using Sequence = std::vector<SequenceStep>;

constexpr int kSequenceConnections = 3;

// Ends by reading all keys.
Sequence RandomSequence(Prng& prng, const std::vector<Script>& scripts);

std::string Describe(const SequenceStep& step);

}  // namespace doublehold::testing

#endif  // DOUBLEHOLD_LIB_SIM_TESTING_TESTING_SEQUENCES_H_
