// One Redis server that the run did not start, as its operator sees it: past the gate.
#ifndef DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_EXTERNAL_SERVER_H_
#define DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_EXTERNAL_SERVER_H_

#include <memory>
#include <string>
#include <vector>

#include "compose/cluster/redis/server_state.h"
#include "compose/plan/endpoint.h"
#include "lib/base/address.h"
#include "lib/base/result.h"
#include "lib/clients/redis.h"
#include "lib/plan/plan.h"

namespace doublehold {

// Every method waits for the server, for at most 5 s for each command.
class ExternalServer {
 public:
  ExternalServer(int node, Endpoint endpoint) : node_(node), endpoint_(std::move(endpoint)) {}

  // "node 1 (10.0.0.5:6379)"
  [[nodiscard]] std::string Name() const;
  [[nodiscard]] const Endpoint& endpoint() const { return endpoint_; }
  [[nodiscard]] const NodeAddress& address() const { return address_; }

  // Connects and logs in. Call it again to reconnect, or to connect to a new primary.
  Result<void> Open(const NodeAddress& address);
  Result<ServerState> Examine();

  // Makes sure that nobody else uses keys with the run's names, and that the server can be written.
  // Deletes such keys if the plan owns the servers, and refuses them otherwise.
  Result<void> TakeOver(const Plan& plan);
  // Whether TakeOver has changed anything on the server.
  [[nodiscard]] bool is_taken() const { return !claim_.empty(); }
  // The command that claims the server for the run. A restarted server has lost the claim.
  [[nodiscard]] const std::vector<std::string>& claim() const { return claim_; }
  // Removes the keys with the run's names, unless another run has claimed the server meanwhile.
  Result<void> Leave(const Plan& plan);

 private:
  Result<Reply> Ask(std::vector<std::string> command);
  // Says what may be wrong if a server has never answered, or has refused the password.
  [[nodiscard]] std::string Hint(const std::string& why) const;
  Result<std::vector<std::string>> OwnKeys(const Plan& plan);
  Result<void> Remove(const std::vector<std::string>& keys);

  int node_;
  Endpoint endpoint_;
  NodeAddress address_{};
  std::unique_ptr<Connection> connection_{};
  std::vector<std::string> claim_{};
  bool has_answered_ = false;
  bool keeps_keys_ = false;  // the keys with the run's names belong to others
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_EXTERNAL_SERVER_H_
