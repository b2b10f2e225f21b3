// etcd-lock-api: the server's own lock, the Lock service of etcd's v3 API. The server creates a key
// with the caller's lease, and answers when the key is the first of its queue. A watchdog keeps the
// holder's lease alive every third of its time.
//
// Claims:  at most one client holds the lock, if each client stops at its valid_until; a dead
//          holder blocks nobody longer than its lease; tokens (the store's revision at the grant)
//          increase from grant to grant.
// Assumes: the servers lose no write, and their clocks run at the clients' rate. A server that is
//          no longer the leader answers no keep-alive.
// Attack:  stop the holder for longer than its lease (S06), then let it release: Unlock does not
//          report that the key is gone, so the release of a lost lock reports success.
// Source:  etcd's api/v3lock, v3lock.proto.

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "lib/clients/etcd.h"
#include "lib/locks/etcd/etcd_lease.h"
#include "lib/locks/owners.h"
#include "lib/locks/registry.h"
#include "lib/locks/watchdog.h"

namespace doublehold {
namespace {

class LockOverApi final : public Lock {
 public:
  explicit LockOverApi(const LockContext& context)
      : env_(context.env),
        owners_(context.seed, context.client, context.thread),
        ttl_(WholeSeconds(context.lease)),
        etcd_(context.etcd().Dial()),
        watchdog_(MakeLeaseWatchdog(env_, ttl_, /*trusts=*/false)) {}

  // Waits on the server, unlike other locks. No keep-alive is sent meanwhile, so the wait ends
  // after a third of the lease.
  AcquireResult TryAcquire(const LockKey& key, Lease /*lease*/, Deadline deadline) override {
    const MonoTime invoked = env_.Mono();
    const EtcdResult<int64_t> lease = etcd_->GrantLease(ttl_, deadline);
    if (!lease) return Busy{};
    Grant grant{.key = key,
                .owner = OwnerOf(key, *lease),
                .hold = owners_.NextHold(),
                .valid_until = invoked + ttl_};
    const EtcdResult<EtcdKey> locked =
        etcd_->Lock(EtcdName(key), *lease, std::min(deadline, invoked + ttl_ / 3));
    if (!locked) {
      // The server may create the key later, until the release revokes the lease.
      if (locked.error().kind == EtcdFailure::Kind::kNoReply) return Unknown{std::move(grant)};
      return Busy{};
    }
    grant.token = locked->create_revision;
    watchdog_->Guard(grant);
    return Granted{std::move(grant)};
  }

  ExtendResult Extend(const Grant& grant, Lease /*lease*/, Deadline deadline) override {
    return KeepLeaseAlive(env_, *etcd_, grant, ttl_, /*trusts=*/false, deadline);
  }

  // After an acquire of unknown outcome, the server may still create the key. Revoking the lease
  // prevents that; Unlock would not.
  ReleaseResult Release(const Grant& grant, Deadline deadline) override {
    watchdog_->Leave(grant);
    if (grant.token == 0) return RevokeLease(*etcd_, LeaseOf(grant), deadline);
    const EtcdResult<void> unlocked = etcd_->Unlock(grant.owner, deadline);
    return unlocked ? ReleaseResult::kReleased : ReleaseResult::kUnknown;
  }
  bool ExtendsByItself() const override { return true; }

 private:
  Env& env_;
  Owners owners_;
  Duration ttl_;
  std::unique_ptr<EtcdConnection> etcd_;
  std::unique_ptr<Watchdog> watchdog_;
};

}  // namespace

LockEntry EtcdApiLock() {
  return {.name = "etcd-lock-api",
          .summary = "the server's own lock (the Lock service of etcd's v3 API)",
          .service = kEtcdService,
          .make = MakeLock<LockOverApi>,
          .traits = {Trait::kToken},
          .ask_left = AskForEtcdKeys};
}

}  // namespace doublehold
