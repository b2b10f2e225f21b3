#include "compose/client/redis/leftover_keys.h"

#include <array>
#include <memory>
#include <optional>
#include <string_view>

namespace doublehold {
namespace {

constexpr Duration kLookInterval = 5ms;
constexpr int kLooksPerLease = 4;
constexpr int64_t kNotThere = -2;  // reply of PTTL for a missing key

// The PTTL of a key, or nothing if there is no answer.
std::optional<int64_t> ExpiryOf(Connection& node, const LockKey& key, Deadline deadline) {
  const std::array<std::string_view, 2> pttl{"PTTL", key.name};
  const CallResult result = node.Call(pttl, deadline);
  if (!result || result->kind != Reply::Kind::kInteger) return std::nullopt;
  return result->integer;
}

}  // namespace

void RecordExpiries(Env& env, int nodes, const LockKey& key, const ProbeTerms& terms) {
  const MonoTime give_up = env.Mono() + terms.lease / kLooksPerLease;
  for (int number = 1; number <= nodes; ++number) {
    const std::unique_ptr<Connection> node = env.Connect(NodeId{number});
    std::optional<int64_t> pttl_ms = ExpiryOf(*node, key, env.Mono() + terms.call_timeout);
    while (pttl_ms && *pttl_ms != kNotThere && env.Mono() < give_up &&
           env.SleepUntil(env.Mono() + kLookInterval)) {
      pttl_ms = ExpiryOf(*node, key, env.Mono() + terms.call_timeout);
    }
    env.Record({.key = key.index,
                .op = Op::kExpiry,
                .type = pttl_ms ? EventType::kOk : EventType::kFail,
                .value = {pttl_ms.value_or(0), number}});
  }
}

}  // namespace doublehold
