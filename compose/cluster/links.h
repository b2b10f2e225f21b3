// The links of a run: ports of the proxy that lead to servers, in whatever network these are.
#ifndef DOUBLEHOLD_COMPOSE_CLUSTER_LINKS_H_
#define DOUBLEHOLD_COMPOSE_CLUSTER_LINKS_H_

#include <functional>
#include <string>
#include <utility>

#include "compose/cluster/iptables_partition.h"
#include "compose/cluster/namespaces.h"
#include "faults/process_ref.h"
#include "faults/proxy/proxy.h"
#include "lib/base/address.h"
#include "lib/base/result.h"

namespace doublehold {

// The address on which the proxy listens.
inline std::string ProxyHost(const Namespaces* network) {
  return network == nullptr ? "127.0.0.1" : network->own_address();
}

// The network namespace and address of a process. With an empty `host` it has none of its own.
struct OwnNetwork {
  int fd = -1;
  std::string host;
};

class Links {
 public:
  // `network`: the processes' network; null: the machine's own. `cuts` gets the links; null if
  // `network` is null. All must outlive this object.
  Links(Proxy& proxy, Namespaces* network, PacketCuts* cuts)
      : proxy_(proxy), network_(network), cuts_(cuts) {}

  // Adds a link, and returns the port of the proxy that leads to `to`, a server of this protocol.
  Result<uint16_t> Add(LinkId link, const NodeAddress& to, Protocol protocol,
                       const Greeting& greeting = {});
  // Leads new connections of a link elsewhere. Does nothing if the link was not added yet.
  void Redirect(LinkId link, const NodeAddress& to);
  void Reset(LinkId link) { proxy_.ResetConnections(link); }
  // Leads a link to a server that took over without a fault of the run: resets the connections, and
  // calls the function of OnTakeover.
  void FollowTakeover(LinkId link, const NodeAddress& to);
  void OnTakeover(std::function<void(int node)> tell) { tell_of_takeover_ = std::move(tell); }
  // Sets a rule that is no fault of the plan. Clear removes it, and returns what it did.
  RuleId Guard(LinkId link, LinkRule rule) { return proxy_.SetLink(link, std::move(rule)); }
  RuleReport Clear(RuleId rule) { return proxy_.ClearLink(rule); }

  // The host of the ports that Add returns.
  [[nodiscard]] std::string host() const { return ProxyHost(network_); }
  [[nodiscard]] OwnNetwork NetworkOf(ProcessRef ref) const;
  // The host on which a server that uses TCP listens.
  [[nodiscard]] std::string HostOf(int node) const;
  [[nodiscard]] bool has_network() const { return network_ != nullptr; }

 private:
  Proxy& proxy_;
  Namespaces* network_;
  PacketCuts* cuts_;
  std::function<void(int node)> tell_of_takeover_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_LINKS_H_
