// Which item a customer wants: item 0 most, the others by Zipf's law.
#ifndef DOUBLEHOLD_WORKLOADS_ITEM_CHOICE_H_
#define DOUBLEHOLD_WORKLOADS_ITEM_CHOICE_H_

#include <vector>

#include "lib/base/prng.h"

namespace doublehold {

// Item i is wanted in proportion to 1 / (i + 1)^skew; all alike when skew is 0. Exact: by a table,
// not by rejection, so that each choice takes one random number.
class ItemChoice {
 public:
  ItemChoice(int items, double skew);
  [[nodiscard]] int Draw(Prng& random) const;

 private:
  std::vector<double> up_to_;  // the share of items 0..i
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_WORKLOADS_ITEM_CHOICE_H_
