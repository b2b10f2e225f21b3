// The two steps that several variants share: SET key owner NX PX lease, and the script that
// deletes, or extends, a key only while the owner's text is in it. Each comes in two halves, so
// that several nodes can be asked at once.
#ifndef DOUBLEHOLD_LIB_LOCKS_REDIS_KEY_OPERATIONS_H_
#define DOUBLEHOLD_LIB_LOCKS_REDIS_KEY_OPERATIONS_H_

#include <string>

#include "lib/base/connection.h"
#include "lib/base/env.h"
#include "lib/base/time.h"
#include "lib/locks/lock.h"
#include "lib/locks/owners.h"

namespace doublehold {

// What one node said. kFailed: certainly not done. kUnknown: perhaps done.
enum class [[nodiscard]] NodeAnswer : uint8_t{kYes, kNo, kFailed, kUnknown};

NodeAnswer FailureOf(const CallFailure& failure);
// What an acquire answers whose command failed: Busy when it was certainly not carried out, else
// Unknown.
AcquireResult NotGranted(const CallFailure& failure, Grant grant);

void StartSetNxPx(Connection& node, const std::string& key, const std::string& owner, Lease lease,
                  Deadline deadline);
NodeAnswer FinishSetNxPx(Connection& node);

// `key` and `owner` stay valid until the finish.
void StartCompareAndDelete(Connection& node, const std::string& key, const std::string& owner,
                           Deadline deadline);
void StartCompareAndExtend(Connection& node, const std::string& key, const std::string& owner,
                           const std::string& lease_ms, Deadline deadline);
NodeAnswer FinishScript(Connection& node);  // kYes: 1, kNo: 0

// The operations of a lock that is such a key on one node. The lease counts from the invocation.
AcquireResult AcquireSetNxPx(Env& env, Connection& node, Owners& owners, const LockKey& key,
                             Lease lease, Deadline deadline);
ExtendResult ExtendIfOwned(Env& env, Connection& node, const Grant& grant, Lease lease,
                           Deadline deadline);
ReleaseResult ReleaseIfOwned(Connection& node, const Grant& grant, Deadline deadline);

// DEL, whoever's key it is. kFreed: something was there. kNotOwner: nothing was.
ReleaseResult DeleteWhateverIsThere(Connection& node, const std::string& key, Deadline deadline);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_LOCKS_REDIS_KEY_OPERATIONS_H_
