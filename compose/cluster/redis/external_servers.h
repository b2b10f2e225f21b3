// Redis servers that somebody else has started: topology `external`. The run never flushes them,
// and only faults stop them, through a container engine. It removes its own keys at its end; and
// before it begins, with Plan::owns_servers.
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

#include "compose/cluster/redis/external_server.h"
#include "compose/cluster/redis/primary_watch.h"
#include "compose/cluster/redis/server_state.h"
#include "compose/cluster/service.h"

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
  Rejoining AfterRestart(int node) override;
  void ForgetData(int /*node*/) override {}
  [[nodiscard]] std::string Version() const override;
  // Lets all containers run, and removes the run's keys. Returns an error if others restarted a
  // server, if one lost keys or had its clock moved, or if a command was stopped at the gate.
  Result<void> Finish() override;

 private:
  struct Server {
    Server(int node, const Endpoint& endpoint) : operators(node, endpoint) {}

    ExternalServer operators;
    // By process: the state before the run of the primary and its replicas, and of each process
    // that a fault has restarted.
    std::map<std::string, ServerState> begun{};
    std::string first{};  // the process that was the primary
    std::string version{};
    uint16_t gate = 0;       // port of the gate
    NodeAddress leads_to{};  // where the gate leads, or will
    std::vector<RuleId> guards{};
    std::string stopped{};                    // a command that a guard has stopped
    std::unique_ptr<PrimaryWatch> primary{};  // null: the endpoint is no sentinel
    std::vector<NodeAddress> known{};         // with a sentinel: the servers in `begun`
    bool has_moved = false;                   // another server became the primary
    int acts_before_move = 0;
    bool is_down = false;  // a fault has killed it for good
  };

  Result<NodeAddress> FindServer(int node, Server& server);
  static Result<NodeAddress> AskForPrimary(const Server& server);
  static Result<void> ExamineReplicas(Server& server);
  void Follow(int node, const NodeAddress& primary);
  Result<void> Guard(int node);
  Result<void> FindContainers();
  void NoteRestart(int node, const std::string& process);
  Result<void> Leave(int node);
  Result<void> RemoveOwn(int node);
  static Result<void> AwaitAnswer(Server& server, const NodeAddress& at);
  Result<void> CheckGate(int node);
  Result<void> CheckUnchanged(Server& server);

  std::map<int, std::unique_ptr<Server>> servers_;
  std::unique_ptr<Containers> containers_;  // null: the plan names none
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_EXTERNAL_SERVERS_H_
