// redlock: the same key on N independent nodes. Granted when a majority of the nodes grants and the
// validity is positive. The validity is the remaining lease minus an allowance for clock drift.
// After a failed acquire, and on release, the key is deleted on every node.
//
// Claims:  at most one client's lease is valid at a time, even when a minority of the nodes is
//          lost.
// Assumes: the nodes' clocks run at the clients' rate; no node forgets a grant; work ends within
//          the validity.
// Attack:  stop the holder past its validity (K24). Move the clock of one node of a bare majority
//          (K25), or restart such a node empty (K26). If another client briefly holds a minority,
//          the holder gets only a bare majority (K37). With no-validity-check, delay the replies of
//          a majority (K27).
// Option:  restart-delay states how the nodes are operated: a dead node restarts more than a lease
//          later, after every lease that it granted has ended. No client can enforce this delay.
//          The faults of a run observe it.
// Source:  redis.io, "Distributed locks with Redis".

#include <algorithm>
#include <array>

#include "lib/clients/redis.h"
#include "lib/locks/owners.h"
#include "lib/locks/redis/key_operations.h"
#include "lib/locks/registry.h"

namespace doublehold {
namespace {

// The allowance for drift, as in the source: a hundredth of the lease, plus 2 ms for the precision
// of Redis's expiry.
Duration DriftOf(Lease lease) { return lease / 100 + 2ms; }

struct Tally {
  size_t yes = 0, no = 0, failed = 0, unknown = 0;
};

class Redlock final : public Lock {
 public:
  explicit Redlock(const LockContext& context)
      : env_(context.env),
        owners_(context.seed, context.client, context.thread),
        node_timeout_(context.options.Span("node-timeout")),
        at_once_(context.options.Text("ask") == "at-once"),
        by_wall_(context.options.Text("clock") == "wall"),
        checks_validity_(!context.options.Flag("no-validity-check")) {
    for (int i = 1; i <= context.nodes; ++i) nodes_.push_back(context.redis().Connect(NodeId{i}));
  }

  AcquireResult TryAcquire(const LockKey& key, Lease lease, Deadline /*deadline*/) override {
    Grant grant{.key = key, .hold = owners_.NextHold()};
    grant.owner = owners_.TextOf(grant.hold);
    const MonoTime begun = env_.Mono();
    const WallTime begun_wall = by_wall_ ? env_.Wall() : WallTime{};
    const Tally tally = AskAll(
        [&](Connection& node, Deadline deadline) {
          StartSetNxPx(node, key.name, grant.owner, lease, deadline);
        },
        FinishSetNxPx);
    const Duration elapsed = by_wall_ ? env_.Wall() - begun_wall : env_.Mono() - begun;
    grant.valid_until = begun + lease - DriftOf(lease);
    const bool valid = lease - elapsed - DriftOf(lease) > Duration::zero();
    if (IsMajority(tally.yes) && (valid || !checks_validity_)) return Granted{std::move(grant)};
    ReleaseAll(grant);
    return Busy{};
  }

  ExtendResult Extend(const Grant& grant, Lease lease, Deadline /*deadline*/) override {
    const MonoTime valid_until = env_.Mono() + lease - DriftOf(lease);
    const std::string lease_ms = std::to_string(ToMs(lease));
    const Tally tally = AskAll(
        [&](Connection& node, Deadline deadline) {
          StartCompareAndExtend(node, grant.key.name, grant.owner, lease_ms, deadline);
        },
        FinishScript);
    if (IsMajority(tally.yes) && env_.Mono() < valid_until) return Extended{valid_until};
    if (IsMajority(tally.no)) return Lost{};
    return Undecided{};
  }

  ReleaseResult Release(const Grant& grant, Deadline /*deadline*/) override {
    const Tally tally = ReleaseAll(grant);
    if (IsMajority(tally.yes)) return ReleaseResult::kReleased;
    if (IsMajority(tally.no)) return ReleaseResult::kNotOwner;
    return ReleaseResult::kUnknown;
  }

 private:
  [[nodiscard]] bool IsMajority(size_t count) const { return count > nodes_.size() / 2; }

  Tally ReleaseAll(const Grant& grant) {
    return AskAll(
        [&](Connection& node, Deadline deadline) {
          StartCompareAndDelete(node, grant.key.name, grant.owner, deadline);
        },
        FinishScript);
  }

  // If the nodes are asked in turn, each node has the full timeout. If they are asked concurrently,
  // all nodes share one timeout.
  template <typename Start>
  Tally AskAll(const Start& start, NodeAnswer (*finish)(Connection&)) {
    Tally tally;
    if (at_once_) {
      const Deadline deadline = env_.Mono() + node_timeout_;
      for (const auto& node : nodes_) start(*node, deadline);
      for (const auto& node : nodes_) Count(finish(*node), tally);
      return tally;
    }
    for (const auto& node : nodes_) {
      start(*node, env_.Mono() + node_timeout_);
      Count(finish(*node), tally);
    }
    return tally;
  }

  static void Count(NodeAnswer answer, Tally& tally) {
    switch (answer) {
      case NodeAnswer::kYes:
        ++tally.yes;
        break;
      case NodeAnswer::kNo:
        ++tally.no;
        break;
      case NodeAnswer::kFailed:
        ++tally.failed;
        break;
      case NodeAnswer::kUnknown:
        ++tally.unknown;
        break;
    }
  }

  Env& env_;
  std::vector<std::unique_ptr<Connection>> nodes_;
  Owners owners_;
  Duration node_timeout_;
  bool at_once_;
  bool by_wall_;
  bool checks_validity_;
};

}  // namespace

LockEntry RedlockLock() {
  using Kind = OptionSpec::Kind;
  return {.name = "redlock",
          .summary = "SET NX PX on a majority of N independent nodes, within the validity time",
          .least_nodes = 2,
          .most_nodes = 15,
          .options = {{.name = "ask",
                       .kind = Kind::kChoice,
                       .fallback = "in-turn",
                       .help = "ask the nodes one after the other, or all at once",
                       .choices = {"in-turn", "at-once"}},
                      {.name = "clock",
                       .kind = Kind::kChoice,
                       .fallback = "monotonic",
                       .help = "the clock that measures the time of an acquire",
                       .choices = {"monotonic", "wall"}},
                      {.name = "node-timeout",
                       .kind = Kind::kDuration,
                       .fallback = "0.06 lease",
                       .help = "time in which each node must answer"},
                      {.name = "restart-delay",
                       .kind = Kind::kDuration,
                       .fallback = "0s",
                       .help = "how long an operator keeps a crashed node out (K26)"},
                      {.name = "no-validity-check",
                       .kind = Kind::kFlag,
                       .fallback = "false",
                       .help = "accept a majority, however long it took (K27)"}},
          .sends = Sends{{"SET EVALSHA EVAL", "{}"}},
          .make = MakeLock<Redlock>,
          .traits = {Trait::kMajority}};
}

}  // namespace doublehold
