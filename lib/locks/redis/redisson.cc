// redisson: Redisson's RLock. The key is a hash `client-uuid:thread -> count`, so the same thread
// may enter again. Scripts acquire, extend and release. A release wakes waiters through a channel.
// A watchdog extends the lease every third of it while the process lives, unless an explicit lease
// was asked for.
//
// Claims:  one owner at a time; a living holder does not lose the lock; a dead one blocks nobody
//          longer than the lease.
// Assumes: one server that loses no write and whose clock runs at the clients' rate; the process is
//          never stopped for longer than the lease, because its watchdog stops with it.
// Attack:  stop the process past the lease; hold its renewals back; move the server's clock (K17);
//          lose the server's memory (K18).
// - Option resend: a command without a reply is sent again. An acquire then counts twice, so the
//   last exit leaves an entry (K21). An inner release counts twice too, and frees the lock under
//   its holder.
// - Option renew-once: after one failed renewal the lease runs out under a living holder (K22).
// - Cut the replicas off, then promote one (K19). With the option wait-replicas an acquire counts
//   only when enough replicas have it (WAIT). Renewals do not wait, and another replica may become
//   the master.
// - Lose a release (restart a node that keeps its data). A thread that returns within a lease
//   enters again beside the entry that was left. Its exit sets the lease again, so nobody else is
//   granted the key while it keeps returning.
// Source:  Redisson 3.23.5, with the same keys, fields, channel and message. It has the defects of
//          resend and renew-once: it sends a command without a reply again, 3 times, 1.5 s apart;
//          after a renewal that failed for good it sends no more.

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
