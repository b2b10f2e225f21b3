#include <array>

#include "checker/checker.h"
#include "checker/exclusion.h"
#include "checker/liveness.h"
#include "checker/stock.h"

namespace doublehold {

std::string_view Name(Outcome3 outcome) {
  constexpr std::array<std::string_view, 3> kNames{"valid", "unknown", "violated"};
  return kNames[static_cast<size_t>(outcome)];
}

std::span<const CheckerEntry> Checkers() {
  static constexpr std::array kEntries{
      CheckerEntry{"exclusion", "two holds of a key by different clients overlap", About::kLock,
                   CheckExclusion},
      CheckerEntry{"lease-exclusion",
                   "the live parts of two holds overlap: the lock service granted twice",
                   About::kLock, CheckLeaseExclusion},
      CheckerEntry{"stock",
                   "the stock did not fall by one for each confirmed order, or more was sold than "
                   "there was",
                   About::kData, CheckStock},
      CheckerEntry{"liveness",
                   "after the last fault a lock is not obtainable within lease + grace, or its key "
                   "has no expiry",
                   About::kLock, CheckLiveness},
  };
  return kEntries;
}

}  // namespace doublehold
