// How much a test does: all its random trials and variations, or a part of them.
#ifndef DOUBLEHOLD_LIB_TESTING_TRIALS_H_
#define DOUBLEHOLD_LIB_TESTING_TRIALS_H_

#include <cstdint>
#include <cstdlib>
#include <string>

namespace doublehold {

// Whether tests run all of their random trials. `make test-all` and the mutants set
// DOUBLEHOLD_ALL_TRIALS.
inline bool RunsAllTrials() { return std::getenv("DOUBLEHOLD_ALL_TRIALS") != nullptr; }

// The reason for skipping a variation: a test that repeats another with other parameters. It runs
// only if RunsAllTrials.
constexpr const char* kVariation = "a variation, which `make test-all` runs";

// Returns the number of random trials of a test: `all` if RunsAllTrials, otherwise a fortieth of
// `all`.
inline int64_t NumTrials(int64_t all) { return RunsAllTrials() ? all : all / 40; }

// Returns the number in an environment variable, or `otherwise` if it is not set. DOUBLEHOLD_TRIALS
// sets the number of random trials, and DOUBLEHOLD_SEED their seed.
inline int64_t TrialSetting(const char* name, int64_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::stoll(value);
}

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_TESTING_TRIALS_H_
