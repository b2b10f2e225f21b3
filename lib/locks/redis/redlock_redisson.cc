// redlock-redisson: Redisson's RedissonRedLock, which acquires an RLock on each of N independent
// nodes in turn. Each node has node-timeout to reply. The waiting time for all nodes is N times
// node-timeout. Granted when at most a minority failed and the waiting time is not over. A release
// is sent to every node. A watchdog renews the lock on every node, unless the lease is explicit.
//
// Claims:  one owner at a time, even when a minority of the nodes is lost.
// Assumes: the same as redlock, although there is no allowance for drift and no validity check.
//          Only the limited waiting time prevents a grant whose lease has already ended. With an
//          explicit lease, Redisson acquires the locks for twice the waiting time, and sets the
//          lease afterwards. Here the locks are acquired for the lease.
// Attack:  the same as redlock (K24, K25, K26). Nested entries: an inner release removes an entry
//          on every node, even on a node where the inner acquire added none.
// Source:  Redisson 3.23.5, RedissonRedLock and RedissonMultiLock: 1.5 s for each node, with a
//          lease of 30 s. Redisson has deprecated RedissonRedLock.

#include <algorithm>
#include <array>

#include "lib/clients/redis.h"
#include "lib/locks/redis/key_operations.h"
#include "lib/locks/redis/redisson_family.h"

namespace doublehold {
namespace {

NodeAnswer Finish(Connection& node, const auto& is_yes) {
  const CallResult result = node.Finish();
  if (!result) return FailureOf(result.error());
  return is_yes(*result) ? NodeAnswer::kYes : NodeAnswer::kNo;
}
bool IsNil(const Reply& reply) { return reply.IsNil(); }
bool IsNoNil(const Reply& reply) { return !reply.IsNil(); }
bool IsOne(const Reply& reply) { return reply.IsInteger(1); }

bool IsMajority(size_t count, size_t nodes) { return count > nodes / 2; }

ExtendResult RenewAll(Env& env, Nodes nodes, const Grant& grant, Lease lease, Deadline deadline) {
  const MonoTime valid_until = env.Mono() + lease;
  const std::string lease_ms = std::to_string(ToMs(lease));
  const std::array<std::string_view, 1> keys{grant.key.name};
  const std::array<std::string_view, 2> args{lease_ms, grant.owner};
  for (const auto& node : nodes) node->StartScript(RedissonRenew(), keys, args, deadline);
  size_t yes = 0;
  size_t no = 0;
  for (const auto& node : nodes) {
    const NodeAnswer answer = Finish(*node, IsOne);
    if (answer == NodeAnswer::kYes) ++yes;
    if (answer == NodeAnswer::kNo) ++no;
  }
  if (IsMajority(yes, nodes.size())) return Extended{valid_until};
  if (IsMajority(no, nodes.size())) return Lost{};
  return Undecided{};
}

class RedlockRedisson final : public Lock {
 public:
  explicit RedlockRedisson(const LockContext& context)
      : env_(context.env),
        owners_(context.seed, context.client, context.thread),
        owner_(RedissonOwner(owners_, context.thread)),
        lease_(context.lease),
        node_timeout_(context.options.Span("node-timeout")) {
    for (int i = 1; i <= context.nodes; ++i) nodes_.push_back(context.redis().Connect(NodeId{i}));
    if (context.options.Flag("explicit-lease")) return;
    watchdog_ = std::make_unique<Watchdog>(
        env_, OverOwnConnections(RenewAll, context.nodes),
        Watchdog::Care{.lease = lease_, .once = context.options.Flag("renew-once")});
  }

  AcquireResult TryAcquire(const LockKey& key, Lease lease, Deadline /*deadline*/) override {
    Grant grant{.key = key, .owner = owner_, .hold = owners_.NextHold()};
    const MonoTime begun = env_.Mono();
    const MonoTime out_of_time = begun + node_timeout_ * static_cast<int64_t>(nodes_.size());
    grant.valid_until = begun + lease;
    std::vector<NodeAnswer> answers;
    while (answers.size() < nodes_.size()) {
      answers.push_back(AskOne(*nodes_[answers.size()], grant, lease, out_of_time));
      const auto yes = static_cast<size_t>(std::ranges::count(answers, NodeAnswer::kYes));
      // If a failure follows a bare majority, the remaining nodes are not asked.
      if (answers.back() != NodeAnswer::kYes && yes == nodes_.size() / 2 + 1) break;
      const bool hopeless = answers.size() - yes > MostFailures();
      if (hopeless || env_.Mono() >= out_of_time) {
        TakeBack(grant, answers);
        return Busy{};
      }
    }
    TakeBackUnsure(grant, answers);
    entered_.push_back(grant);
    if (watchdog_) watchdog_->Guard(grant);
    return Granted{std::move(grant)};
  }

  ExtendResult Extend(const Grant& grant, Lease lease, Deadline deadline) override {
    return RenewAll(env_, nodes_, grant, lease, deadline);
  }

