// Mutants of redlock, which asks its nodes in turn.

#include <array>
#include <utility>

#include "lib/clients/redis.h"
#include "lib/locks/owners.h"
#include "lib/locks/redis/key_operations.h"
#include "lib/testing/mutants/mutants.h"

namespace doublehold {
namespace {

struct RedlockMistake {
  bool needs_less = false;        // half of the nodes, rounded down, are a majority
  bool forgets_time = false;      // the validity is a full lease that begins at the grant
  bool leaves_minority = false;   // grants below a majority are not released
  bool releases_anybody = false;  // sends DEL to each node without comparing the owner
  bool counts_failures = false;   // a node that did not answer counts as a grant
};

template <RedlockMistake mistake>
class RedlockMutant final : public Lock {
 public:
  explicit RedlockMutant(const LockContext& context)
      : env_(context.env),
        owners_(context.seed, context.client, context.thread),
        node_timeout_(context.options.Span("node-timeout")) {
    for (int i = 1; i <= context.nodes; ++i) nodes_.push_back(context.redis().Connect(NodeId{i}));
  }

  AcquireResult TryAcquire(const LockKey& key, Lease lease, Deadline /*deadline*/) override {
    Grant grant{.key = key, .hold = owners_.NextHold()};
    grant.owner = owners_.TextOf(grant.hold);
    const MonoTime begun = env_.Mono();
    size_t yes = 0;
    for (const auto& node : nodes_) {
      StartSetNxPx(*node, key.name, grant.owner, lease, env_.Mono() + node_timeout_);
      const NodeAnswer answer = FinishSetNxPx(*node);
      const bool is_silent = answer == NodeAnswer::kUnknown || answer == NodeAnswer::kFailed;
      if (answer == NodeAnswer::kYes || (mistake.counts_failures && is_silent)) ++yes;
    }
    const MonoTime counted_from = mistake.forgets_time ? env_.Mono() : begun;
    grant.valid_until = counted_from + lease - (lease / 100 + 2ms);
    if (yes >= nodes_.size() / 2 + (mistake.needs_less ? 0 : 1) && env_.Mono() < grant.valid_until)
      return Granted{std::move(grant)};
    if (!mistake.leaves_minority) ReleaseAll(grant);
    return Busy{};
  }

  ExtendResult Extend(const Grant& /*grant*/, Lease /*lease*/, Deadline /*deadline*/) override {
    return Undecided{};
  }

  ReleaseResult Release(const Grant& grant, Deadline /*deadline*/) override {
    return ReleaseAll(grant) > nodes_.size() / 2 ? ReleaseResult::kReleased
                                                 : ReleaseResult::kUnknown;
  }

 private:
  size_t ReleaseAll(const Grant& grant) {
    size_t yes = 0;
    for (const auto& node : nodes_) {
      const Deadline deadline = env_.Mono() + node_timeout_;
      if constexpr (mistake.releases_anybody) {
        if (DeleteWhateverIsThere(*node, grant.key.name, deadline) == ReleaseResult::kFreed) ++yes;
      } else {
        if (ReleaseIfOwned(*node, grant, deadline) == ReleaseResult::kReleased) ++yes;
      }
    }
    return yes;
  }

  Env& env_;
  std::vector<std::unique_ptr<Connection>> nodes_;
  Owners owners_;
  Duration node_timeout_;
};

}  // namespace

std::span<const LockMutant> MutantsOfRedlock() {
  static const std::array<LockMutant, 5> mutants{{
      {"quorum-of-one-less", "redlock", MakeLock<RedlockMutant<{.needs_less = true}>>},
      {"time-forgotten", "redlock", MakeLock<RedlockMutant<{.forgets_time = true}>>},
      {"minority-left", "redlock", MakeLock<RedlockMutant<{.leaves_minority = true}>>},
      {"anybody-released", "redlock", MakeLock<RedlockMutant<{.releases_anybody = true}>>},
      {"silence-counted", "redlock", MakeLock<RedlockMutant<{.counts_failures = true}>>},
  }};
  return mutants;
}

}  // namespace doublehold
