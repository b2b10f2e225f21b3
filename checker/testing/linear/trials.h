// For tests: compares the search with every_order.h on random small histories of a model. About
// half of the histories cannot be ordered.
#ifndef DOUBLEHOLD_CHECKER_TESTING_LINEAR_TRIALS_H_
#define DOUBLEHOLD_CHECKER_TESTING_LINEAR_TRIALS_H_

#include <array>
#include <cstdint>
#include <string>

#include "checker/linear/model.h"

namespace doublehold {

struct TrialCounts {
  // Number of histories by [has an operation of unknown outcome][can be ordered].
  std::array<std::array<int64_t, 2>, 2> histories{};
  // Describes the first history on which the two disagree, which ends the trials. Empty if there is
  // none.
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
// Also searches each history with a limit of two configurations. The outcome of that search must be
// the same, or unknown.
TrialCounts RunSearchTrials(const Model& model, uint64_t seed, int64_t count);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_TESTING_LINEAR_TRIALS_H_
