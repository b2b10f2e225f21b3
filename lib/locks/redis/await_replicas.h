// Options wait-replicas and wait-timeout: a grant counts only when so many replicas have
// acknowledged it (WAIT).
//
// That does not make a lock safe: WAIT tells that some replicas have the write, not that one of
// them is the next master. Nor does it look at what is written later: extensions, releases.
#ifndef DOUBLEHOLD_LIB_LOCKS_REDIS_AWAIT_REPLICAS_H_
#define DOUBLEHOLD_LIB_LOCKS_REDIS_AWAIT_REPLICAS_H_

#include <functional>
#include <vector>

#include "lib/base/connection.h"
#include "lib/base/env.h"
#include "lib/base/options.h"
#include "lib/locks/lock.h"

namespace doublehold {

struct AwaitedReplicas {
  int64_t count = 0;  // 0: none, and nothing is asked
  Duration timeout{};
};

std::vector<OptionSpec> AwaitOptions();
AwaitedReplicas ReadAwaited(const Options& options);

// Passes on what an attempt answered that was just made on this connection, unless it is a grant
// that too few replicas acknowledged in time: that is undone, by `undo`, and Busy; Unknown when the
// undoing had no answer. At most half of the time to the deadline is spent waiting.
AcquireResult AwaitReplicas(Env& env, Connection& node, const AwaitedReplicas& awaited,
                            AcquireResult attempt, Deadline deadline,
                            const std::function<ReleaseResult(const Grant&)>& undo);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_LOCKS_REDIS_AWAIT_REPLICAS_H_
