// Counts the updates of the stock that were lost, and the stale writes that the store refused.
#ifndef DOUBLEHOLD_CHECKER_LOST_UPDATES_H_
#define DOUBLEHOLD_CHECKER_LOST_UPDATES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "checker/rates/share.h"
#include "checker/rates/trials.h"
#include "lib/history/history.h"

namespace doublehold {

struct LostUpdates {
  int64_t count = 0;
  int64_t of = 0;  // confirmed writes
  // Confirmed writes of each trial, and how many of them were lost. Empty if it is unknown when an
  // update was lost, as with DECR.
  std::vector<TrialShare> trials{};
  // Sum of ItemCount::refused_writes. Empty if the store refuses no stale write.
  std::optional<int64_t> refused_writes{};
};

// A pure function. `trials` are those of `history`; requires at least one.
LostUpdates CountLostUpdates(const History& history, const Trials& trials);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_LOST_UPDATES_H_
