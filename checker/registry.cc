#include <algorithm>
#include <array>

#include "checker/claims/data/exactly_once.h"
#include "checker/claims/data/stock.h"
#include "checker/claims/data/torn_read.h"
#include "checker/claims/library/availability.h"
#include "checker/claims/library/call_timeout.h"
#include "checker/claims/library/idle_traffic.h"
#include "checker/claims/library/key_leak.h"
#include "checker/claims/library/lost_lock_notification.h"
#include "checker/claims/library/release_result.h"
#include "checker/claims/limits/commands_per_hold.h"
#include "checker/claims/limits/max_wait.h"
#include "checker/claims/lock/exclusion.h"
#include "checker/claims/lock/fencing.h"
#include "checker/claims/lock/liveness.h"
#include "checker/claims/lock/order.h"
#include "checker/claims/lock/reentry.h"
#include "checker/claims/lock/release.h"
#include "checker/verdict/checker.h"

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
                   "what two holders were promised overlaps: the lock service granted twice",
                   About::kLock, CheckLeaseExclusion},
      CheckerEntry{"release", "a release freed a lock that another client held", About::kLock,
                   CheckRelease},
      CheckerEntry{"told",
                   "who released a lock that was lost was told that this freed it, or that it was "
                   "lost when it was there",
                   About::kLock, CheckTold},
      CheckerEntry{
          "warned",
          "a library that can tell did not tell who held on to a lost lock, within lease + "
          "grace",
          About::kLock, CheckWarned},
      CheckerEntry{"settled", "a library's call was not answered within its time-out + grace",
                   About::kLock, CheckSettled},
      CheckerEntry{"cleared", "a key was left behind after everybody had released it", About::kLock,
                   CheckCleared},
      CheckerEntry{"quiet",
                   "a client went on sending to servers of locks after it had released all",
                   About::kLock, CheckQuiet, LimitKind::kNone, /*by_traffic=*/true},
      CheckerEntry{"obtained", "who asked for a free lock did not obtain it within lease + grace",
                   About::kLock, CheckObtained},
      CheckerEntry{"fencing",
                   "tokens do not rise from grant to grant, or the store took one below one it had "
                   "seen",
                   About::kToken, CheckFencing},
      CheckerEntry{"stock",
                   "the stock did not fall by one for each confirmed order, or more was sold than "
                   "there was",
                   About::kData, CheckStock},
      CheckerEntry{"exactly-once",
                   "a task was saved twice, or there are not as many results as tasks",
                   About::kData, CheckExactlyOnce},
      CheckerEntry{"torn-read", "a reader that held the lock saw half of a write", About::kData,
                   CheckTornRead},
      CheckerEntry{"order", "a client was granted the lock before one that had queued earlier",
                   About::kLock, CheckOrder},
      CheckerEntry{"reentry", "a nested exit freed the lock, or the last one did not", About::kLock,
                   CheckReentry},
      CheckerEntry{"liveness",
                   "after the last fault a lock is not obtainable within lease + grace, or its key "
                   "has no expiry",
                   About::kLock, CheckLiveness},
      CheckerEntry{"max-wait", "a client asked for a key for longer than the limit", About::kLock,
                   CheckMaxWait, LimitKind::kTime},
      CheckerEntry{"commands-per-hold",
                   "a client that held a lock sent more than the limit to servers of locks",
                   About::kLock, CheckCommandsPerHold, LimitKind::kCount, /*by_traffic=*/true},
  };
  return kEntries;
}

const CheckerEntry* FindChecker(std::string_view claim) {
  const auto found = std::ranges::find(Checkers(), claim, &CheckerEntry::claim);
  return found == Checkers().end() ? nullptr : &*found;
}

}  // namespace doublehold
