// Locks whose key's value is the instant, by the client's wall clock, when the lock is over: seeds
// 000 and 004.
#ifndef DOUBLEHOLD_LIB_LOCKS_REDIS_EXPIRY_IN_VALUE_H_
#define DOUBLEHOLD_LIB_LOCKS_REDIS_EXPIRY_IN_VALUE_H_

#include <cstdint>
#include <optional>

#include "lib/base/connection.h"
#include "lib/base/env.h"
#include "lib/locks/lock.h"

namespace doublehold {

// When a lease is over, as the value says it and on the client's monotonic clock. The value is cut
// to whole milliseconds, so the lease is up to one shorter than asked: counting it from the uncut
// instant would let two leases overlap that the variant hands over one after the other.
struct ValueInstant {
  int64_t wall_ms = 0;
  MonoTime mono{};
};
ValueInstant InstantAfter(Env& env, Lease lease);
// What stands in a value; nothing when it is no instant.
std::optional<int64_t> InstantIn(const Reply& value);

// Writes a later instant without looking whose lock it is, as a holder that trusts its lease would.
ExtendResult ExtendInstant(Env& env, Connection& node, const Grant& grant, Lease lease,
                           Deadline deadline);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_LOCKS_REDIS_EXPIRY_IN_VALUE_H_
