// Redis servers that somebody else has started: topology `external`. The run never starts, stops or
// flushes them. It removes its own keys at its end; and before it begins, with Plan::owns_servers.
//
// Clients, drivers and the referee reach such a server through one link of the proxy, its gate. It
// sends AUTH and SELECT for them, and stops the commands in kForbidden. The run's own questions
// before and after bypass the gate.
#ifndef DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_EXTERNAL_SERVERS_H_
#define DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_EXTERNAL_SERVERS_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compose/cluster/redis/primary_watch.h"
#include "compose/cluster/redis/server_state.h"
#include "compose/cluster/service.h"
#include "compose/plan/endpoint.h"
#include "lib/clients/redis.h"

namespace doublehold {

class ExternalServers final : public Service {
 public:
  explicit ExternalServers(Parts parts) : Service(std::move(parts)) {}

  // Refuses a server that cannot be used, or that has keys with the names of the run's own, unless
  // the plan owns the servers.
  Result<void> Prepare() override;
  [[nodiscard]] bool StartsServers() const override { return false; }
  [[nodiscard]] Containers* InContainers() override { return containers_.get(); }
  Result<SpawnRequest> CommandOf(int node) override;
  [[nodiscard]] NodeAddress AddressOf(int node) const override;
  [[nodiscard]] Question Ping() const override;
  [[nodiscard]] std::optional<Question> AskTime(TellTime tell) const override;
  void Operate(int node, const std::vector<std::string>& command, Duration timeout,
               std::function<void(CallResult)> answer) override;
  Rejoining AfterRestart(int /*node*/) override { return {}; }
  void ForgetData(int /*node*/) override {}
  [[nodiscard]] std::string Version() const override;
  // Removes the run's keys. Returns an error if a server was restarted, lost keys or had its clock
  // moved, or if a command was stopped at the gate.
  Result<void> Finish() override;

 private:
  struct Server {
    Endpoint endpoint;
    NodeAddress address;  // of the server, or of the program that encrypts
    std::unique_ptr<Connection> operators;
    // The server before the run, and all that may replace it as the primary, by process.
    std::map<std::string, ServerState> begun{};
    std::string version{};
    std::unique_ptr<PrimaryWatch> primary{};  // null: the endpoint is no sentinel
    bool has_moved = false;                   // another server became the primary
    uint16_t gate = 0;                        // port of the gate
    std::vector<RuleId> guards;
    std::string stopped{};    // a command that a guard has stopped
    std::string marker{};     // value of kMarker while the run uses the server
    bool keeps_keys = false;  // the keys with the run's names are not its own
  };

  [[nodiscard]] std::string NameOf(int node) const;
  Result<void> Open(int node, Server& server);
  Result<Reply> Ask(int node, std::vector<std::string> command);
  Result<void> FindServer(int node, Server& server);
  Result<NodeAddress> AskForPrimary(int node);
  Result<void> ExamineReplicas(int node);
  void Follow(int node, const NodeAddress& primary);
  Result<ServerState> Examine(int node);
  Result<std::vector<std::string>> OwnKeys(int node);
  Result<void> Remove(int node, const std::vector<std::string>& keys);
  Result<void> RemoveOwn(int node);
  Result<void> TakeOver(int node);
  Result<void> Guard(int node);
  Result<void> FindContainers();
  [[nodiscard]] bool WasKilled(int node) const {
    return containers_ != nullptr && containers_->WasKilled(node);
  }
  void AwaitAnswer(int node);
  Result<void> Leave(int node);
  Result<void> CheckUnchanged(int node);
  Result<void> CheckGate(int node);

  std::map<int, Server> servers_;
  std::unique_ptr<Containers> containers_;  // null: the plan names none
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_EXTERNAL_SERVERS_H_
