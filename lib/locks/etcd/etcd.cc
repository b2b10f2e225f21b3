// etcd: a queue of keys, as in concurrency.Mutex of etcd's Go client. Each key lives as long as its
// lease. The client whose key has the lowest create revision holds the lock. A waiter watches the
// key before its own. A watchdog keeps the holder's lease alive every third of its time.
//
// Claims:  at most one client holds the lock, if each client stops at its valid_until; grants
//          follow the order of arrival; a dead holder blocks nobody longer than its lease; tokens
//          (the key's create revision) increase from grant to grant.
// Assumes: the servers lose no write, and their clocks run at the clients' rate. A server that is
//          no longer the leader answers no keep-alive.
// Attack:  stop the holder for longer than its lease: its key goes, and the next client enters.
//          With trusts-dead-lease the late holder goes on (S06). With no-keepalive, work for longer
//          than the lease (S08). Stop the leader of the servers: when it continues, it may revoke
//          leases that the next leader keeps alive (S07).
// Source:  go.etcd.io/etcd/clientv3/concurrency, Session and Mutex. Here each acquire has a session
//          of its own, as in `etcdctl lock`, and a release closes it: Revoke, not Delete. A late
//          Delete could remove the key of the session's next hold.

#include "lib/clients/etcd.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "lib/locks/etcd/etcd_lease.h"
#include "lib/locks/owners.h"
#include "lib/locks/registry.h"
#include "lib/locks/watchdog.h"

namespace doublehold {
namespace {

using EtcdKind = EtcdFailure::Kind;

// The caller's place in a queue, from the first try for a key until the grant or the end of the
// tries.
struct EtcdPlace {
  int64_t lease = 0;
  MonoTime renewed{};  // invocation of the last answered grant or keep-alive of the lease
  EtcdKey before{};    // the key that is watched
  std::unique_ptr<Subscription> watch{};
};

class EtcdLock final : public Lock {
 public:
  explicit EtcdLock(const LockContext& context)
      : env_(context.env),
        owners_(context.seed, context.client, context.thread),
        ttl_(WholeSeconds(context.lease)),
        keeps_alive_(!context.options.Flag("no-keepalive")),
        trusts_dead_lease_(context.options.Flag("trusts-dead-lease")),
        etcd_(context.etcd().Dial()) {
    if (keeps_alive_) watchdog_ = MakeLeaseWatchdog(env_, ttl_, trusts_dead_lease_);
  }

  AcquireResult TryAcquire(const LockKey& key, Lease lease, Deadline deadline) override;
  ExtendResult Extend(const Grant& grant, Lease /*lease*/, Deadline deadline) override {
    return KeepLeaseAlive(env_, *etcd_, grant, ttl_, trusts_dead_lease_, deadline);
  }
  ReleaseResult Release(const Grant& grant, Deadline deadline) override;
  ReleaseResult GiveUp(const LockKey& key, Deadline deadline) override;
  Subscription* WakeUps(const LockKey& key) override {
    const auto found = places_.find(EtcdName(key));
    return found == places_.end() ? nullptr : found->second.watch.get();
  }
  bool ExtendsByItself() const override { return keeps_alive_; }

 private:
  EtcdResult<void> Prolong(EtcdPlace& place, Deadline deadline);
  AcquireResult Enter(const LockKey& key, EtcdPlace& place, Deadline deadline);
  EtcdResult<void> Watch(EtcdPlace& place, const std::string& prefix, const EtcdKey& own,
                         Deadline deadline);

