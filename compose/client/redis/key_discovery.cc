#include "compose/client/redis/key_discovery.h"

#include <algorithm>
#include <array>
#include <utility>

#include "lib/clients/clients.h"
#include "lib/clients/redis.h"
#include "lib/locks/retry.h"
#include "lib/redis/find_keys.h"

namespace doublehold {

AskKeys AskForRedisKeys(Env& env, const std::string& lock) {
  return [&env, lock](NodeId id, Deadline deadline) -> std::optional<KeysLeft> {
    const std::unique_ptr<Connection> node = env.clients().redis().Connect(id);
    const auto names = FindKeysOf(*node, {lock}, deadline);
    if (!names) return std::nullopt;
    KeysLeft keys;
    for (const std::string& name : *names) {
      const std::optional<int64_t> pttl_ms = AskExpiry(*node, name, deadline);
      if (!pttl_ms) return std::nullopt;
      if (*pttl_ms != kNothingLeft) keys.emplace(name, *pttl_ms);
    }
    return keys;
  };
}

std::optional<KeysLeft> LibraryKeys::Ask(int node) const {
  return ask_(NodeId{node}, env_.Mono() + terms_.call_timeout);
}

std::vector<LibraryKeys::Seen> LibraryKeys::Await(const Names& expected) {
  const MonoTime give_up = env_.Mono() + terms_.lease / kKeyLooksPerLease;
  const auto is_settled = [&](const KeysLeft& keys) {
    return std::ranges::all_of(keys, [&](const auto& key) { return expected.contains(key.first); });
  };
  std::vector<Seen> all;
  for (int number = 1; number <= nodes_; ++number) {
    std::optional<KeysLeft> keys = Ask(number);
    while (keys && !is_settled(*keys) && env_.Mono() < give_up &&
           env_.SleepUntil(env_.Mono() + kKeyLookInterval)) {
      keys = Ask(number);
    }
    if (keys) all.push_back({.node = number, .at = env_.Mono(), .keys = std::move(*keys)});
  }
  return all;
}

void LibraryKeys::Look() {
  for (Seen& seen : Await({})) {
    for (const auto& [name, pttl_ms] : seen.keys) before_.insert(name);
    const auto own = seen.keys.find(key_.name);
    if (own != seen.keys.end()) {
      Note(EventType::kOk, own->second, seen.node);
    } else {
      open_.push_back(std::move(seen));
    }
  }
}

void LibraryKeys::Record(Lock& lock) {
  if (open_.empty()) return;
  const Names own = OwnNames(lock);
  for (const Seen& seen : open_) {
    if (own.empty()) {
      Note(EventType::kInfo, kNothingLeft, seen.node);
      continue;
    }
    const auto left =
        std::ranges::find_if(seen.keys, [&](const auto& key) { return own.contains(key.first); });
    int64_t pttl_ms = left == seen.keys.end() ? kNothingLeft : left->second;
    if (pttl_ms >= 0) pttl_ms = std::max<int64_t>(pttl_ms - ToMs(env_.Mono() - seen.at), 0);
    Note(EventType::kOk, pttl_ms, seen.node);
  }
}

// Returns the names of the keys that a grant creates and its release removes.
LibraryKeys::Names LibraryKeys::OwnNames(Lock& lock) {
  const std::vector<Seen> without = Await(before_);
  const RetryPolicy policy{.interval = kKeyLookInterval,
                           .timeout = terms_.lease + terms_.grace,
                           .call_timeout = terms_.call_timeout};
  const AcquireResult result = AcquireWithRetry(env_, lock, key_, terms_.lease, policy);
  const auto* granted = std::get_if<Granted>(&result);
  if (granted == nullptr) return {};
  Names own;
  for (int number = 1; number <= nodes_; ++number) {
    const std::optional<KeysLeft> keys = Ask(number);
    if (!keys) continue;
    for (const auto& [name, pttl_ms] : *keys) own.insert(name);
  }
  const ReleaseResult released = lock.Release(granted->grant, env_.Mono() + terms_.call_timeout);
  if (FreedNothing(released) || released == ReleaseResult::kUnknown) return {};
  Names others;
  for (const Seen& seen : without) {
    for (const auto& [name, pttl_ms] : seen.keys) others.insert(name);
  }
  for (const Seen& seen : Await(others)) {
    for (const auto& [name, pttl_ms] : seen.keys) others.insert(name);
  }
  std::erase_if(own, [&](const std::string& name) { return others.contains(name); });
  return own;
}

void LibraryKeys::Note(EventType type, int64_t pttl_ms, int node) {
  env_.Record({.key = key_.index, .op = Op::kExpiry, .type = type, .value = {pttl_ms, node}});
}

}  // namespace doublehold
