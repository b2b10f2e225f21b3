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
      CheckerEntry{"exclusion",
                   {'h', "held twice, one's lease being over", 2},
                   "two holds of a key by different clients overlap",
                   About::kLock,
                   CheckExclusion},
      CheckerEntry{"lease-exclusion",
                   {'H', "held twice, both leases valid", 1},
                   "what two holders were promised overlaps: the lock service granted twice",
                   About::kLock,
                   CheckLeaseExclusion},
      CheckerEntry{"release",
                   {'R', "one freed the lock of another"},
                   "a release freed a lock that another client held",
                   About::kLock,
                   CheckRelease},
      CheckerEntry{"told",
                   {'M', "a lock was lost, and its release did not say so"},
                   "who released a lock that was lost was told that this freed it, or that it was "
                   "lost when it was there",
                   About::kLock,
                   CheckTold},
      CheckerEntry{
          "warned",
          {'N', "a lock was lost, and its holder was not told"},
          "a library that can tell did not tell who held on to a lost lock, within lease + "
          "grace",
          About::kLock,
          CheckWarned},
      CheckerEntry{"settled",
                   {'A', "a library's call that was not answered in its time"},
                   "a library's call was not answered within its time-out + grace",
                   About::kLock,
                   CheckSettled},
      CheckerEntry{"cleared",
                   {'B', "a key that was left behind"},
                   "a key was left behind after everybody had released it",
                   About::kLock,
                   CheckCleared},
      CheckerEntry{"quiet",
                   {'K', "a client that went on sending after it had released all"},
                   "a client went on sending to servers of locks after it had released all",
                   About::kLock,
                   CheckQuiet,
                   LimitKind::kNone,
                   /*by_traffic=*/true},
      CheckerEntry{"obtained",
                   {'O', "a free lock that who asked for it did not get"},
                   "who asked for a free lock did not obtain it within lease + grace",
                   About::kLock,
                   CheckObtained},
      CheckerEntry{"fencing",
                   {'F', "a token that did not rise, or a stale one that was taken"},
                   "tokens do not rise from grant to grant, or the store took one below one it had "
                   "seen",
                   About::kToken,
                   CheckFencing},
      CheckerEntry{"stock",
                   {'S', "stock lost or sold twice", 3},
                   "the stock did not fall by one for each confirmed order, or more was sold than "
                   "there was",
                   About::kData,
                   CheckStock},
      CheckerEntry{"exactly-once",
                   {'X', "a task was saved twice"},
                   "a task was saved twice, or there are not as many results as tasks",
                   About::kData,
                   CheckExactlyOnce},
      CheckerEntry{"torn-read",
                   {'T', "a reader saw half a write"},
                   "a reader that held the lock saw half of a write",
                   About::kData,
                   CheckTornRead},
      CheckerEntry{"order",
                   {'Q', "served out of turn"},
                   "a client was granted the lock before one that had queued earlier",
                   About::kLock,
                   CheckOrder},
      CheckerEntry{"reentry",
                   {'E', "re-entry went wrong"},
                   "a nested exit freed the lock, or the last one did not",
                   About::kLock,
                   CheckReentry},
      CheckerEntry{"liveness",
                   {'L', "a key that could not be had any more", 4},
                   "after the last fault a lock is not obtainable within lease + grace, or its key "
                   "has no expiry",
                   About::kLock,
                   CheckLiveness},
      CheckerEntry{"max-wait",
                   {'W', "a wait that was longer than its limit"},
                   "a client asked for a key for longer than the limit",
                   About::kLock,
                   CheckMaxWait,
                   LimitKind::kTime},
      CheckerEntry{"commands-per-hold",
                   {'C', "a hold with more commands than its limit"},
                   "a client that held a lock sent more than the limit to servers of locks",
                   About::kLock,
                   CheckCommandsPerHold,
                   LimitKind::kCount,
                   /*by_traffic=*/true},
  };
  return kEntries;
}

const CheckerEntry* FindChecker(std::string_view claim) {
  const auto found = std::ranges::find(Checkers(), claim, &CheckerEntry::claim);
  return found == Checkers().end() ? nullptr : &*found;
}

}  // namespace doublehold
