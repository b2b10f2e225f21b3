// Finds and starts real redis-server processes, and asks whether they answer.
#ifndef DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_SERVER_H_
#define DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_SERVER_H_

#include <sys/types.h>

#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "compose/plan/node_data.h"
#include "lib/base/result.h"
#include "lib/base/time.h"
#include "lib/clients/redis.h"

namespace doublehold {

struct ServerProgram {
  std::string path;     // path of the program
  std::string version;  // for example "7.0.15"
};

// Runs the program once to read its version. If the program is missing or too old, returns an error
// that says what to install.
Result<ServerProgram> FindServer(const std::string& path);

// The network namespace and address on which a server listens besides its unix socket. With an
// empty `host` the server listens only on the socket.
struct OwnNetwork {
  int fd = -1;
  std::string host;
};
constexpr uint16_t kServerPort = 6379;  // port of every server in an OwnNetwork

struct ServerRequest {
  ServerProgram program;
  std::filesystem::path socket;
  OwnNetwork network{};
  std::filesystem::path folder;  // folder of the server's data; must exist
  // The configuration file, which the server may rewrite. Empty if there is none.
  std::filesystem::path config{};
  NodeData data{};
  std::filesystem::path log;
  std::filesystem::path shim;  // path of the clock shim, which is preloaded
  int clock_fd = -1;           // the file that has the clock page
  size_t clock_offset = 0;
  std::vector<std::string> settings;  // further settings: "--repl-timeout", "60"
};

// Starts a server with the data in its folder. The server may not answer yet when this returns.
Result<pid_t> StartServer(const ServerRequest& request);

struct SentinelRequest {
  ServerProgram program;
  std::filesystem::path socket;  // its configuration file is beside it
  OwnNetwork network{};
  std::filesystem::path log;
  // The address at which the other sentinels reach this sentinel. `announced_host` is also the host
  // of the master.
  std::string announced_host;
  uint16_t announced_port = 0;
  uint16_t master_port = 0;  // port of the current master
  int quorum = 0;
  Duration down_after{};
};
// Starts a redis-server as a sentinel of kMasterName. The sentinel may not answer yet when this
// returns.
Result<pid_t> StartSentinel(const SentinelRequest& request);

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

// Returns whether the server answers a PING before the deadline.
bool AnswersPing(const std::filesystem::path& socket, Deadline deadline);

// Finds the clock shim beside this program.
Result<std::filesystem::path> FindClockShim();
// The environment variables of a process under the shim.
std::vector<std::string> ShimEnvironment(const std::filesystem::path& shim, int clock_fd,
                                         size_t clock_offset);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_SERVER_H_
