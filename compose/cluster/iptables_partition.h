// Cuts links with iptables rules: the kernel drops packets that it forwards between the network
// namespaces. TCP retransmits dropped packets, so the data arrives once the link is mended, unless
// one end has timed out.
//
// Thread rule: runs on the supervisor's thread. Commit puts all changes of Cut and Mend into effect
// at once. Commit and the first Mend after a Commit wait some milliseconds for iptables.
#ifndef DOUBLEHOLD_COMPOSE_CLUSTER_IPTABLES_PARTITION_H_
#define DOUBLEHOLD_COMPOSE_CLUSTER_IPTABLES_PARTITION_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compose/cluster/namespaces.h"
#include "faults/link.h"
#include "lib/base/result.h"

namespace doublehold {

class PacketCuts {
 public:
  // Calls `failed` when a rule cannot be set. `network` must outlive this object.
  PacketCuts(Namespaces& network, std::function<void(const Error&)> failed)
      : network_(network), failed_(std::move(failed)) {}

  // `port` is the proxy's port to which clients of the link connect.
  void AddLink(LinkId link, uint16_t port) { ports_[link] = port; }
  [[nodiscard]] const std::map<LinkId, uint16_t>& links() const { return ports_; }

  // Whether the kernel can carry out the rule: the rule must drop everything on the link until the
  // fault is healed.
  [[nodiscard]] static bool IsCut(const LinkRule& rule);
  // Requires that the link was added, or that it joins two servers directly (`peer` is a server).
  RuleId Cut(LinkId link, Direction direction);
  // Whether this class made the rule.
  [[nodiscard]] bool Has(RuleId rule) const { return rules_.contains(rule); }
  // Removes the rule and returns the number of packets that it dropped.
  RuleReport Mend(RuleId rule);
  void Commit();

 private:
  struct Rule {
    std::string text;  // the arguments of iptables after -A or -D
    bool in_place = false;
  };

  [[nodiscard]] std::string PacketsOf(LinkId link, Direction direction) const;
  int64_t LostTo(RuleId rule);

  Namespaces& network_;
  std::function<void(const Error&)> failed_;
  std::map<LinkId, uint16_t> ports_;
  std::map<RuleId, Rule> rules_;
  std::vector<std::string> pending_;   // input lines for iptables-restore
  std::optional<std::string> counts_;  // output of iptables-save since the last Commit
  RuleId last_rule_ = 0;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_IPTABLES_PARTITION_H_
