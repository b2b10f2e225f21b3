// For tests: random small histories of a model, about half of them impossible, held against every
// order.
#ifndef DOUBLEHOLD_CHECKER_LINEAR_TRIALS_H_
#define DOUBLEHOLD_CHECKER_LINEAR_TRIALS_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "checker/linear/model.h"
#include "checker/linear/operation.h"
#include "lib/base/prng.h"

namespace doublehold {

struct Trial {
  ModelParameters parameters;
  std::vector<Operation> operations;
};
// Something that the object may have done.
Trial PossibleTrial(const Model& model, Prng& prng);
// The same with something else in one place.
Trial Changed(const Model& model, Trial trial, Prng& prng);

struct TrialCounts {
  // By whether an operation of unknown outcome is among them, and whether they can be ordered.
  std::array<std::array<int64_t, 2>, 2> histories{};
  // The first history of which the search says something else, in words. The trials end there.
  std::string disagreement;

  [[nodiscard]] double ValidShare(bool indeterminate) const {
    const auto& [violated, valid] = histories[indeterminate ? 1 : 0];
    return static_cast<double>(valid) / static_cast<double>(violated + valid);
  }
  [[nodiscard]] double IndeterminateShare() const {
    const auto& [certain, perhaps] = histories;
    const int64_t all = certain[0] + certain[1] + perhaps[0] + perhaps[1];
    return static_cast<double>(perhaps[0] + perhaps[1]) / static_cast<double>(all);
  }
};
TrialCounts RunTrials(const Model& model, uint64_t seed, int64_t count);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_LINEAR_TRIALS_H_
