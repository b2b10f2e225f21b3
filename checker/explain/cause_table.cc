// The table of all causes.
#include <array>

#include "checker/explain/cause.h"

namespace doublehold {
namespace {

constexpr std::array kCauses{
    CauseEntry{Cause::kUnexplained, "unexplained", "several explanations fit the record, or none"},
    CauseEntry{Cause::kNoLock, "no-lock", "the lock is `none`, which excludes no client"},
    CauseEntry{Cause::kStopped, "stopped", "the lease ended while its client was stopped"},
    CauseEntry{Cause::kMessageHeld, "message-held",
               "the lease ended while a message of its client was delayed or cut off"},
    CauseEntry{Cause::kRenewalFailed, "renewal-failed",
               "the lease ended because its renewal was refused or not answered in time"},
    CauseEntry{Cause::kOverran, "overran",
               "the section took longer than its lease, and nothing delayed it"},
    CauseEntry{
        Cause::kOverAtGrant, "over-at-grant",
        "the lease had ended when the grant arrived, and the client entered its section anyway"},
    CauseEntry{Cause::kMarkerLeft, "marker-left",
               "a section that ended without a release left its marker, and the client entered "
               "again on it"},
    CauseEntry{Cause::kServerClock, "server-clock",
               "the key expired before its lease ended: a server's clock was moved"},
    CauseEntry{Cause::kClientClock, "client-clock",
               "the wall clocks of two clients disagreed, and the lock depends on them"},
    CauseEntry{Cause::kForeignRelease, "foreign-release",
               "another client's release freed the lock: it does not check the owner, or checks "
               "too early"},
    CauseEntry{Cause::kNodeRestarted, "node-restarted",
               "the lock was lost: its node restarted without it"},
    CauseEntry{Cause::kEachServer, "each-server",
               "each of several servers granted the lock by itself"},
    CauseEntry{Cause::kSessionLent, "session-lent",
               "a pooler lent the session that held the lock to other clients"},
    CauseEntry{Cause::kEndIgnored, "end-ignored",
               "the lease or session had ended, and the lock's client went on as the holder"},
    CauseEntry{Cause::kFailover, "failover", "the grant was lost: a server without it took over"},
    CauseEntry{Cause::kKeyRemoved, "key-removed",
               "the key was evicted, flushed or deleted by hand"},
    CauseEntry{Cause::kQuorumOverlap, "quorum-overlap",
               "two majorities shared only nodes that had lost the key, a minority of all"},
    CauseEntry{Cause::kResent, "resent",
               "a command ran twice: it was sent again after its reply was lost"},
    CauseEntry{Cause::kCounterWentBack, "counter-went-back",
               "the counter of fencing tokens was lost and restarted"},
    CauseEntry{Cause::kStaleWriteTaken, "stale-write-taken",
               "the store accepted a late holder's write: it had not seen a newer token"},
    CauseEntry{Cause::kStoreLostData, "store-lost-data",
               "the store lost confirmed data: it restarted without them, or they were removed"},
    CauseEntry{Cause::kNeverExpires, "never-expires",
               "a client was killed, and its key does not expire with its lease"},
    CauseEntry{Cause::kNodeDown, "node-down", "a node that the lock needs was killed for good"},
    CauseEntry{Cause::kNoQueue, "no-queue",
               "the lock has no queue, so the longest waiter has no precedence"},
    CauseEntry{Cause::kMachine, "machine", "the machine stalled a process"},
};

}  // namespace

std::span<const CauseEntry> Causes() { return kCauses; }

std::string_view Name(Cause cause) { return kCauses[static_cast<size_t>(cause)].name; }

std::vector<std::string> CauseNames() {
  std::vector<std::string> names;
  for (const CauseEntry& entry : kCauses) names.emplace_back(entry.name);
  return names;
}

}  // namespace doublehold
