// Shared steps of several variants: SET key owner NX PX lease, and scripts that delete or extend a
// key only if it holds the owner's text. Each step has two halves, Start and Finish, so that
// several nodes can be asked concurrently.
#ifndef DOUBLEHOLD_LIB_LOCKS_REDIS_KEY_OPERATIONS_H_
#define DOUBLEHOLD_LIB_LOCKS_REDIS_KEY_OPERATIONS_H_

#include <memory>
#include <span>
#include <string>

#include "lib/base/env.h"
#include "lib/base/time.h"
#include "lib/clients/redis.h"
#include "lib/locks/lock.h"
#include "lib/locks/owners.h"
#include "lib/locks/watchdog.h"

namespace doublehold {

// A node's answer. kFailed: certainly not done. kUnknown: perhaps done.
enum class [[nodiscard]] NodeAnswer : uint8_t{kYes, kNo, kFailed, kUnknown};

NodeAnswer FailureOf(const CallFailure& failure);
// Returns the result of an acquire whose command failed: Busy if the command was certainly not
// executed, otherwise Unknown.
AcquireResult NotGranted(const CallFailure& failure, Grant grant);

void StartSetNxPx(Connection& node, const std::string& key, const std::string& owner, Lease lease,
                  Deadline deadline);
NodeAnswer FinishSetNxPx(Connection& node);

// `key` and `owner` must stay valid until FinishScript.
void StartCompareAndDelete(Connection& node, const std::string& key, const std::string& owner,
                           Deadline deadline);
void StartCompareAndExtend(Connection& node, const std::string& key, const std::string& owner,
                           const std::string& lease_ms, Deadline deadline);
NodeAnswer FinishScript(Connection& node);  // 1 is kYes, 0 is kNo

// The operations of a lock that consists of one such key on one node. The lease counts from the
// invocation.
AcquireResult AcquireSetNxPx(Env& env, Connection& node, Owners& owners, const LockKey& key,
                             Lease lease, Deadline deadline);
ExtendResult ExtendIfOwned(Env& env, Connection& node, const Grant& grant, Lease lease,
                           Deadline deadline);
ReleaseResult ReleaseIfOwned(Connection& node, const Grant& grant, Deadline deadline);

// Connections to nodes 1, 2, ...
using Nodes = std::span<const std::unique_ptr<Connection>>;
// Extends a grant on all nodes.
using RenewOnNodes = ExtendResult (*)(Env&, Nodes, const Grant&, Lease, Deadline);
// Returns what a watchdog calls for its extensions. It uses connections of its own.
Watchdog::MakeRenewal OverOwnConnections(RenewOnNodes renew, int nodes);

// Sends DEL without comparing the owner. Returns kFreed if a key was deleted, kNoLock if there
// was no key.
ReleaseResult DeleteWhateverIsThere(Connection& node, const std::string& key, Deadline deadline);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_LOCKS_REDIS_KEY_OPERATIONS_H_
