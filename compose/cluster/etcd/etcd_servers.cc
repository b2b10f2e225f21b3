// etcd: one server, or an ensemble whose servers elect a leader. A server listens on TCP ports of
// the loopback, or of its own network. Servers reach each other directly, not through the proxy.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "compose/cluster/asking_connection.h"
#include "compose/cluster/service.h"
#include "compose/os/reserved_ports.h"
#include "lib/base/check.h"
#include "lib/etcd/connection.h"
#include "lib/os/run_tool.h"
#include "lib/plan/topology.h"

namespace doublehold {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInstallEtcd =
    "install the Debian packages etcd-server and libcurl4-openssl-dev (./setup.sh --services), and "
    "build again";

// A lease lasts at least 1.5 election timeouts, rounded up to whole seconds.
constexpr Duration kElectionTimeout = std::chrono::milliseconds(500);
constexpr Duration kHeartbeat = kElectionTimeout / 10;
constexpr Lease kLeaseUnit = std::chrono::seconds(1);
constexpr Duration kHealthPatience = std::chrono::milliseconds(200);
constexpr Duration kRejoinPatience = 10 * kElectionTimeout;

// Leases and locks of the JSON gateway are at /v3 since this version.
constexpr std::pair kOldestEtcd{3, 4};

// Reads the version in "etcd Version: 3.4.23\nGit SHA: ...", which the program prints.
Result<std::string> AskVersionOfEtcd(const std::string& program, const std::string& if_missing) {
  const RunResult run = TRY(RunToEnd({program, "--version"}, {.if_missing = if_missing}));
  constexpr std::string_view kBefore = "etcd Version: ";
  const std::string line = run.output.substr(0, std::min<size_t>(run.output.find('\n'), 60));
  if (!line.starts_with(kBefore))
    return EnvironmentFailed(fmt::format("{}: not an etcd server: it says '{}'", program, line));
  const std::string version = line.substr(kBefore.size());
  int major = 0, minor = 0;
  const char* const end = version.data() + version.size();
  const char* const dot = std::from_chars(version.data(), end, major).ptr;
  if (dot != end) std::from_chars(dot + 1, end, minor);
  if (std::pair(major, minor) < kOldestEtcd) {
    return EnvironmentFailed(fmt::format("{}: version {} is too old; {}.{} or later is needed",
                                         program, version, kOldestEtcd.first, kOldestEtcd.second));
  }
  return version;
}

Result<ServerProgram> FindEtcd(const std::string& path) {
  if (!HasEtcd())
    return EnvironmentFailed(fmt::format("etcd: built without libcurl; {}", kInstallEtcd));
  if (path.empty()) {
    const std::string missing = fmt::format(": not found; {}", kInstallEtcd);
    return ServerProgram{.path = "etcd", .version = TRY(AskVersionOfEtcd("etcd", missing))};
  }
  const Result<std::string> version = AskVersionOfEtcd(path, ": not found");
  if (version) return ServerProgram{.path = path, .version = *version};
  // A wrong choice of the user is bad input, not a lack of this machine.
  return BadInput("--etcd: " + version.error().message);
}

// An HTTP request over a connection that stays open. `is_hoped` judges the body of the reply.
Question HttpQuestion(std::string_view request,
                      std::function<bool(const std::string& body)> is_hoped) {
  const auto reply = std::make_shared<std::string>();
  return {.bytes = fmt::format("{} HTTP/1.1\r\nHost: etcd\r\nContent-Length: 0\r\n\r\n", request),
          .hear = [reply, is_hoped = std::move(is_hoped)](std::string_view bytes, bool) {
            *reply += bytes;
            constexpr std::string_view kEnd = "\r\n\r\n", kLength = "Content-Length: ";
            const size_t end = reply->find(kEnd);
            const size_t length = reply->find(kLength);
            if (end == std::string::npos) return Question::Heard::kIncomplete;
            size_t size = 0;
            if (length < end)
              std::from_chars(&(*reply)[length + kLength.size()], &(*reply)[end], size);
            const std::string body = reply->substr(end + kEnd.size());
            if (body.size() < size) return Question::Heard::kIncomplete;
            return is_hoped(body) ? Question::Heard::kYes : Question::Heard::kNo;
          }};
}

bool IsHealthy(const std::string& body) {
  return body.find("\"health\":\"true\"") != std::string::npos;
}

class EtcdServers final : public Service {
 public:
  using Service::Service;

  Result<void> Prepare() override {
    ports_ = TRY(HeldPorts::Take(2 * static_cast<size_t>(ServersOf(parts_.plan))));
    return {};
  }

