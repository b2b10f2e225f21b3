// Brings the servers of a topology with replicas together, and makes another one the master: by
// hand, through sentinels, or in a Redis Cluster. Servers are asked over their unix sockets; they
// reach each other through the proxy.
//
// Thread rule: the supervisor's, with its event loop running: what servers send each other passes
// through it.
#ifndef DOUBLEHOLD_COMPOSE_CLUSTER_REPLICATION_H_
#define DOUBLEHOLD_COMPOSE_CLUSTER_REPLICATION_H_

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "compose/cluster/launcher.h"
#include "compose/cluster/redis/node_restarter.h"
#include "faults/cluster.h"
#include "faults/proxy/proxy.h"
#include "lib/base/result.h"
#include "lib/plan/plan.h"

namespace doublehold {

class Replication {
 public:
  struct Parts {
    boost::asio::io_context& io;
    const Plan& plan;
    Launcher& launcher;
    Proxy& proxy;
  };

  explicit Replication(const Parts& parts) : parts_(parts) {}
  virtual ~Replication() = default;
  Replication(const Replication&) = delete;
  Replication& operator=(const Replication&) = delete;

  // Tells the servers, which answer already, who follows whom.
  virtual Result<void> Begin() = 0;
  // Called every few milliseconds until it answers an empty string; else what is still waited for.
  virtual std::string WhatIsMissing() = 0;
  // By what the node says of itself.
  [[nodiscard]] bool IsMasterAlready(int node) const;
  // As Cluster::Promote, of one that is not.
  virtual void Promote(int node, Promotion how, std::function<void(bool)> done) = 0;
  // When a server that was restarted is one of them again.
  virtual Rejoining AfterRestart() { return {}; }

 protected:
  // Calls `met` every few milliseconds until it answers true, or patience is over; then `done` with
  // which it was.
  void Await(std::function<bool()> met, std::function<void(bool)> done);
  // Whether what a master writes reaches its replica. One that has loaded all calls itself
  // connected, but its master may keep back what is written then until the replica's next word, up
  // to a second: a lock that was granted in that second would be lost with the master though no
  // fault cut anything. So `command`, which changes nothing, is sent along once.
  bool Flows(int master, int replica, std::initializer_list<std::string_view> command);

  Parts parts_;

 private:
  std::map<int, int64_t> sent_;  // of each master, its offset after that command
};

// How nodes are started again where there are replicas, and where `replication` is null.
Revival::Hooks Revived(Revival::Hooks hooks, Replication* replication);

// Null for a topology without replicas.
std::unique_ptr<Replication> MakeReplication(const Replication::Parts& parts);
// Of its own file each.
std::unique_ptr<Replication> MakeHandLed(const Replication::Parts& parts);
std::unique_ptr<Replication> MakeWatched(const Replication::Parts& parts);
std::unique_ptr<Replication> MakeRedisCluster(const Replication::Parts& parts);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_REPLICATION_H_
