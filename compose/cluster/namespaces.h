// The network of a run with `net = "namespaces"`. The proxy and every process that uses it have
// their own network namespace. A veth pair joins each of these namespaces to one more namespace,
// which only routes. Packets can be dropped in the routing namespace
// (compose/cluster/iptables_partition.h).
//
//     client 1 --veth-- [ the network: routes ] --veth-- the supervisor, with the proxy
//     node 1   --veth-- [                     ]
//
// The namespaces have no names. Only descriptors of this process, and the processes started in
// them, keep them alive. So nothing is visible outside, two runs cannot disturb each other, and the
// kernel removes everything however this process ends.
//
// Thread rule: moves the creating thread to the proxy's namespace; the destructor moves it back.
// Create this object while the process has only one thread.
#ifndef DOUBLEHOLD_COMPOSE_CLUSTER_NAMESPACES_H_
#define DOUBLEHOLD_COMPOSE_CLUSTER_NAMESPACES_H_

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "faults/process_ref.h"
#include "lib/base/result.h"
#include "lib/base/time.h"
#include "lib/os/run_tool.h"
#include "lib/plan/plan.h"

namespace doublehold {

class Namespaces {
 public:
  // Creates a namespace for each member. If the machine cannot create namespaces, returns an error
  // that names the reason. `delay` is added to each packet from or to a client.
  static Result<std::unique_ptr<Namespaces>> Create(const std::vector<ProcessRef>& members,
                                                    Duration delay = {});
  // Makes a namespace for each process that uses the network. The referee and direct clients use
  // unix sockets, so they get none. Returns null if the plan does not use namespaces.
  static Result<std::unique_ptr<Namespaces>> CreateFor(const Plan& plan);
  ~Namespaces();
  Namespaces(const Namespaces&) = delete;
  Namespaces& operator=(const Namespaces&) = delete;

  // Returns a descriptor for SpawnRequest::network. Requires that `member` has a namespace.
  [[nodiscard]] int Of(ProcessRef member) const { return places_.at(member).fd; }
  [[nodiscard]] const std::string& AddressOf(ProcessRef member) const {
    return places_.at(member).address;
  }
  // The address of this process, on which the proxy listens.
  [[nodiscard]] const std::string& own_address() const { return own_.address; }

  // Runs a tool in the routing namespace.
  Result<std::string> RunInNetwork(const std::vector<std::string>& argv, std::string_view input);

 private:
  struct Place {
    int fd = -1;
    std::string address;
    std::string device;  // the other end of the veth pair, in the routing namespace
  };

  explicit Namespaces(Duration delay) : delay_(delay) {}
  Result<void> Build(const std::vector<ProcessRef>& members);
  Result<Place> Join(int number);

  Result<void> DelayPackets();

  Duration delay_;
  int home_ = -1;
  int network_ = -1;
  std::string routes_;  // commands for `ip` in the routing namespace, one a line
  Place own_;
  std::map<ProcessRef, Place> places_;
};

// Tries whether this machine supports `net = "namespaces"`. The error names the reason on one line.
Result<void> TryNamespaces();
// Tries whether this machine can delay packets.
Result<void> TryNetem();
// Tries whether this machine supports the plan's network.
Result<void> CheckMachine(const Plan& plan);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_NAMESPACES_H_
