// Chooses items by Zipf's law; item 0 is the most popular.
#ifndef DOUBLEHOLD_WORKLOADS_ITEM_CHOICE_H_
#define DOUBLEHOLD_WORKLOADS_ITEM_CHOICE_H_

#include <vector>

#include "lib/base/prng.h"

namespace doublehold {

// Item i is chosen with probability proportional to 1 / (i + 1)^skew, and uniformly if skew is 0.
// With a table, a choice is exact and takes one random number. Rejection sampling would take
// several.
class ItemChoice {
 public:
  ItemChoice(int items, double skew);
  [[nodiscard]] int Draw(Prng& random) const;

 private:
  std::vector<double> up_to_;  // cumulative share of items 0..i
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_WORKLOADS_ITEM_CHOICE_H_
