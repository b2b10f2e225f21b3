#include "lib/locks/etcd/etcd_lease.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "lib/clients/clients.h"

namespace doublehold {

Duration WholeSeconds(Lease lease) {
  const Duration whole = std::chrono::ceil<std::chrono::seconds>(lease);
  return std::max(whole, Duration(std::chrono::seconds(1)));
}

std::string EtcdName(const LockKey& key) {
  std::string name = key.name;
  std::ranges::replace(name, '/', '|');
  return name;
}

std::string OwnerOf(const LockKey& key, int64_t lease) {
  return fmt::format("{}/{:x}", EtcdName(key), lease);
}

int64_t LeaseOf(const Grant& grant) {
  const char* const end = grant.owner.data() + grant.owner.size();
  int64_t lease = 0;
  std::from_chars(grant.owner.data() + grant.owner.rfind('/') + 1, end, lease, 16);
  return lease;
}

ExtendResult KeepLeaseAlive(Env& env, EtcdConnection& etcd, const Grant& grant, Duration ttl,
                            bool trusts, Deadline deadline) {
  const MonoTime invoked = env.Mono();
  const EtcdResult<void> kept = etcd.KeepAlive(LeaseOf(grant), deadline);
  if (kept) return Extended{trusts ? MonoTime::max() : invoked + ttl};
  if (kept.error().kind == EtcdFailure::Kind::kNoLease) return Lost{};
  return Undecided{};
}

ReleaseResult RevokeLease(EtcdConnection& etcd, int64_t lease, Deadline deadline) {
  const EtcdResult<void> revoked = etcd.Revoke(lease, deadline);
  if (revoked) return ReleaseResult::kReleased;
  return revoked.error().kind == EtcdFailure::Kind::kNoLease ? ReleaseResult::kNotOwner
                                                             : ReleaseResult::kUnknown;
}

std::unique_ptr<Watchdog> MakeLeaseWatchdog(Env& env, Duration ttl, bool trusts) {
  return std::make_unique<Watchdog>(
      env,
      [ttl, trusts](Env& own) -> Watchdog::Renewal {
        return [&own, ttl, trusts, etcd = std::shared_ptr(own.clients().etcd().Dial())](
                   const Grant& grant, Lease, Deadline deadline) {
          return KeepLeaseAlive(own, *etcd, grant, ttl, trusts, deadline);
        };
      },
      Watchdog::Care{.lease = ttl});
}

AskLeft AskForEtcdKeys(Env& env, NodeId /*node*/, Lease lease) {
  const std::shared_ptr<EtcdConnection> etcd = env.clients().etcd().Dial();
  return [etcd, lease](const LockKey& key, Deadline deadline) -> std::optional<int64_t> {
    const auto last = etcd->FindBefore(EtcdName(key) + "/", INT64_MAX, deadline);
    if (!last) return std::nullopt;
    return *last ? ToMs(lease) : kNothingLeft;
  };
}

}  // namespace doublehold
