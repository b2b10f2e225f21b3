// Shared by the locks of seeds 000 and 004. The value of their key is the instant when the lease
// ends, on the client's wall clock.
#ifndef DOUBLEHOLD_LIB_LOCKS_REDIS_EXPIRY_IN_VALUE_H_
#define DOUBLEHOLD_LIB_LOCKS_REDIS_EXPIRY_IN_VALUE_H_

#include <cstdint>
#include <optional>

#include "lib/base/env.h"
#include "lib/clients/redis.h"
#include "lib/locks/lock.h"

namespace doublehold {

// The end of a lease, as the key's value and on the client's monotonic clock. The value is rounded
// down to whole milliseconds, so the lease is up to 1 ms shorter than requested. `mono` is rounded
// down too; otherwise two consecutive leases would appear to overlap.
struct ValueInstant {
  int64_t wall_ms = 0;
  MonoTime mono{};
};
ValueInstant InstantAfter(Env& env, Lease lease);
// Parses the instant in a value. Returns nothing when the value is not an instant.
std::optional<int64_t> InstantIn(const Reply& value);

// Writes a later instant without comparing the owner. A holder does so if it relies on its lease.
ExtendResult ExtendInstant(Env& env, Connection& node, const Grant& grant, Lease lease,
                           Deadline deadline);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_LOCKS_REDIS_EXPIRY_IN_VALUE_H_