  Env& env_;
  Owners owners_;
  Duration ttl_;
  bool keeps_alive_, trusts_dead_lease_;
  std::unique_ptr<EtcdConnection> etcd_;
  std::map<std::string, EtcdPlace> places_;  // by the lock's name
  std::unique_ptr<Watchdog> watchdog_;       // null with no-keepalive
};

AcquireResult EtcdLock::TryAcquire(const LockKey& key, Lease /*lease*/, Deadline deadline) {
  EtcdPlace& place = places_[EtcdName(key)];
  if (!Prolong(place, deadline)) return Busy{};
  return Enter(key, place, deadline);
}

// Makes sure that the place has a lease with enough time left for a try: two thirds of it with
// keep-alives, or any time without them.
EtcdResult<void> EtcdLock::Prolong(EtcdPlace& place, Deadline deadline) {
  const MonoTime now = env_.Mono();
  if (place.lease != 0 && now < place.renewed + (keeps_alive_ ? ttl_ / 3 : ttl_)) return {};
  if (place.lease != 0 && keeps_alive_) {
    EtcdResult<void> kept = etcd_->KeepAlive(place.lease, deadline);
    if (kept) place.renewed = now;
    if (kept || kept.error().kind != EtcdKind::kNoLease) return kept;
  }
  place = {};
  const MonoTime invoked = env_.Mono();
  const EtcdResult<int64_t> lease = etcd_->GrantLease(ttl_, deadline);
  if (!lease) return tl::unexpected(lease.error());
  place.lease = *lease;
  place.renewed = invoked;
  return {};
}

// Puts the own key into the queue, unless it is there. Grants the lock if the key is the first.
AcquireResult EtcdLock::Enter(const LockKey& key, EtcdPlace& place, Deadline deadline) {
  const std::string prefix = EtcdName(key) + "/";
  Grant grant{.key = key,
              .owner = OwnerOf(key, place.lease),
              .hold = owners_.NextHold(),
              .valid_until = trusts_dead_lease_ ? MonoTime::max() : place.renewed + ttl_};
  const EtcdResult<EtcdQueue> queue = etcd_->Create(grant.owner, place.lease, prefix, deadline);
  if (!queue) {
    if (queue.error().kind == EtcdKind::kNoReply) return Unknown{std::move(grant)};
    if (queue.error().kind == EtcdKind::kNoLease) place = {};
    return Busy{};
  }
  if (queue->own.name != queue->first.name) {
    // The hint brings the waiter back before its own lease ends.
    if (Watch(place, prefix, queue->own, deadline)) return Busy{ttl_ / 3};
    return Busy{};
  }
  grant.token = queue->own.create_revision;
  places_.erase(EtcdName(key));
  if (watchdog_) watchdog_->Guard(grant);
  return Granted{std::move(grant)};
}

// Watches the key before the own one. If there is none any more, a message comes at once.
EtcdResult<void> EtcdLock::Watch(EtcdPlace& place, const std::string& prefix, const EtcdKey& own,
                                 Deadline deadline) {
  auto before = etcd_->FindBefore(prefix, own.create_revision, deadline);
  if (!before) return tl::unexpected(std::move(before).error());
  if (!*before || (**before).create_revision == place.before.create_revision) return {};
  place.before = **before;
  place.watch = etcd_->WatchDeletion(place.before);
  return {};
}

// An acquire of unknown outcome has left its place waiting under this lease, and its create may
// still be executed. Revoking the lease prevents that: no create succeeds without its lease. So the
// place is dropped too.
ReleaseResult EtcdLock::Release(const Grant& grant, Deadline deadline) {
  if (watchdog_) watchdog_->Leave(grant);
  const auto found = places_.find(EtcdName(grant.key));
  if (found != places_.end() && found->second.lease == LeaseOf(grant)) places_.erase(found);
  return RevokeLease(*etcd_, LeaseOf(grant), deadline);
}

// Leaving a queue frees no lock.
ReleaseResult EtcdLock::GiveUp(const LockKey& key, Deadline deadline) {
  const auto place = places_.extract(EtcdName(key));
  if (place.empty() || place.mapped().lease == 0) return ReleaseResult::kNotOwner;
  return RevokeLease(*etcd_, place.mapped().lease, deadline) == ReleaseResult::kUnknown
             ? ReleaseResult::kUnknown
             : ReleaseResult::kNotOwner;
}

}  // namespace

LockEntry EtcdMutexLock() {
  using Kind = OptionSpec::Kind;
  return {.name = "etcd",
          .summary = "concurrency.Mutex of etcd's Go client: a queue of keys with leases",
          .service = kEtcdService,
          .options = {{.name = "no-keepalive",
                       .kind = Kind::kFlag,
                       .fallback = "false",
                       .help = "never keep a lease alive (S08)"},
                      {.name = "trusts-dead-lease",
                       .kind = Kind::kFlag,
                       .fallback = "false",
                       .help = "stay the holder when the lease has ended (S06)"}},
          .make = MakeLock<EtcdLock>,
          .traits = {Trait::kToken, Trait::kQueue},
          .option_traits = {{"trusts-dead-lease", "true", Trait::kIgnoresEnd}},
          .ask_left = AskForEtcdKeys};
}

}  // namespace doublehold
