// promote: makes a replica the master and redirects the clients to it. Ends when the promotion has
// succeeded. Otherwise the fault did not act.
//   how = "by-hand"  at once, as after a crash (REPLICAOF NO ONE, CLUSTER FAILOVER TAKEOVER):
//                    writes that the replica has not received are lost
//   how = "planned"  in a cluster (CLUSTER FAILOVER) and by hand, once the replica has all writes
//                    of the old master; under sentinels (SENTINEL FAILOVER) without this wait
//   how = "awaited"  by the sentinels' or the cluster's vote; the fault lasts as long as the vote
// Sentinels promote the named node (replica-priority). A cluster may elect any of several replicas.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "faults/targets.h"
#include "lib/base/words.h"
#include "lib/plan/topology.h"

namespace doublehold {
namespace {

constexpr std::array<std::string_view, 3> kPromotionNames{"by-hand", "planned", "awaited"};

std::optional<Promotion> ParsePromotion(const FaultPlan& plan) {
  if (plan.how.empty()) return Promotion::kByHand;
  const auto* found = std::ranges::find(kPromotionNames, plan.how);
  if (found == kPromotionNames.end()) return std::nullopt;
  return static_cast<Promotion>(found - kPromotionNames.begin());
}

Result<void> ValidatePromote(const FaultPlan& plan) {
  if (plan.nodes.size() != 1 || plan.nodes.front() == kStoreNode)
    return BadFault(plan, "needs the one node that becomes the master (nodes)", "nodes");
  if (!ParsePromotion(plan))
    return BadFault(
        plan, UnknownWord("promotion", plan.how, {kPromotionNames.begin(), kPromotionNames.end()}),
        "how");
  if (plan.times > 1)
    return BadFault(plan, "a node is promoted only once: remove 'times'", "times");
  return {};
}

Healer StartPromote(Cluster& cluster, const FaultStart& start, Prng&) {
  // Shared with the callback, which may run after the healer is destroyed.
  auto took = std::make_shared<int64_t>(0);
  cluster.Promote(start.plan.nodes.front(), ParsePromotion(start.plan).value_or(Promotion::kByHand),
                  [&cluster, took, began = cluster.Now(),
                   on_limit_reached = start.on_limit_reached](bool done) {
                    if (done) *took = AtLeastActed(cluster.Now() - began);
                    if (on_limit_reached) on_limit_reached();
                  });
  return Healer([took] { return *took; });
}

}  // namespace

FaultEntry PromoteFault() {
  return {.name = "promote",
          .summary = "promotes a replica to master: by hand, as planned, or by a vote",
          .traits = {FaultTrait::kLosesData, FaultTrait::kTakesOver},
          .keys = {"nodes", "how"},
          .needs_network = true,
          .needs_replicas = true,
          .validate = ValidatePromote,
          .start = StartPromote,
          .asked_ns = [](const FaultPlan&) { return int64_t{0}; },
          .keeps_data =
              [](const Plan& plan, const FaultPlan& fault) {
                return ParsePromotion(fault) == Promotion::kPlanned &&
                       FindTopology(plan.topology)->lead != Lead::kSentinel;
              },
          .is_final = true,
          .trial = {{"topology.name", "replicated"}, {"fault.0.nodes", "2"}},
          .what =
              [](const FaultPlan& plan) {
                const std::string how =
                    plan.how.empty() || plan.how == "by-hand" ? "by hand" : plan.how;
                return NameNodes(plan) + " made the master (" + how + ")";
              }};
}

}  // namespace doublehold
