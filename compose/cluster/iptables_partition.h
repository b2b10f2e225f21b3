// Links that are cut where packets travel: what the kernel is told to lose on its way through the
// network between the namespaces. TCP sends it again and again, and gets it through when the link
// is mended, unless somebody has given up.
//
// Thread rule: the supervisor's. What Cut and Mend ask for is in place after Commit, all of it at
// once. Commit, and the first Mend after it, wait for iptables: some milliseconds.
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
  // `failed` is told when a rule could not be set. `network` outlives it.
  PacketCuts(Namespaces& network, std::function<void(const Error&)> failed)
      : network_(network), failed_(std::move(failed)) {}

  // Who uses the link connects to this port of the proxy.
  void AddLink(LinkId link, uint16_t port) { ports_[link] = port; }
  [[nodiscard]] const std::map<LinkId, uint16_t>& links() const { return ports_; }

  // True when it is for the kernel: everything on the link is lost, until it is healed.
  [[nodiscard]] static bool IsCut(const LinkRule& rule);
  RuleId Cut(LinkId link, Direction direction);
  // Of a rule of this class.
  [[nodiscard]] bool Has(RuleId rule) const { return rules_.contains(rule); }
  // Answers how many packets were lost.
  RuleReport Mend(RuleId rule);
  void Commit();

 private:
  struct Rule {
    std::string text;  // of iptables, after -A or -D
    bool in_place = false;
  };

  int64_t LostTo(RuleId rule);

  Namespaces& network_;
  std::function<void(const Error&)> failed_;
  std::map<LinkId, uint16_t> ports_;
  std::map<RuleId, Rule> rules_;
  std::vector<std::string> pending_;   // lines of iptables-restore
  std::optional<std::string> counts_;  // as iptables-save printed them since the last Commit
  RuleId last_rule_ = 0;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_IPTABLES_PARTITION_H_
