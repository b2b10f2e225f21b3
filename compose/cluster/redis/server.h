// Real redis-server processes: which program, how it is started, whether it answers.
#ifndef DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_SERVER_H_
#define DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_SERVER_H_

#include <sys/types.h>

#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "compose/plan/node_data.h"
#include "lib/base/connection.h"
#include "lib/base/result.h"
#include "lib/base/time.h"

namespace doublehold {

struct ServerProgram {
  std::string path;     // as given to exec
  std::string version;  // "7.0.15"
};

// Runs it once to ask its version. A missing or too old program is an error that says what to
// install.
Result<ServerProgram> FindServer(const std::string& path);

// Where it listens besides its unix socket: an address in a network namespace of its own. No host:
// nowhere.
struct OwnNetwork {
  int fd = -1;
  std::string host;
};
constexpr uint16_t kServerPort = 6379;  // there

struct ServerRequest {
  ServerProgram program;
  std::filesystem::path socket;
  OwnNetwork network{};
  std::filesystem::path folder;    // of what it keeps on disk
  std::filesystem::path config{};  // its file of settings, which it may write anew; empty: none
  NodeData data{};
  std::filesystem::path log;
  std::filesystem::path shim;  // the clock shim, preloaded
  int clock_fd = -1;           // where its clock page is
  size_t clock_offset = 0;
  std::vector<std::string> settings;  // further ones: "--repl-timeout", "60"
};

// Started, not yet answering, with what is in its folder.
Result<pid_t> StartServer(const ServerRequest& request);

struct SentinelRequest {
  ServerProgram program;
  std::filesystem::path socket;  // its file of settings lies beside
  OwnNetwork network{};
  std::filesystem::path log;
  std::string announced_host;  // where the other sentinels reach it, and all of them the master
  uint16_t announced_port = 0;
  uint16_t master_port = 0;  // of the server that is the master now
  int quorum = 0;
  Duration down_after{};
};
// A redis-server that is a sentinel of kMasterName; not yet answering.
Result<pid_t> StartSentinel(const SentinelRequest& request);

// A stopped server does not answer, and the event loop waits meanwhile.
constexpr Duration kPatienceWithServers = std::chrono::milliseconds(50);
// While a topology is formed nothing else goes on; what a server is told then it may first write to
// a busy disk.
constexpr Duration kPatienceWithNewServers = std::chrono::seconds(5);

// Asks a server that is expected to answer at once; one that is stopped, or gone, fails after a
// short while.
CallResult AskServer(const std::filesystem::path& socket,
                     std::initializer_list<std::string_view> command,
                     Duration patience = kPatienceWithServers);

// What a server says of its place: offset of the replication stream, and a replica's link to its
// master.
struct Role {
  std::string role;   // "master", "slave"; empty: it did not answer
  std::string state;  // of a replica: "connect", "sync", "connected"
  int64_t offset = -1;
};
Role AskRole(const std::filesystem::path& socket);

// True when it answers a PING before the deadline.
bool AnswersPing(const std::filesystem::path& socket, Deadline deadline);

// The clock shim that lies beside this program.
Result<std::filesystem::path> FindClockShim();
// What a process under the shim has in its environment.
std::vector<std::string> ShimEnvironment(const std::filesystem::path& shim, int clock_fd,
                                         size_t clock_offset);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_SERVER_H_
