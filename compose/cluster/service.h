// A lock service, as far as the testbed runs its servers. Each service has a folder beside this
// file, and a line in services.cc. docs/services.md says how to add one.
#ifndef DOUBLEHOLD_COMPOSE_CLUSTER_SERVICE_H_
#define DOUBLEHOLD_COMPOSE_CLUSTER_SERVICE_H_

#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compose/cluster/containers.h"
#include "compose/cluster/links.h"
#include "compose/cluster/node_restarter.h"
#include "compose/cluster/question.h"
#include "compose/plan/node_data.h"
#include "compose/plan/service_rules.h"
#include "faults/cluster.h"
#include "lib/base/result.h"
#include "lib/locks/registry.h"
#include "lib/os/spawn.h"
#include "lib/plan/plan.h"
#include "lib/redis/route.h"

namespace doublehold {

struct ServerProgram {
  std::string path;     // path of the program
  std::string version;  // for example "7.0.15"
};

// The programs of the store and of the servers of the lock's service.
struct ServerPrograms {
  ServerProgram store, locks;
};

// The servers of one run. Thread rule: the supervisor's thread. Only Prepare, Begin, FindMissing
// and Finish may wait for a server, because no clients run then.
class Service {
 public:
  struct Parts {
    boost::asio::io_context& io;
    const Plan& plan;
    ServerProgram program;
    std::filesystem::path folder;  // for sockets; the servers' data is in FolderOf(node)
    Links& links;
    // Starts a further process of the service, such as a sentinel.
    std::function<Result<void>(ProcessRef, std::string name, SpawnRequest)> start;
  };

  explicit Service(Parts parts) : parts_(std::move(parts)) {}
  virtual ~Service() = default;
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  // Chooses ports and adds links between servers. Called once, before the first server starts. The
  // servers' folders exist.
  virtual Result<void> Prepare() { return {}; }
  // Whether the run starts and stops the servers. If not, Prepare has found them running.
  [[nodiscard]] virtual bool StartsServers() const { return true; }
  // Pauses, kills and starts servers that the run did not start. Null: nobody can. Owned by the
  // service.
  [[nodiscard]] virtual Containers* InContainers() { return nullptr; }
  // How to start a server, for the first time or again. The launcher adds the log, the network and
  // the clock shim.
  virtual Result<SpawnRequest> CommandOf(int node) = 0;
  // Where the operator reaches a server, and where clients reach a node, which may be another
  // server by now.
  [[nodiscard]] virtual NodeAddress AddressOf(int node) const = 0;
  [[nodiscard]] virtual NodeAddress ClientAddressOf(int node) const { return AddressOf(node); }
  // Where the referee reaches a node: like ClientAddressOf, but no fault of the network acts there.
  [[nodiscard]] virtual NodeAddress RefereeAddressOf(int node) const { return AddressOf(node); }
  // What clients need to follow a leader. The referee is client 0.
  [[nodiscard]] virtual Roster RosterFor(int /*client*/) const { return {}; }

  // Every server that runs answers at once, with yes if it is ready for clients.
  [[nodiscard]] virtual Question Ping() const = 0;
  // Asks for the server's wall clock. Empty if the service does not tell its time: then nobody can
  // see whether a fault moved its clock.
  using TellTime = std::function<void(Duration since_epoch)>;
  [[nodiscard]] virtual std::optional<Question> AskTime(TellTime /*tell*/) const { return {}; }
  // Sends an operator's command, and calls `answer` once. Plans allow faults with such commands
  // only on the service that they name (FaultEntry::service).
  virtual void Operate(int node, const std::vector<std::string>& command, Duration timeout,
                       std::function<void(CallResult)> answer) = 0;

  // The version of the servers, for the verdict's file. Requires Prepare.
  [[nodiscard]] virtual std::string Version() const { return parts_.program.version; }
  // Called once, when all clients have ended. May wait. An error means that the history does not
  // say what the locks did.
  virtual Result<void> Finish() { return {}; }

  // ---- Topologies in which servers follow a leader. The defaults: each server is by itself.

  // Lets the servers form the topology. Requires that they answer.
  virtual Result<void> Begin() { return {}; }
  // Describes a part of the topology that is not formed yet; empty: complete. The caller polls.
  virtual std::string FindMissing() { return {}; }
  [[nodiscard]] virtual std::vector<LinkId> PeerLinks() const { return {}; }
  // The name of frames that servers send each other on links that clients use too. Empty: servers
  // use links of their own, or none.
  [[nodiscard]] virtual std::string_view PeerFrames() const { return {}; }
  [[nodiscard]] virtual bool IsLeader(int /*node*/) const { return false; }
  // A question that a server answers with yes if it leads. Empty: IsLeader knows without asking.
  [[nodiscard]] virtual std::optional<Question> AskWhetherLeader() const { return {}; }
  // See Cluster::Promote. Requires that the node is not the leader.
  virtual void Promote(int /*node*/, Promotion /*how*/, std::function<void(bool)> done) {
    done(false);
  }
  // The condition under which a restarted server is part of the topology again.
  virtual Rejoining AfterRestart(int node) = 0;

  // ---- Data that a node keeps over a restart.

  // Removes the data of a stopped node, but not its place in the topology.
  virtual void ForgetData(int node) = 0;
  // Returns the file to which the node appends its log. Empty: there is none yet.
  [[nodiscard]] virtual std::filesystem::path LogOf(int /*node*/) const { return {}; }

  [[nodiscard]] std::filesystem::path FolderOf(int node) const;

 protected:
  Parts parts_;
};

// A row of the registry.
struct ServiceEntry {
  ServiceFacts facts;
  Protocol protocol = Protocol::kRedis;  // of its connections, for faults that name a request
  // Finds the program at `path`, or the usual one if `path` is empty. The error says what to
  // install, or what is wrong with the program at `path`.
  Result<ServerProgram> (*find)(const std::string& path) = nullptr;
  std::unique_ptr<Service> (*make)(Service::Parts) = nullptr;
};

std::span<const ServiceEntry> Services();
// Requires that a service has this name.
const ServiceEntry& FindService(std::string_view name);
// Finds the program of a service's servers: the chosen one, which is installed if it is a name
// such as "redis@6.2", or the usual one.
Result<ServerProgram> FindProgram(const ChosenPrograms& chosen, std::string_view service);
// Finds the programs of all servers of a plan. A chosen program overrides the server that the plan
// names.
Result<ServerPrograms> FindPrograms(const ChosenPrograms& chosen, const Plan& plan);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_SERVICE_H_
