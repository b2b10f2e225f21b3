// Forms a topology with replicas, and makes another server the master: by hand, through sentinels,
// or in a Redis Cluster. Sends commands to servers over their unix sockets. Servers reach each
// other through the proxy.
//
// Thread rule: runs on the supervisor's thread, whose event loop must run: the servers' traffic
// passes it.
#ifndef DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_REPLICATION_H_
#define DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_REPLICATION_H_

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "compose/cluster/node_restarter.h"
#include "faults/cluster.h"
#include "lib/base/result.h"
#include "lib/plan/plan.h"
#include "lib/plan/topology.h"

namespace doublehold {

class RedisServers;

class Replication {
 public:
  struct Parts {
    boost::asio::io_context& io;
    const Plan& plan;
    RedisServers& servers;
  };

  explicit Replication(const Parts& parts) : parts_(parts) {}
  virtual ~Replication() = default;
  Replication(const Replication&) = delete;
  Replication& operator=(const Replication&) = delete;

  // Configures which master each server follows. Requires that the servers answer.
  virtual Result<void> Begin() = 0;
  // Describes a part of the topology that is not formed yet. Returns an empty text when the
  // topology is complete. The caller polls until then.
  virtual std::string FindMissing() = 0;
  // Whether the node reports the role of a master.
  [[nodiscard]] bool IsMasterAlready(int node) const;
  // See Cluster::Promote. Requires that the node is not the master.
  virtual void Promote(int node, Promotion how, std::function<void(bool)> done) = 0;
  // Returns the condition under which a restarted server is part of the topology again.
  virtual Rejoining AfterRestart(int /*node*/) { return {}; }

 protected:
  // Polls `met` every few milliseconds until it returns true or a timeout expires. Then calls
  // `done` with whether `met` returned true.
  void Await(std::function<bool()> met, std::function<void(bool)> done);
  // Whether writes of a master reach its replica. A replica that has loaded all data reports that
  // it is connected. But its master may hold back new writes for up to a second, until the
  // replica's next acknowledgement. A lock granted in that second would be lost with the master,
  // although no fault cut the link. So the first call sends `command`, which changes nothing, to
  // the master. Each call checks whether the replica has received it.
  bool Flows(int master, int replica, std::initializer_list<std::string_view> command);

  [[nodiscard]] std::filesystem::path SocketOf(int server) const;
  [[nodiscard]] int Servers() const { return ServersOf(parts_.plan); }
  // FindMissing for a topology with one primary, node 1.
  std::string FindMissingAtReplicas();

  Parts parts_;

 private:
  std::map<int, int64_t> sent_;  // each master's replication offset after `command`
};

// Returns null for a topology without replicas.
std::unique_ptr<Replication> MakeReplication(const Replication::Parts& parts);
// Each of these functions is in a file of its own.
std::unique_ptr<Replication> MakeManualFailover(const Replication::Parts& parts);
std::unique_ptr<Replication> MakeSentinelFailover(const Replication::Parts& parts);
std::unique_ptr<Replication> MakeRedisCluster(const Replication::Parts& parts);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_REPLICATION_H_
