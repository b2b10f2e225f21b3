// Options wait-replicas and wait-timeout: a grant counts only when enough replicas have
// acknowledged it (WAIT).
//
// This does not make a lock safe. WAIT reports that some replicas have the write; another replica
// may become the master. Later writes, such as extensions and releases, are not covered.
#ifndef DOUBLEHOLD_LIB_LOCKS_REDIS_AWAIT_REPLICAS_H_
#define DOUBLEHOLD_LIB_LOCKS_REDIS_AWAIT_REPLICAS_H_

#include <functional>
#include <vector>

#include "lib/base/env.h"
#include "lib/base/options.h"
#include "lib/clients/redis.h"
#include "lib/locks/lock.h"

namespace doublehold {

struct AwaitedReplicas {
  int64_t count = 0;  // if 0, WAIT is not sent
  Duration timeout{};
};

std::vector<OptionSpec> AwaitOptions();
AwaitedReplicas ReadAwaited(const Options& options);

// Returns the outcome of an attempt just made on this connection. If too few replicas acknowledge a
// grant in time, calls `undo` to release it. The outcome is then Busy, or Unknown when `undo` got
// no reply. Waits at most half of the time until the deadline.
AcquireResult AwaitReplicas(Env& env, Connection& node, const AwaitedReplicas& awaited,
                            AcquireResult attempt, Deadline deadline,
                            const std::function<ReleaseResult(const Grant&)>& undo);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_LOCKS_REDIS_AWAIT_REPLICAS_H_
