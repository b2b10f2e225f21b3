#include "compose/client/redis/leftover_keys.h"

#include <array>
#include <memory>

#include "lib/clients/clients.h"
#include "lib/clients/redis.h"

namespace doublehold {
std::optional<int64_t> AskExpiry(Connection& node, std::string_view name, Deadline deadline) {
  const CallResult result = node.Call(std::array<std::string_view, 2>{"PTTL", name}, deadline);
  if (!result || result->kind != Reply::Kind::kInteger) return std::nullopt;
  return result->integer;
}

void RecordExpiries(Env& env, int nodes, const LockKey& key, const ProbeTerms& terms) {
  const MonoTime give_up = env.Mono() + terms.lease / kKeyLooksPerLease;
  for (int number = 1; number <= nodes; ++number) {
    const std::unique_ptr<Connection> node = env.clients().redis().Connect(NodeId{number});
    std::optional<int64_t> pttl_ms = AskExpiry(*node, key.name, env.Mono() + terms.call_timeout);
    while (pttl_ms && *pttl_ms != kKeyNotThere && env.Mono() < give_up &&
           env.SleepUntil(env.Mono() + kKeyLookInterval)) {
      pttl_ms = AskExpiry(*node, key.name, env.Mono() + terms.call_timeout);
    }
    env.Record({.key = key.index,
                .op = Op::kExpiry,
                .type = pttl_ms ? EventType::kOk : EventType::kFail,
                .value = {pttl_ms.value_or(0), number}});
  }
}

}  // namespace doublehold
