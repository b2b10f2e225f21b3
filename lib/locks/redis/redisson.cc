// redisson: Redisson's RLock. A hash `client-uuid:thread -> count` under the key, so the same
// thread may enter again; taken, extended and released by scripts; a waiter is woken through a
// channel; a watchdog extends the lease every third of it for as long as the process lives, unless
// an explicit lease was asked for.
//
// Claims:  one owner at a time; a living holder does not lose the lock, a dead one blocks nobody longer than the lease.
// Assumes: one server that loses no write and whose clock runs at the clients' rate; the process is never stopped for
//          longer than the lease, since its watchdog stops with it.
// Attack:  stop the process past the lease; hold its renewals back; move the server's clock (K17); lose the server's
//          memory (K18). Option resend: what had no reply is sent again. An acquire counts twice, so that the last exit
//          leaves an entry (K21); so does an inner release, which frees the lock under its holder. Option renew-once:
//          after one failed renewal the lease runs out under a living holder (K22). Cut the replicas off, then promote
//          one (K19): option wait-replicas makes an acquire count when so many replicas have it (WAIT), which renewals
//          do not wait for; and the next master may be another replica. Lose a release (restart a node that finds its
//          data again): the thread that comes back within a lease enters again beside the entry that is left, and its
//          exit sets the lease anew, so that nobody else is granted the key for as long as it does.
// Source:  Redisson 3.23.5, whose keys, fields, channel and message are kept. It has the defects of resend and renew-once: a
//          command without a reply is sent again, 3 times, 1.5 s apart; after a renewal that failed for good none follows.

#include "lib/locks/redis/redisson_family.h"

namespace doublehold {
namespace {

class Redisson final : public RedissonFamily {
 public:
  explicit Redisson(const LockContext& context) : RedissonFamily(context, RenewRedisson) {}
};

}  // namespace

std::unique_ptr<Lock> MakeRedisson(const LockContext& context) {
  return std::make_unique<Redisson>(context);
}

LockEntry RedissonLock() {
  return {.name = "redisson",
          .summary = "Redisson's RLock: re-entrant hash, watchdog, wake-up channel",
          .options = RedissonOptions(),
          .sends = Sends{{"EVALSHA EVAL", "{}"}, {"SUBSCRIBE MESSAGE", ""}},
          .make = MakeRedisson,
          .traits = {Trait::kReentry},
          .source = {.lease = "30s"}};
}

}  // namespace doublehold
