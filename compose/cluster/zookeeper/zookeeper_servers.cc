// ZooKeeper: one server, or an ensemble whose servers elect a leader. A server is a JVM that
// listens on TCP ports of the loopback, or of its own network. Servers reach each other directly,
// not through the proxy.
#include <fmt/format.h>

#include <array>
#include <boost/endian/conversion.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>

#include "compose/cluster/service.h"
#include "compose/os/reserved_ports.h"
#include "lib/base/check.h"
#include "lib/plan/topology.h"
#include "lib/zookeeper/session.h"

namespace doublehold {
namespace {

namespace fs = std::filesystem;

// Debian's package. The manifest of the jar names all other jars.
constexpr const char* kZooKeeperJar = "/usr/share/java/zookeeper.jar";
constexpr const char* kInstallZooKeeper =
    "install the Debian packages zookeeper and libzookeeper-mt-dev (./setup.sh --services), and "
    "build again";

// The server counts time in ticks. A session ends at the first tick after its timeout.
constexpr Duration kZooKeeperTick = std::chrono::milliseconds(200);

// The ports of a server: for clients, for the leader's followers, for elections.
enum ZooKeeperPort : size_t { kForClients, kForFollowers, kForElections, kPorts };

// Returns the version in the name of the file to which the jar's link leads:
// "zookeeper-3.8.0.jar".
std::string VersionOf(const fs::path& jar) {
  std::error_code code;
  const std::string name = fs::canonical(jar, code).stem().string();
  const size_t dash = name.rfind('-');
  return code || dash == std::string::npos ? "unknown" : name.substr(dash + 1);
}

Result<ServerProgram> FindZooKeeper(const std::string& path) {
  const std::string jar = path.empty() ? kZooKeeperJar : path;
  if (!HasZooKeeper()) {
    return EnvironmentFailed(
        fmt::format("ZooKeeper: built without its client library; {}", kInstallZooKeeper));
  }
  if (std::error_code code; !fs::exists(jar, code))
    return EnvironmentFailed(
        fmt::format("ZooKeeper: {} does not exist; {}", jar, kInstallZooKeeper));
  return ServerProgram{.path = jar, .version = VersionOf(jar)};
}

// A request on the wire: its length, and its fields in big-endian order.
template <typename... Field>
std::string RequestOf(Field... fields) {
  std::string request;
  const auto append = [&request](auto field) {
    boost::endian::native_to_big_inplace(field);
    request.append(reinterpret_cast<const char*>(&field), sizeof field);
  };
  append(static_cast<int32_t>((sizeof(Field) + ...)));
  (append(fields), ...);
  return request;
}

template <typename Field>
Field FieldAt(std::string_view bytes, size_t at) {
  Field field;
  std::memcpy(&field, bytes.data() + at, sizeof field);
  return boost::endian::big_to_native(field);
}

// The data of the root, which nobody reads, is set to nothing in a session of its own. The reply
// has the node's Stat, whose mtime is the server's wall clock when it took the request.
Question QuestionForTime(std::function<void(Duration since_epoch)> tell) {
  constexpr int32_t kSetData = 5, kPathBytes = 1, kNoBytes = 0, kAnyVersion = -1;
  constexpr int32_t kPasswordBytes = 16;
  // A reply is its length, a header (xid, zxid, error) and a Stat (czxid, mzxid, ctime, mtime, ..).
  constexpr size_t kLengthBytes = 4, kReplyBytes = 16 + 68, kMtimeAt = kLengthBytes + 16 + 24;
  return {
      .bytes = RequestOf(int32_t{1}, kSetData, kPathBytes, '/', kNoBytes, kAnyVersion),
      .hear =
          [unread = std::make_shared<std::string>(), tell = std::move(tell)](std::string_view bytes,
                                                                             bool) {
            *unread += bytes;
            while (unread->size() >= kLengthBytes) {
              const auto length = static_cast<size_t>(FieldAt<int32_t>(*unread, 0));
              if (unread->size() < kLengthBytes + length) break;
              // A shorter frame is the reply to the opening.
              if (length == kReplyBytes) {
                tell(std::chrono::milliseconds(FieldAt<int64_t>(*unread, kMtimeAt)));
                return Question::Heard::kYes;
              }
              unread->erase(0, kLengthBytes + length);
            }
            return Question::Heard::kIncomplete;
          },
      // Protocol version, last zxid, timeout, session, password, whether it only reads.
      .opening = RequestOf(int32_t{0}, int64_t{0}, static_cast<int32_t>(ToMs(2 * kZooKeeperTick)),
                           int64_t{0}, kPasswordBytes, int64_t{0}, int64_t{0}, '\0')};
}

class ZooKeeperServers final : public Service {
 public:
  using Service::Service;

  Result<void> Prepare() override {
    const auto servers = static_cast<size_t>(ServersOf(parts_.plan));
    ports_ = TRY(HeldPorts::Take(servers * kPorts));
    for (int node = 1; node <= ServersOf(parts_.plan); ++node) {
      TRY(Write(FolderOf(node) / "zoo.cfg", ConfigOf(node)));
      TRY(Write(FolderOf(node) / "myid", std::to_string(node)));
    }
    return {};
  }