  ReleaseResult Release(const Grant& grant, Deadline /*deadline*/) override {
    if (watchdog_) watchdog_->Leave(grant);
    std::erase_if(entered_, [&](const Grant& g) { return g.hold == grant.hold; });
    const Deadline deadline = env_.Mono() + node_timeout_;
    const Unlocking unlocking = UnlockingOf(grant, 0);
    for (const auto& node : nodes_) StartUnlock(*node, unlocking, deadline);
    size_t yes = 0;
    size_t no = 0;
    for (const auto& node : nodes_) {
      const NodeAnswer answer = Finish(*node, IsNoNil);
      if (answer == NodeAnswer::kYes) ++yes;
      if (answer == NodeAnswer::kNo) ++no;
    }
    if (IsMajority(yes, nodes_.size())) return ReleaseResult::kReleased;
    if (IsMajority(no, nodes_.size())) return ReleaseResult::kNotOwner;
    return ReleaseResult::kUnknown;
  }
  bool ExtendsByItself() const override { return watchdog_ != nullptr; }

 private:
  [[nodiscard]] size_t MostFailures() const { return (nodes_.size() - 1) / 2; }

  NodeAnswer AskOne(Connection& node, const Grant& grant, Lease lease, MonoTime out_of_time) {
    const std::string lease_ms = std::to_string(ToMs(lease));
    const std::array<std::string_view, 1> keys{grant.key.name};
    const std::array<std::string_view, 2> args{lease_ms, owner_};
    node.StartScript(RedissonAcquire(), keys, args,
                     std::min(env_.Mono() + node_timeout_, out_of_time));
    return Finish(node, IsNil);
  }

  // The arguments of an unlock; they must live until every node has answered.
  struct Unlocking {
    std::string key, channel, lease_ms, keep;
  };
  [[nodiscard]] Unlocking UnlockingOf(const Grant& grant, int64_t keep) const {
    return {.key = grant.key.name,
            .channel = RedissonChannel(grant.key),
            .lease_ms = std::to_string(ToMs(lease_)),
            .keep = std::to_string(keep)};
  }
  void StartUnlock(Connection& node, const Unlocking& unlocking, Deadline deadline) {
    const std::array<std::string_view, 2> keys{unlocking.key, unlocking.channel};
    const std::array<std::string_view, 4> args{kUnlockMessage, unlocking.lease_ms, owner_,
                                               unlocking.keep};
    node.StartScript(RedissonUnlock(), keys, args, deadline);
  }

  // Releases on nodes that granted, and on nodes that may have granted.
  void TakeBack(const Grant& grant, const std::vector<NodeAnswer>& answers) {
    TakeBackFrom(grant, answers, NodeAnswer::kYes, 0);
    TakeBackUnsure(grant, answers);
  }
  // A node of unknown outcome may have no new entry, so its outer entries must be kept.
  void TakeBackUnsure(const Grant& grant, const std::vector<NodeAnswer>& answers) {
    const int64_t outer = std::ranges::count_if(
        entered_, [&](const Grant& g) { return g.key.name == grant.key.name; });
    TakeBackFrom(grant, answers, NodeAnswer::kUnknown, outer);
  }
  void TakeBackFrom(const Grant& grant, const std::vector<NodeAnswer>& answers, NodeAnswer those,
                    int64_t keep) {
    const Deadline deadline = env_.Mono() + node_timeout_;
    const Unlocking unlocking = UnlockingOf(grant, keep);
    for (size_t i = 0; i < answers.size(); ++i) {
      if (answers[i] == those) StartUnlock(*nodes_[i], unlocking, deadline);
    }
    for (size_t i = 0; i < answers.size(); ++i) {
      if (answers[i] == those) (void)Finish(*nodes_[i], IsNoNil);
    }
  }

  Env& env_;
  std::vector<std::unique_ptr<Connection>> nodes_;
  Owners owners_;
  std::string owner_;
  Lease lease_;
  Duration node_timeout_;
  std::vector<Grant> entered_;          // granted and not yet released
  std::unique_ptr<Watchdog> watchdog_;  // null with an explicit lease
};

}  // namespace

LockEntry RedlockRedissonLock() {
  using Kind = OptionSpec::Kind;
  return {.name = "redlock-redisson",
          .summary = "Redisson's RedissonRedLock: an RLock on a majority of N independent nodes",
          .least_nodes = 2,
          .most_nodes = 15,
          .options = {{.name = "explicit-lease",
                       .kind = Kind::kFlag,
                       .fallback = "false",
                       .help = "use an explicit lease, as lock(lease): no watchdog"},
                      {.name = "node-timeout",
                       .kind = Kind::kDuration,
                       .fallback = "0.05 lease",
                       .help = "each node's share of the waiting time"},
                      {.name = "renew-once",
                       .kind = Kind::kFlag,
                       .fallback = "false",
                       .help = "never retry a failed renewal"}},
          .sends = Sends{{"EVALSHA EVAL", "{}"}},
          .make = MakeLock<RedlockRedisson>,
          .traits = {Trait::kReentry, Trait::kMajority},
          .source = {.lease = "30s"}};
}

}  // namespace doublehold
