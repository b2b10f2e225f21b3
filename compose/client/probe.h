// Whether a lock can be had, once the faults are healed and everybody has gone home.
#ifndef DOUBLEHOLD_COMPOSE_CLIENT_PROBE_H_
#define DOUBLEHOLD_COMPOSE_CLIENT_PROBE_H_

#include "compose/client/redis/leftover_keys.h"
#include "lib/base/env.h"
#include "lib/locks/lock.h"

namespace doublehold {

// Tries for the key and records what came of it: `ok` granted; `fail` refused to the end. `info`
// when it was not granted and an attempt of it had no answer, or one that came too late: what kept
// it may have been the machine, or the probe's own attempt that was carried out and never heard of.
void Probe(Env& env, Lock& lock, const LockKey& key, const ProbeTerms& terms);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLIENT_PROBE_H_
