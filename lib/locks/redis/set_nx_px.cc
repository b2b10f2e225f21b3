// set-nx-px: SET key owner NX PX lease. A script deletes the key if the owner matches.
//
// Claims:  at most one client's lease is valid at a time; a dead holder blocks others no longer
//          than its lease.
// Assumes: one server that loses no write and whose clock runs at the clients' rate; work ends
//          within the lease.
// Attack:  stop the holder past its lease, then let it write (K14); delay its write on the network
//          (K15); move the server's clock (K17); lose the server's memory (K18); cut off its
//          replicas, then promote one (K19). Lose the reply to SET: no client is granted the lock
//          for a lease (K16).
// Option:  wait-replicas: a grant counts only when enough replicas acknowledged it (WAIT).
//          Otherwise the grant is undone. This option helps against K19 only if one of these
//          replicas becomes the master. An operator may promote another replica. Sentinels and
//          clusters prefer the replica with the most data, but do not guarantee this choice.

#include "lib/clients/redis.h"
#include "lib/locks/owners.h"
#include "lib/locks/redis/await_replicas.h"
#include "lib/locks/redis/key_operations.h"
#include "lib/locks/registry.h"

namespace doublehold {
namespace {

class SetNxPx final : public Lock {
 public:
  explicit SetNxPx(const LockContext& context)
      : env_(context.env),
        node_(context.redis().Connect(NodeId{1})),
        owners_(context.seed, context.client, context.thread),
        awaited_(ReadAwaited(context.options)) {}

  AcquireResult TryAcquire(const LockKey& key, Lease lease, Deadline deadline) override {
    return AwaitReplicas(env_, *node_, awaited_,
                         AcquireSetNxPx(env_, *node_, owners_, key, lease, deadline), deadline,
                         [&](const Grant& grant) { return Release(grant, deadline); });
  }
  ExtendResult Extend(const Grant& grant, Lease lease, Deadline deadline) override {
    return ExtendIfOwned(env_, *node_, grant, lease, deadline);
  }
  ReleaseResult Release(const Grant& grant, Deadline deadline) override {
    return ReleaseIfOwned(*node_, grant, deadline);
  }

 private:
  Env& env_;
  std::unique_ptr<Connection> node_;
  Owners owners_;
  AwaitedReplicas awaited_;
};

}  // namespace

LockEntry SetNxPxLock() {
  return {.name = "set-nx-px",
          .summary = "SET NX PX with an owner; compare-and-delete in a script",
          .options = AwaitOptions(),
          .sends = Sends{{"SET EVALSHA EVAL", "{}"}},
          .make = MakeLock<SetNxPx>,
          .source = {.lease = "10s", .interval = "100ms", .timeout = "5s"}};
}

}  // namespace doublehold