  // Only the process dies, so that no data needs to reach the disk (forceSync). The JVM's settings
  // save a third of the time of a start.
  Result<SpawnRequest> CommandOf(int node) override {
    return SpawnRequest{
        .argv = {"java", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
                 "-XX:-UsePerfData", "-Xmx128m", "-Dzookeeper.forceSync=no",
                 "-Dzookeeper.jmx.log4j.disable=true", "-cp", parts_.program.path,
                 "org.apache.zookeeper.server.quorum.QuorumPeerMain",
                 (FolderOf(node) / "zoo.cfg").string()},
        .if_missing = fmt::format(": not found; ZooKeeper needs it: {}", kInstallZooKeeper)};
  }

  [[nodiscard]] NodeAddress AddressOf(int node) const override {
    return {.unix_path = {}, .host = parts_.links.HostOf(node), .port = PortOf(node, kForClients)};
  }

  // A server that serves no sessions yet, or has no quorum, answers "null".
  [[nodiscard]] Question Ping() const override {
    return Ask("isro", [](const std::string& answer) { return answer == "rw"; });
  }

  [[nodiscard]] std::optional<Question> AskTime(TellTime tell) const override {
    return QuestionForTime(std::move(tell));
  }

  void Operate(int /*node*/, const std::vector<std::string>& /*command*/, Duration /*timeout*/,
               std::function<void(CallResult)> /*answer*/) override {
    CHECK(false);  // the plan refuses operators' commands
  }

  [[nodiscard]] std::optional<Question> AskWhetherLeader() const override {
    return Ask("srvr", [](const std::string& answer) {
      return answer.find("Mode: leader") != std::string::npos;
    });
  }

  Rejoining AfterRestart(int /*node*/) override { return {}; }

  void ForgetData(int node) override {
    std::error_code ignored;  // there may be none yet
    fs::remove_all(FolderOf(node) / "version-2", ignored);
  }

 private:
  [[nodiscard]] uint16_t PortOf(int node, ZooKeeperPort port) const {
    return ports_.At(static_cast<size_t>(node - 1) * kPorts + port);
  }

  // A four-letter word. The server closes the connection after its answer.
  static Question Ask(const char* word, std::function<bool(const std::string& answer)> is_hoped) {
    const auto answer = std::make_shared<std::string>();
    return {.bytes = word,
            .hear = [answer, is_hoped = std::move(is_hoped)](std::string_view bytes, bool ended) {
              *answer += bytes;
              if (!ended) return Question::Heard::kIncomplete;
              if (answer->empty()) return Question::Heard::kIncomplete;
              return is_hoped(*answer) ? Question::Heard::kYes : Question::Heard::kNo;
            }};
  }

  [[nodiscard]] std::string ConfigOf(int node) const {
    std::string config = fmt::format(
        "clientPort={}\nclientPortAddress={}\ndataDir={}\ntickTime={}\n"
        "minSessionTimeout={}\nmaxSessionTimeout={}\nmaxClientCnxns=0\n"
        "admin.enableServer=false\n4lw.commands.whitelist=isro,srvr\n",
        PortOf(node, kForClients), parts_.links.HostOf(node), FolderOf(node).string(),
        ToMs(kZooKeeperTick), ToMs(2 * kZooKeeperTick), ToMs(std::chrono::hours(24)));
    if (ServersOf(parts_.plan) == 1) return config;
    config += "initLimit=50\nsyncLimit=10\n";
    for (int peer = 1; peer <= ServersOf(parts_.plan); ++peer) {
      config += fmt::format("server.{}={}:{}:{}\n", peer, parts_.links.HostOf(peer),
                            PortOf(peer, kForFollowers), PortOf(peer, kForElections));
    }
    return config;
  }

  static Result<void> Write(const fs::path& file, const std::string& text) {
    std::ofstream out(file, std::ios::trunc);
    out << text;
    out.close();
    if (!out) return EnvironmentFailed(fmt::format("{}: cannot be written", file.string()));
    return {};
  }

  HeldPorts ports_;  // node by node
};

}  // namespace

ServiceEntry ZooKeeperEntry() {
  return {.facts = {.name = kZooKeeperService,
                    .title = "ZooKeeper",
                    .topologies = {"single", "ensemble"},
                    .shortest_lease = 2 * kZooKeeperTick,
                    .why_shortest = ": a session of ZooKeeper lasts at least two ticks of 200ms",
                    .keeps_alive = true,
                    .tells_time = true,
                    .members_tell_time = false,
                    .repeats = false,
                    .elects = true,
                    .joins_namespaces = true,
                    .data = {"empty", "aof"}},
          .protocol = Protocol::kZooKeeper,
          .find = FindZooKeeper,
          .make = [](Service::Parts parts) -> std::unique_ptr<Service> {
            return std::make_unique<ZooKeeperServers>(std::move(parts));
          }};
}

}  // namespace doublehold
