// Finds and starts real redis-server processes, and asks whether they answer.
#ifndef DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_SERVER_H_
#define DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_SERVER_H_

#include <sys/types.h>

#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "compose/cluster/links.h"
#include "compose/cluster/service.h"
#include "compose/plan/node_data.h"
#include "lib/base/result.h"
#include "lib/base/time.h"
#include "lib/clients/redis.h"
#include "lib/os/spawn.h"

namespace doublehold {

// Runs the program once to read its version. If the program is missing or too old, returns an error
// that says what to install.
Result<ServerProgram> FindServer(const std::string& path);

constexpr uint16_t kServerPort = 6379;  // port of every server in an OwnNetwork

struct ServerRequest {
  ServerProgram program;
  std::filesystem::path socket;
  OwnNetwork network{};          // where it listens besides its unix socket
  std::filesystem::path folder;  // folder of the server's data; must exist
  // The configuration file, which the server may rewrite. Empty if there is none.
  std::filesystem::path config{};
  NodeData data{};
  std::vector<std::string> settings;  // further settings: "--repl-timeout", "60"
};

// Returns how to start a server with the data in its folder.
SpawnRequest ServerCommand(const ServerRequest& request);

struct SentinelRequest {
  ServerProgram program;
  std::filesystem::path socket;  // its configuration file is beside it
  OwnNetwork network{};          // where it listens besides its unix socket
  // The address at which the other sentinels reach this sentinel. `announced_host` is also the host
  // of the master.
  std::string announced_host;
  uint16_t announced_port = 0;
  uint16_t master_port = 0;  // port of the current master
  int quorum = 0;
  Duration down_after{};
};
// Writes the configuration file of a sentinel of kMasterName. Returns how to start it.
Result<SpawnRequest> SentinelCommand(const SentinelRequest& request);

// The event loop waits for an answer for at most this time. A stopped server does not answer.
constexpr Duration kPatienceWithServers = std::chrono::milliseconds(50);
// While a topology is formed, nothing else runs. So a server may take long, for example to write to
// a busy disk.
constexpr Duration kPatienceWithNewServers = std::chrono::seconds(5);

// Sends a command to a server that should answer at once. Fails after `patience` if the server is
// stopped or gone.
CallResult AskServer(const std::filesystem::path& socket,
                     std::initializer_list<std::string_view> command,
                     Duration patience = kPatienceWithServers);

// The role that a server reports, its replication offset, and a replica's link to its master.
struct Role {
  std::string role;   // "master" or "slave"; empty: no answer
  std::string state;  // a replica's link: "connect", "sync" or "connected"
  int64_t offset = -1;
};
Role AskRole(const std::filesystem::path& socket);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_SERVER_H_
