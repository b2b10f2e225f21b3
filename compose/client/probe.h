// Probes whether a lock can be acquired after all faults were healed and all clients have ended.
#ifndef DOUBLEHOLD_COMPOSE_CLIENT_PROBE_H_
#define DOUBLEHOLD_COMPOSE_CLIENT_PROBE_H_

#include "compose/client/redis/leftover_keys.h"
#include "lib/base/env.h"
#include "lib/locks/lock.h"

namespace doublehold {

// Tries to acquire the key and records the outcome:
// - `ok`: the lock was granted.
// - `fail`: every attempt was refused in time.
// - `info`: the lock was not granted, and an attempt had no answer or a late answer. The machine
//   may have stalled, or the probe's own unanswered attempt may hold the lock.
void Probe(Env& env, Lock& lock, const LockKey& key, const ProbeTerms& terms);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLIENT_PROBE_H_
