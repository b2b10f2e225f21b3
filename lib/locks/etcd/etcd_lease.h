// What the locks of etcd share: a lease for each acquire, which is a part of the owner text.
#ifndef DOUBLEHOLD_LIB_LOCKS_ETCD_ETCD_LEASE_H_
#define DOUBLEHOLD_LIB_LOCKS_ETCD_ETCD_LEASE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "lib/base/env.h"
#include "lib/clients/etcd.h"
#include "lib/locks/lock.h"
#include "lib/locks/registry.h"
#include "lib/locks/watchdog.h"

namespace doublehold {

// Rounds a lease up to etcd's unit.
Duration WholeSeconds(Lease lease);

// Returns the name of the lock in etcd. The keys of the lock begin with this name and `/`. Without
// the slash, the name of `item:1` would also be a prefix of the keys of `item:10`.
std::string EtcdName(const LockKey& key);
// Returns the key that stands for this lease in the lock's queue, as the Go client names it.
std::string OwnerOf(const LockKey& key, int64_t lease);
// Returns the lease of a grant whose owner is made by OwnerOf.
int64_t LeaseOf(const Grant& grant);

// Makes the grant's lease end `ttl` from now. With `trusts`, the client does not stop at the end of
// its lease, so the extended grant has no end.
ExtendResult KeepLeaseAlive(Env& env, EtcdConnection& etcd, const Grant& grant, Duration ttl,
                            bool trusts, Deadline deadline);
// Ends the lease, and with it the lock. Returns kReleased if the lease had not ended yet.
ReleaseResult RevokeLease(EtcdConnection& etcd, int64_t lease, Deadline deadline);

// Keeps leases alive over a connection of its own.
std::unique_ptr<Watchdog> MakeLeaseWatchdog(Env& env, Duration ttl, bool trusts);

// For LockEntry::ask_left: a key in the queue keeps others out until its lease has ended.
AskLeft AskForEtcdKeys(Env& env, NodeId node, Lease lease);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_LOCKS_ETCD_ETCD_LEASE_H_
