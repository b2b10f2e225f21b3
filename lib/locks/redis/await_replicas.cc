#include "lib/locks/redis/await_replicas.h"

#include <algorithm>
#include <array>
#include <string>
#include <variant>

namespace doublehold {
namespace {

constexpr int64_t kMostReplicas = 100;

// Sends WAIT on the connection of the write. On a new connection WAIT covers no write, and reports
// at once that all replicas acknowledged.
bool EnoughAcknowledge(Env& env, Connection& node, const AwaitedReplicas& awaited,
                       Deadline deadline) {
  const Duration left = (deadline - env.Mono()) / 2;
  // WAIT takes a timeout of 0 as no timeout.
  const std::string timeout_ms =
      std::to_string(std::max<int64_t>(ToMs(std::min(awaited.timeout, left)), 1));
  const std::string count = std::to_string(awaited.count);
  const std::array<std::string_view, 3> wait{"WAIT", count, timeout_ms};
  node.Pin();
  const CallResult acknowledged = node.Call(wait, deadline);
  node.Unpin();
  return acknowledged && acknowledged->kind == Reply::Kind::kInteger &&
         acknowledged->integer >= awaited.count;
}

}  // namespace

std::vector<OptionSpec> AwaitOptions() {
  using Kind = OptionSpec::Kind;
  return {{.name = "wait-replicas",
           .kind = Kind::kInteger,
           .fallback = "0",
           .help = "number of replicas that must acknowledge a grant (WAIT)",
           .most = kMostReplicas},
          {.name = "wait-timeout",
           .kind = Kind::kDuration,
           .fallback = "0.2 lease",
           .help = "time for those acknowledgements; then the grant is undone"}};
}

AwaitedReplicas ReadAwaited(const Options& options) {
  return {.count = options.Integer("wait-replicas"), .timeout = options.Span("wait-timeout")};
}

AcquireResult AwaitReplicas(Env& env, Connection& node, const AwaitedReplicas& awaited,
                            AcquireResult attempt, Deadline deadline,
                            const std::function<ReleaseResult(const Grant&)>& undo) {
  const auto* granted = std::get_if<Granted>(&attempt);
  if (granted == nullptr || awaited.count == 0) return attempt;
  if (EnoughAcknowledge(env, node, awaited, deadline)) return attempt;
  if (undo(granted->grant) == ReleaseResult::kUnknown) return Unknown{granted->grant};
  return Busy{};
}

}  // namespace doublehold