  // Only the process dies, so that no data needs to reach the disk.
  Result<SpawnRequest> CommandOf(int node) override {
    const std::string clients = UrlOf(node, ClientPort(node));
    const std::string peers = UrlOf(node, PeerPort(node));
    std::string members;
    for (int member = 1; member <= ServersOf(parts_.plan); ++member)
      members += fmt::format("{}{}={}", members.empty() ? "" : ",", member,
                             UrlOf(member, PeerPort(member)));
    return SpawnRequest{.argv = {parts_.program.path,
                                 "--name",
                                 std::to_string(node),
                                 "--data-dir",
                                 DataOf(node).string(),
                                 "--listen-client-urls",
                                 clients,
                                 "--advertise-client-urls",
                                 clients,
                                 "--listen-peer-urls",
                                 peers,
                                 "--initial-advertise-peer-urls",
                                 peers,
                                 "--initial-cluster",
                                 members,
                                 "--heartbeat-interval",
                                 std::to_string(ToMs(kHeartbeat)),
                                 "--election-timeout",
                                 std::to_string(ToMs(kElectionTimeout)),
                                 "--unsafe-no-fsync",
                                 "--logger",
                                 "zap",
                                 "--log-level",
                                 "error"},
                        .if_missing = fmt::format(": not found; {}", kInstallEtcd)};
  }

  [[nodiscard]] NodeAddress AddressOf(int node) const override {
    return {.unix_path = {}, .host = parts_.links.HostOf(node), .port = ClientPort(node)};
  }

  // A server answers this at once, and without its leader. It knows the cluster's version as soon
  // as the cluster had a leader.
  [[nodiscard]] Question Ping() const override {
    return HttpQuestion("GET /version", [](const std::string& body) {
      return body.find("not_decided") == std::string::npos;
    });
  }

  void Operate(int /*node*/, const std::vector<std::string>& /*command*/, Duration /*timeout*/,
               std::function<void(CallResult)> /*answer*/) override {
    CHECK(false);  // the plan refuses operators' commands
  }

  std::string FindMissing() override {
    for (int node = 1; node <= ServersOf(parts_.plan); ++node) {
      if (AskNow(AddressOf(node), Health(), kHealthPatience) != Answered::kYes)
        return fmt::format("etcd {} is not healthy: it has no leader", node);
    }
    return "";
  }

  [[nodiscard]] std::optional<Question> AskWhetherLeader() const override {
    return HttpQuestion("POST /v3/maintenance/status", [](const auto& body) {
      const nlohmann::json status = nlohmann::json::parse(body, nullptr, false);
      return status.is_object() && status.contains("leader") && status.contains("header") &&
             status["header"]["member_id"] == status["leader"];
    });
  }

  Rejoining AfterRestart(int /*node*/) override {
    return {.question = Health, .patience = kRejoinPatience};
  }

  void ForgetData(int node) override {
    std::error_code ignored;  // there may be none yet
    fs::remove_all(DataOf(node), ignored);
  }

 private:
  static Question Health() { return HttpQuestion("GET /health", IsHealthy); }
  [[nodiscard]] fs::path DataOf(int node) const { return FolderOf(node) / "data"; }
  [[nodiscard]] uint16_t ClientPort(int node) const {
    return ports_.At(2 * static_cast<size_t>(node - 1));
  }
  [[nodiscard]] uint16_t PeerPort(int node) const {
    return ports_.At(2 * static_cast<size_t>(node - 1) + 1);
  }
  [[nodiscard]] std::string UrlOf(int node, uint16_t port) const {
    return fmt::format("http://{}:{}", parts_.links.HostOf(node), port);
  }

  HeldPorts ports_;  // node by node: for clients, for the other servers
};

}  // namespace

ServiceEntry EtcdEntry() {
  return {.facts = {.name = "etcd",
                    .title = "etcd",
                    .program = "etcd",
                    .topologies = {"single", "ensemble"},
                    .shortest_lease = kLeaseUnit,
                    .why_shortest = ": etcd counts leases in whole seconds",
                    .lease_unit = kLeaseUnit,
                    .keeps_alive = true,
                    .is_static = true,
                    .elects = true,
                    .joins_namespaces = true,
                    .data = {"empty", "aof"},
                    .data_in_ensemble = {"aof"}},
          .protocol = Protocol::kHttp,
          .find = FindEtcd,
          .make = [](Service::Parts parts) -> std::unique_ptr<Service> {
            return std::make_unique<EtcdServers>(std::move(parts));
          }};
}

}  // namespace doublehold
