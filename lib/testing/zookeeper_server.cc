#include "lib/testing/zookeeper_server.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>

#include "lib/redis/hiredis_connection.h"
#include "lib/redis/socket.h"
#include "lib/zookeeper/session.h"

namespace doublehold::testing {
namespace {

// Debian's package; the jar's manifest names all other jars.
constexpr const char* kJar = "/usr/share/java/zookeeper.jar";

// Asks for the server's mode. Unlike `ruok`, this shows whether the server serves sessions already:
// it refuses a session that comes too early, and the C client tries again after 1/60 of the
// timeout.
bool IsReady(const NodeAddress& server) {
  Socket socket;
  const Deadline deadline = RealMono() + 1s;
  std::array<char, 2> mode{};
  return socket.Connect(server, deadline).empty() && socket.SendAll("isro", deadline).empty() &&
         socket.Receive(mode, deadline).bytes == mode.size() &&
         std::string_view(mode.data(), mode.size()) == "rw";
}

}  // namespace

std::string WhyNoZooKeeper() {
  if (!HasZooKeeper()) return "built without ZooKeeper's C client (libzookeeper-mt-dev)";
  if (access(kJar, R_OK) != 0)
    return fmt::format("there is no {} (Debian package zookeeper)", kJar);
  static const bool has_java = std::system("java -version >/dev/null 2>&1") == 0;
  return has_java ? "" : "there is no java in PATH";
}

void ZooKeeperServer::Start() {
  StartUntilReady([this] { return Program(); }, [this] { return IsReady(address()); });
}

// The JVM's flags save a quarter of the CPU time of a start, most of it by the simple compiler.
// fsync is needless, since only the process dies.
SpawnRequest ZooKeeperServer::Program() const {
  const std::filesystem::path config = folder_.path() / "zoo.cfg";
  std::ofstream(config) << fmt::format(
      "clientPort={}\nclientPortAddress=127.0.0.1\ndataDir={}\ntickTime=200\n"
      "minSessionTimeout=400\nmaxSessionTimeout=600000\nadmin.enableServer=false\n"
      "4lw.commands.whitelist=*\nmaxClientCnxns=0\n",
      ports()[0], (folder_.path() / "data").string());
  return {
      .argv = {"java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData", "-Xmx64m",
               "-Dzookeeper.forceSync=no", "-Dzookeeper.jmx.log4j.disable=true", "-cp", kJar,
               "org.apache.zookeeper.server.quorum.QuorumPeerMain", config.string()},
      .log = folder_.path() / "log"};
}

}  // namespace doublehold::testing
