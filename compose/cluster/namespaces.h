// A network of a run's own (`net = "namespaces"`): the proxy and every process that talks to others
// through it have a network namespace each, joined by a veth pair to one more, which is nothing but
// the network between them. It routes, and there packets can be lost
// (compose/cluster/iptables_partition.h).
//
//     client 1 --veth-- [ the network: routes ] --veth-- the supervisor, with the proxy
//     node 1   --veth-- [                     ]
//
// None of them has a name or a process that waits in it: they are held by descriptors of this
// process alone, and by the processes that were started in them. Nothing of it shows outside, two
// runs cannot meet, and however this process ends, the kernel takes all of it away.
//
// Thread rule: the thread that creates it lives in the proxy's namespace until this goes; then it
// is back where it came from. Create it while the process has one thread.
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
  // An error when the machine does not let us: it says what is missing.
  // `delay` is of each packet from or to a client.
  static Result<std::unique_ptr<Namespaces>> Create(const std::vector<ProcessRef>& members,
                                                    Duration delay = {});
  // Of all who talk through the network: not the referee, nor who asks servers past it; those use
  // unix sockets. Null where the plan asks for no namespaces.
  static Result<std::unique_ptr<Namespaces>> CreateFor(const Plan& plan);
  ~Namespaces();
  Namespaces(const Namespaces&) = delete;
  Namespaces& operator=(const Namespaces&) = delete;

  // For SpawnRequest::network. The member must be one.
  [[nodiscard]] int Of(ProcessRef member) const { return places_.at(member).fd; }
  [[nodiscard]] const std::string& AddressOf(ProcessRef member) const {
    return places_.at(member).address;
  }
  // Of this process, where the proxy is to listen.
  [[nodiscard]] const std::string& own_address() const { return own_.address; }

  // Runs a tool in the network in between.
  Result<std::string> RunInNetwork(const std::vector<std::string>& argv, std::string_view input);

 private:
  struct Place {
    int fd = -1;
    std::string address;
    std::string device;  // of the network, where the other end of its veth pair is
  };

  explicit Namespaces(Duration delay) : delay_(delay) {}
  Result<void> Build(const std::vector<ProcessRef>& members);
  Result<Place> Join(int number);

  Result<void> DelayPackets();

  Duration delay_;
  int home_ = -1;
  int network_ = -1;
  std::string routes_;  // what is still to be told the network, a line each
  Place own_;
  std::map<ProcessRef, Place> places_;
};

// What a run with `net = "namespaces"` needs of the machine, tried out. An error says in a line
// what is missing.
Result<void> TryNamespaces();
// The same of packets that are late.
Result<void> TryNetem();
// Of what the plan needs.
Result<void> CheckMachine(const Plan& plan);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_NAMESPACES_H_
