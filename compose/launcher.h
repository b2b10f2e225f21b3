// Starts the servers and clients of a run: what each is called, where it listens, what it is handed.
//
// Thread rule: the supervisor's. Nothing here waits.
#ifndef DOUBLEHOLD_COMPOSE_LAUNCHER_H_
#define DOUBLEHOLD_COMPOSE_LAUNCHER_H_

#include <filesystem>
#include <vector>

#include "compose/children.h"
#include "compose/real_cluster.h"
#include "compose/server.h"
#include "faults/proxy/proxy.h"
#include "lib/history/shared_run.h"
#include "lib/plan/plan.h"
#include "lib/redis/address.h"

namespace doublehold {

// Clock pages: one for the store and each node, the referee and each client, in this order.
inline int ClockPagesOf(const Plan& plan) { return plan.nodes + 1 + plan.clients + 1; }

class Launcher {
 public:
  struct Places {
    const Plan& plan;
    std::filesystem::path folder;   // of the run: plan.json, logs
    std::filesystem::path sockets;  // of the servers
    ServerProgram server;
  };

  // All of them outlive it.
  Launcher(Places places, SharedRun& shared, RealCluster& cluster, Proxy& proxy, Children& children)
      : places_(std::move(places)),
        shared_(shared),
        cluster_(cluster),
        proxy_(proxy),
        children_(children) {}

  // The store and the nodes; they do not answer yet.
  Result<void> StartServers();
  // A client, or the referee (0). Answers our end of its step channel, which the caller closes.
  Result<int> StartClient(int number);

  [[nodiscard]] std::filesystem::path SocketOf(int node) const;

 private:
  [[nodiscard]] int ClockPageOf(ProcessRef ref) const;
  Result<std::vector<NodeAddress>> AddressesOf(int client);

  Places places_;
  SharedRun& shared_;
  RealCluster& cluster_;
  Proxy& proxy_;
  Children& children_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_LAUNCHER_H_
