// redisson: Redisson's RLock. The key is a hash `client-uuid:thread -> count`, so the same thread
// may enter again. Scripts acquire, extend and release. A release wakes waiters through a channel.
// A watchdog extends the lease every third of a lease while the process lives. With an explicit
// lease there is no watchdog.
//
// Claims:  one owner at a time; a living holder does not lose the lock; a dead holder blocks others
//          no longer than its lease.
// Assumes: one server that loses no write and whose clock runs at the clients' rate; the process is
//          never stopped for longer than the lease, because its watchdog stops with it.
// Attack:  stop the process past the lease; delay its renewals; move the server's clock (K17); lose
//          the server's memory (K18).
// - Option resend: a command without a reply is sent again. A repeated acquire counts twice, so the
//   last release leaves an entry (K21). A repeated inner release also counts twice, so it frees the
//   lock while it is still held.
// - Option renew-once: after one failed renewal the lease ends while its holder lives (K22).
// - Cut off the replicas, then promote one (K19). With the option wait-replicas an acquire counts
//   only when enough replicas acknowledged it (WAIT). Renewals do not wait, and a replica that did
//   not acknowledge may become the master.
// - Lose a release (restart a node that keeps its data). The entry of the lost release stays. If
//   the same thread acquires again within a lease, it adds an entry, and its release renews the
//   lease of the key. So no other client is granted the key while the thread does this repeatedly.
// Source:  Redisson 3.23.5, with the same keys, fields, channel and message. Redisson has the
//          defects of resend and renew-once. It resends a command without a reply 3 times, 1.5 s
//          apart. After a renewal that failed for good it sends no further renewal.

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
          .option_traits = RedissonOptionTraits(),
          .source = {.lease = "30s"}};
}

}  // namespace doublehold
