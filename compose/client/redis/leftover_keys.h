// Which keys of a lock are still there when nobody holds it.
#ifndef DOUBLEHOLD_COMPOSE_CLIENT_REDIS_LEFTOVER_KEYS_H_
#define DOUBLEHOLD_COMPOSE_CLIENT_REDIS_LEFTOVER_KEYS_H_

#include "lib/base/env.h"
#include "lib/locks/lock.h"

namespace doublehold {

struct ProbeTerms {
  Lease lease{};
  Duration grace{};         // the probe tries for lease + grace
  Duration call_timeout{};  // of one attempt
  Duration own_wait{};  // within one attempt: of a library that waits by itself before it refuses
};

// Records of each node whether the key is there, and for how long; `fail` where it does not answer.
// To be asked when nobody holds it, and before anybody probes. What is there may be about to go, by
// a release that is on its way: it is asked again and again for a part of the lease.
void RecordExpiries(Env& env, int nodes, const LockKey& key, const ProbeTerms& terms);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLIENT_REDIS_LEFTOVER_KEYS_H_
