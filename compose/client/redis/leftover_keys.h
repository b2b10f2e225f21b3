// Finds keys of a lock that still exist when nobody holds it.
#ifndef DOUBLEHOLD_COMPOSE_CLIENT_REDIS_LEFTOVER_KEYS_H_
#define DOUBLEHOLD_COMPOSE_CLIENT_REDIS_LEFTOVER_KEYS_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "lib/base/env.h"
#include "lib/clients/redis.h"
#include "lib/locks/registry.h"

namespace doublehold {

struct ProbeTerms {
  Lease lease{};
  Duration grace{};         // the probe tries for lease + grace
  Duration call_timeout{};  // timeout of one attempt
  Duration own_wait{};      // how long a library waits within one attempt before it refuses
};

// Interval at which a key that may still be removed is checked. The checks last for lease /
// kKeyLooksPerLease.
constexpr Duration kKeyLookInterval = std::chrono::milliseconds(5);
constexpr int kKeyLooksPerLease = 4;

// Returns the PTTL of a key in ms. Returns nothing if the node does not answer.
std::optional<int64_t> AskExpiry(Connection& node, std::string_view name, Deadline deadline);

// Returns the question for PTTL, as LockEntry::ask_left.
AskLeft AskForExpiry(Env& env, NodeId node, Lease lease);

// Records for each node what is left of the key. Records `fail` if the node does not answer. Call
// it when nobody holds the lock, before any probe. While anything is left, asks again for a part of
// the lease, because a release may still arrive.
void RecordLeftovers(Env& env, const LockEntry& lock, int nodes, const LockKey& key,
                     const ProbeTerms& terms);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLIENT_REDIS_LEFTOVER_KEYS_H_
