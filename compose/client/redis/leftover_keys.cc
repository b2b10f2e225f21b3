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

AskLeft AskForExpiry(Env& env, NodeId node, Lease /*lease*/) {
  const std::shared_ptr<Connection> connection = env.clients().redis().Connect(node);
  return [connection](const LockKey& key, Deadline deadline) {
    return AskExpiry(*connection, key.name, deadline);
  };
}

void RecordLeftovers(Env& env, const LockEntry& lock, int nodes, const LockKey& key,
                     const ProbeTerms& terms) {
  const MonoTime give_up = env.Mono() + terms.lease / kKeyLooksPerLease;
  for (int number = 1; number <= nodes; ++number) {
    const AskLeft ask =
        (lock.ask_left == nullptr ? AskForExpiry : lock.ask_left)(env, NodeId{number}, terms.lease);
    std::optional<int64_t> left_ms = ask(key, env.Mono() + terms.call_timeout);
    while (left_ms && *left_ms != kNothingLeft && env.Mono() < give_up &&
           env.SleepUntil(env.Mono() + kKeyLookInterval)) {
      left_ms = ask(key, env.Mono() + terms.call_timeout);
    }
    env.Record({.key = key.index,
                .op = Op::kExpiry,
                .type = left_ms ? EventType::kOk : EventType::kFail,
                .value = {left_ms.value_or(0), number}});
  }
}

}  // namespace doublehold
