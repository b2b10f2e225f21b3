#ifndef DOUBLEHOLD_LIB_TESTING_TRIALS_H_
#define DOUBLEHOLD_LIB_TESTING_TRIALS_H_

#include <cstdint>
#include <cstdlib>
#include <string>

namespace doublehold {

// Whether this run tries everything. `make test-all` and the mutants set DOUBLEHOLD_ALL_TRIALS.
inline bool RunsAllTrials() { return std::getenv("DOUBLEHOLD_ALL_TRIALS") != nullptr; }

// Returns the number of random trials of a test: `all` if everything is tried, otherwise a tenth.
inline int64_t NumTrials(int64_t all) { return RunsAllTrials() ? all : all / 10; }

// Settings of the trials against every order: DOUBLEHOLD_TRIALS (how many) and DOUBLEHOLD_SEED.
inline int64_t TrialSetting(const char* name, int64_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::stoll(value);
}

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_TESTING_TRIALS_H_
