#include "workloads/item_choice.h"

#include <algorithm>
#include <cmath>

#include "lib/base/check.h"

namespace doublehold {

ItemChoice::ItemChoice(int items, double skew) {
  CHECK(items > 0);
  double sum = 0;
  for (int item = 0; item < items; ++item) up_to_.push_back(sum += std::pow(item + 1, -skew));
  for (double& share : up_to_) share /= sum;
}

int ItemChoice::Draw(Prng& random) const {
  if (up_to_.size() == 1) return 0;
  const auto above = std::ranges::upper_bound(up_to_, random.Unit());
  // The last share may be slightly below 1 because of rounding.
  const auto last = std::prev(up_to_.end());
  return static_cast<int>(std::min(above, last) - up_to_.begin());
}

}  // namespace doublehold
