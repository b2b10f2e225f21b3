#include <algorithm>
#include <array>

#include "checker/claims/data/exactly_once.h"
#include "checker/claims/data/stock.h"
#include "checker/claims/data/torn_read.h"
#include "checker/claims/library/call_timeout.h"
#include "checker/claims/library/extend_result.h"
#include "checker/claims/library/idle_traffic.h"
#include "checker/claims/library/key_leak.h"
#include "checker/claims/library/lost_lock_notification.h"
#include "checker/claims/library/release_result.h"
#include "checker/claims/limits/commands_per_grant.h"
#include "checker/claims/limits/commands_per_hold.h"
#include "checker/claims/limits/max_wait.h"
#include "checker/claims/lock/availability.h"
#include "checker/claims/lock/exclusion.h"
#include "checker/claims/lock/fencing.h"
#include "checker/claims/lock/liveness.h"
#include "checker/claims/lock/order.h"
#include "checker/claims/lock/reentry.h"
#include "checker/claims/lock/release.h"
#include "checker/evidence/disturbances.h"
#include "checker/verdict/checker.h"

namespace doublehold {
namespace {

bool IfItKills(const RunFacts& /*facts*/, const FaultFact& fault, bool /*on_servers*/) {
  return IsCrash(fault);
}

// A lock server that was stopped explains why clients asked in vain.
bool IfItKillsOrHitsServers(const RunFacts& /*facts*/, const FaultFact& fault, bool on_servers) {
  return IsCrash(fault) || on_servers;
}

}  // namespace

std::string_view Name(Outcome outcome) {
  constexpr std::array<std::string_view, 3> kNames{"valid", "unknown", "violated"};
  return kNames[static_cast<size_t>(outcome)];
}

std::span<const CheckerEntry> Checkers() {
  static constexpr std::array kEntries{
      CheckerEntry{"exclusion",
                   "held twice",
                   {'h', "held twice, one lease had ended", 2},
                   "two holds of a key by different clients overlap",
                   About::kLock,
                   CheckExclusion,
                   IfItKills},
      CheckerEntry{"lease-exclusion",
                   "granted twice",
                   {'H', "held twice, both leases valid", 1},
                   "the leases of two holders overlap: the lock service granted the lock twice",
                   About::kLock,
                   CheckLeaseExclusion,
                   IfItKills},
      CheckerEntry{"release",
                   "freed by another",
                   {'R', "a release freed another client's lock"},
                   "a release freed a lock that another client held",
                   About::kLock,
                   CheckRelease,
                   MattersToRelease},
      CheckerEntry{"release-result",
                   "release misreported",
                   {'M', "a release misreported whether its lock was lost"},
                   "releasing an already lost lock reported success, or releasing a held lock "
                   "reported that it was lost",
                   About::kAnyLock,
                   CheckReleaseResult},
      CheckerEntry{"extend-result",
                   "extension misreported",
                   {'P', "an extension misreported whether its lock was lost"},
                   "extending a lock that another must have reported success, or extending a held "
                   "lock reported that it was lost",
                   About::kAnyLock,
                   CheckExtendResult},
      CheckerEntry{
          "lost-lock-notification",
          "holder not notified",
          {'N', "the holder of a lost lock was not notified"},
          "the library supports lost-lock notification but did not notify the holder within "
          "lease + grace",
          About::kAnyLock,
          CheckLostLockNotification},
      CheckerEntry{"call-timeout",
                   "timeout overrun",
                   {'A', "a library's call outlasted its timeout"},
                   "a library's call was not answered within its timeout + grace",
                   About::kAnyLock,
                   CheckCallTimeout},
      CheckerEntry{"key-leak",
                   "key leaked",
                   {'B', "a key remained after its release"},
                   "a key remained after all its holders had released it",
                   About::kAnyLock,
                   CheckKeyLeak},
      CheckerEntry{"idle-traffic",
                   "sent while idle",
                   {'K', "a client still sent commands after it had released all locks"},
                   "a client that had released all its locks still sent commands to lock servers",
                   About::kAnyLock,
                   CheckIdleTraffic,
                   nullptr,
                   LimitKind::kNone,
                   /*by_traffic=*/true},
      CheckerEntry{"availability",
                   "free lock not granted",
                   {'O', "a free lock was not granted"},
                   "a free lock was not granted within lease + grace",
                   About::kAnyLock,
                   CheckAvailability},
      CheckerEntry{"fencing",
                   "stale token",
                   {'F', "a token did not rise, or a stale token was accepted"},
                   "tokens do not rise from grant to grant, or the store accepted a token below "
                   "one that it had seen",
                   About::kToken,
                   CheckFencing,
                   IfItKills},
      CheckerEntry{"stock",
                   "oversold",
                   {'S', "orders lost, or stock oversold", 3},
                   "the stock did not fall by one for each confirmed order, or more was sold than "
                   "was in stock",
                   About::kData,
                   CheckStock,
                   IfItKills},
      CheckerEntry{
          "exactly-once",
          "saved twice",
          {'X', "a task was saved twice"},
          "a task was saved twice, or the number of results differs from the number of tasks",
          About::kData,
          CheckExactlyOnce,
          IfItKills},
      CheckerEntry{"torn-read",
                   "torn read",
                   {'T', "a reader saw half a write"},
                   "a reader that held the lock saw half of a write",
                   About::kData,
                   CheckTornRead,
                   IfItKills},
      CheckerEntry{"order",
                   "out of turn",
                   {'Q', "granted out of order"},
                   "a client was granted the lock before one that had queued earlier",
                   About::kLock,
                   CheckOrder},
      CheckerEntry{"reentry",
                   "re-entry broken",
                   {'E', "re-entry went wrong"},
                   "a nested exit freed the lock, or the last one did not",
                   About::kReentry,
                   CheckReentry},
      CheckerEntry{"liveness",
                   "stuck",
                   {'L', "a key was never available again", 4},
                   "a lock is not available within lease + grace after the last fault, a free lock "
                   "is refused for three times as long, or its key outlasts every lease",
                   About::kLock,
                   CheckLiveness,
                   IfItKillsOrHitsServers},
      CheckerEntry{"max-wait",
                   "waited too long",
                   {'W', "a wait exceeded its limit"},
                   "a client asked for a key for longer than the limit",
                   About::kLock,
                   CheckMaxWait,
                   nullptr,
                   LimitKind::kTime},
      CheckerEntry{"commands-per-hold",
                   "sent too much",
                   {'C', "a hold had more commands than its limit"},
                   "a client sent more commands to lock servers during a hold than the limit",
                   About::kLock,
                   CheckCommandsPerHold,
                   nullptr,
                   LimitKind::kCount,
                   /*by_traffic=*/true},
      CheckerEntry{
          "commands-per-grant",
          "too many commands",
          {'G', "a grant took more commands than its limit"},
          "a client sent more commands to lock servers than the limit while it waited for a "
          "key",
          About::kLock,
          CheckCommandsPerGrant,
          nullptr,
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
