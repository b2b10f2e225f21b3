#include "lib/locks/redis/key_operations.h"

#include <array>
#include <utility>
#include <vector>

#include "lib/clients/clients.h"
#include "lib/clients/redis.h"

namespace doublehold {
namespace {

// The compare-and-delete script of redis.io's page about SET. The seeds use the same script.
const Script& DeleteIfOwner() {
  static const Script script(
      "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) "
      "else return 0 end");
  return script;
}

const Script& ExtendIfOwner() {
  static const Script script(
      "if redis.call('get', KEYS[1]) == ARGV[1] then "
      "return redis.call('pexpire', KEYS[1], ARGV[2]) else return 0 end");
  return script;
}

}  // namespace

NodeAnswer FailureOf(const CallFailure& failure) {
  return failure.definite ? NodeAnswer::kFailed : NodeAnswer::kUnknown;
}

AcquireResult NotGranted(const CallFailure& failure, Grant grant) {
  if (failure.definite) return Busy{};
  return Unknown{std::move(grant)};
}

void StartSetNxPx(Connection& node, const std::string& key, const std::string& owner, Lease lease,
                  Deadline deadline) {
  const std::string lease_ms = std::to_string(ToMs(lease));
  const std::array<std::string_view, 6> command{"SET", key, owner, "NX", "PX", lease_ms};
  node.Start(command, deadline);
}

NodeAnswer FinishSetNxPx(Connection& node) {
  const CallResult result = node.Finish();
  if (!result) return FailureOf(result.error());
  return result->IsNil() ? NodeAnswer::kNo : NodeAnswer::kYes;
}

void StartCompareAndDelete(Connection& node, const std::string& key, const std::string& owner,
                           Deadline deadline) {
  const std::array<std::string_view, 1> keys{key};
  const std::array<std::string_view, 1> args{owner};
  node.StartScript(DeleteIfOwner(), keys, args, deadline);
}

void StartCompareAndExtend(Connection& node, const std::string& key, const std::string& owner,
                           const std::string& lease_ms, Deadline deadline) {
  const std::array<std::string_view, 1> keys{key};
  const std::array<std::string_view, 2> args{owner, lease_ms};
  node.StartScript(ExtendIfOwner(), keys, args, deadline);
}

NodeAnswer FinishScript(Connection& node) {
  const CallResult result = node.Finish();
  if (!result) return FailureOf(result.error());
  return result->IsInteger(1) ? NodeAnswer::kYes : NodeAnswer::kNo;
}

AcquireResult AcquireSetNxPx(Env& env, Connection& node, Owners& owners, const LockKey& key,
                             Lease lease, Deadline deadline) {
  Grant grant{.key = key, .hold = owners.NextHold()};
  grant.owner = owners.TextOf(grant.hold);
  grant.valid_until = env.Mono() + lease;
  StartSetNxPx(node, key.name, grant.owner, lease, deadline);
  switch (FinishSetNxPx(node)) {
    case NodeAnswer::kYes:
      return Granted{std::move(grant)};
    case NodeAnswer::kUnknown:
      return Unknown{std::move(grant)};
    default:
      return Busy{};
  }
}

ExtendResult ExtendIfOwned(Env& env, Connection& node, const Grant& grant, Lease lease,
                           Deadline deadline) {
  const MonoTime valid_until = env.Mono() + lease;
  const std::string lease_ms = std::to_string(ToMs(lease));
  StartCompareAndExtend(node, grant.key.name, grant.owner, lease_ms, deadline);
  switch (FinishScript(node)) {
    case NodeAnswer::kYes:
      return Extended{valid_until};
    case NodeAnswer::kNo:
      return Lost{};
    default:
      return Undecided{};
  }
}

ReleaseResult ReleaseIfOwned(Connection& node, const Grant& grant, Deadline deadline) {
  StartCompareAndDelete(node, grant.key.name, grant.owner, deadline);
  switch (FinishScript(node)) {
    case NodeAnswer::kYes:
      return ReleaseResult::kReleased;
    case NodeAnswer::kNo:
      return ReleaseResult::kNotOwner;
    default:
      return ReleaseResult::kUnknown;
  }
}

ReleaseResult DeleteWhateverIsThere(Connection& node, const std::string& key, Deadline deadline) {
  const std::array<std::string_view, 2> command{"DEL", key};
  const CallResult result = node.Call(command, deadline);
  if (!result) return ReleaseResult::kUnknown;
  return result->IsInteger(0) ? ReleaseResult::kNoLock : ReleaseResult::kFreed;
}

Watchdog::MakeRenewal OverOwnConnections(RenewOnNodes renew, int nodes) {
  return [renew, nodes](Env& env) -> Watchdog::Renewal {
    // Shared, because a std::function must be copyable.
    const auto own = std::make_shared<std::vector<std::unique_ptr<Connection>>>();
    for (int i = 1; i <= nodes; ++i) own->push_back(env.clients().redis().Connect(NodeId{i}));
    return [renew, own, &env](const Grant& grant, Lease lease, Deadline deadline) {
      return renew(env, *own, grant, lease, deadline);
    };
  };
}

}  // namespace doublehold
