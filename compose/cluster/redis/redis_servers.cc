#include "compose/cluster/redis/redis_servers.h"

#include <fmt/format.h>

#include <fstream>
#include <optional>
#include <utility>

#include "compose/cluster/redis/external_servers.h"
#include "compose/cluster/redis/redis_question.h"
#include "compose/cluster/redis/server.h"
#include "faults/proxy/redis/reply_names.h"
#include "lib/base/check.h"

namespace doublehold {

using ProcessKind = ProcessRef::Kind;

RedisServers::RedisServers(Parts parts) : Service(std::move(parts)) {}

// ---- The servers --------------------------------------------------------------------------------

Result<void> RedisServers::Prepare() {
  replication_ = MakeReplication({.io = parts_.io, .plan = parts_.plan, .servers = *this});
  if (Topology().HasReplicas()) {
    TRY(AddPeerLinks());
    PointAtMaster(kMasterAddress);
  }
  if (Topology().lead == Lead::kCluster) {
    const auto servers = static_cast<size_t>(ServersOf(parts_.plan));
    bus_ports_ = TRY(HeldPorts::Take(servers + 1));
  }
  for (int node = 1; node <= ServersOf(parts_.plan); ++node) {
    if (!ConfigOf(node).empty()) TRY(WriteConfig(node, ""));
  }
  return {};
}

Result<SpawnRequest> RedisServers::CommandOf(int node) {
  return ServerCommand({.program = parts_.program,
                        .socket = SocketOf(node),
                        .network = parts_.links.NetworkOf({ProcessKind::kNode, node}),
                        .folder = FolderOf(node),
                        .config = ConfigOf(node),
                        .data = NodeDataFor(parts_.plan, node),
                        .settings = SettingsOf(node)});
}

std::filesystem::path RedisServers::SocketOf(int node) const {
  return parts_.folder / fmt::format("{}.sock", node);
}

NodeAddress RedisServers::AddressOf(int node) const {
  return {.unix_path = SocketOf(node).string()};
}

std::filesystem::path RedisServers::ClientSocketOf(int node) const {
  const bool moves = Topology().lead == Lead::kAddress && node == kMasterAddress;
  return moves ? parts_.folder / "master.sock" : SocketOf(node);
}

NodeAddress RedisServers::Listens(ProcessRef ref, const std::filesystem::path& socket) const {
  const OwnNetwork own = parts_.links.NetworkOf(ref);
  if (own.host.empty()) return {.unix_path = socket.string()};
  return {.unix_path = {}, .host = own.host, .port = kServerPort};
}

NodeAddress RedisServers::ClientAddressOf(int node) const {
  return Listens({ProcessKind::kNode, node}, ClientSocketOf(node));
}

NodeAddress RedisServers::RefereeAddressOf(int node) const {
  return {.unix_path = ClientSocketOf(node).string()};
}

Question RedisServers::Ping() const { return RedisPing(); }

std::optional<Question> RedisServers::AskTime(TellTime tell) const {
  return AskRedisTime(std::move(tell));
}

void RedisServers::Operate(int node, const std::vector<std::string>& command, Duration timeout,
                           std::function<void(CallResult)> answer) {
  CallAsOperator(parts_.io, AddressOf(node), command, timeout, std::move(answer));
}

void RedisServers::ForgetData(int node) { doublehold::ForgetData(FolderOf(node)); }
std::filesystem::path RedisServers::LogOf(int node) const { return FindLogFile(FolderOf(node)); }

// ---- Topologies ---------------------------------------------------------------------------------

Result<void> RedisServers::Begin() { return replication_ ? replication_->Begin() : Result<void>(); }

std::string RedisServers::FindMissing() { return replication_ ? replication_->FindMissing() : ""; }

std::vector<LinkId> RedisServers::PeerLinks() const {
  std::vector<LinkId> links;
  for (const auto& [link, port] : peer_ports_) {
    if (link.node <= ServersOf(parts_.plan)) links.push_back(link);
  }
  return links;
}

// If all servers share one address, only the traffic after PSYNC is replication.
std::string_view RedisServers::PeerFrames() const {
  return Topology().FailsOver() ? kReplication : "";
}

bool RedisServers::IsLeader(int node) const {
  return replication_ != nullptr && replication_->IsMasterAlready(node);
}

std::optional<Question> RedisServers::AskWhetherLeader() const {
  return RedisQuestion({"ROLE"}, [](const CallResult& reply) {
    return reply && !reply->items.empty() && reply->items.front().text == "master";
  });
}

void RedisServers::Promote(int node, Promotion how, std::function<void(bool)> done) {
  CHECK(replication_ != nullptr);
  replication_->Promote(node, how, std::move(done));
}

Rejoining RedisServers::AfterRestart(int node) {
  return replication_ == nullptr || node == kStoreNode ? Rejoining{}
                                                       : replication_->AfterRestart(node);
}

std::filesystem::path RedisServers::ConfigOf(int node) const {
  const bool moves = Topology().lead == Lead::kAddress || Topology().lead == Lead::kSentinel;
  return moves && node != kStoreNode ? FolderOf(node) / "redis.conf" : std::filesystem::path();
}

Result<void> RedisServers::WriteConfig(int node, const std::string& text) const {
  std::ofstream out(ConfigOf(node), std::ios::trunc);
  out << text;
  out.close();
  if (!out) return EnvironmentFailed(fmt::format("{}: cannot be written", ConfigOf(node).string()));
  return {};
}

// Creates the new link and renames it, so that a link to a master always exists.
void RedisServers::PointAtMaster(int node) const {
  const std::filesystem::path name = parts_.folder / "master.sock";
  const std::filesystem::path fresh = parts_.folder / "master.new";
  std::filesystem::create_symlink(SocketOf(node), fresh);
  std::filesystem::rename(fresh, name);
  if (!parts_.links.has_network()) return;
  const NodeAddress master = Listens({ProcessKind::kNode, node}, {});
  for (int client = 0; client <= parts_.plan.clients; ++client)
    parts_.links.Redirect({client, kMasterAddress}, master);
}

void RedisServers::ResetClients() const {
  for (int client = 1; client <= parts_.plan.clients; ++client)
    parts_.links.Reset({client, kMasterAddress});
}

// In topology `replicated` each replica has its own link to every server that may become its
// master. Sentinels and clusters announce one address of a server to everybody.
Result<void> RedisServers::AddPeerLinks() {
  const int servers = ServersOf(parts_.plan);
  for (int node = 1; node <= servers; ++node) {
    for (int peer = 1; peer <= servers; ++peer) {
      if (peer == node && !Topology().FailsOver()) continue;
      const LinkId link{
          .client = 0, .node = node, .peer = Topology().FailsOver() ? kAnyPeer : peer};
      if (peer_ports_.contains(link)) continue;
      peer_ports_[link] = TRY(parts_.links.Add(
          link, Listens({ProcessKind::kNode, node}, SocketOf(node)), Protocol::kRedis));
    }
  }
  if (Topology().lead != Lead::kSentinel) return {};
  for (int number = 1; number <= kSentinels; ++number) {
    peer_ports_[SentinelLink(number)] = TRY(parts_.links.Add(
        SentinelLink(number), Listens({ProcessKind::kSentinel, number}, SentinelSocketOf(number)),
        Protocol::kRedis));
  }
  return {};
}

// Returns the settings of servers that replicate. A replica gets a full copy at once, over its
// connection. A replica that is cut off keeps its connection to its master (repl-timeout).
std::vector<std::string> RedisServers::SettingsOf(int node) const {
  if (node == kStoreNode || !Topology().HasReplicas()) return {};
  std::vector<std::string> settings{
      "--repl-diskless-sync", "yes", "--repl-diskless-sync-delay", "0", "--repl-timeout", "3600"};
  const auto add = [&](const char* name, std::string value) {
    settings.insert(settings.end(), {name, std::move(value)});
  };
  const auto announced = [&] { return std::to_string(PeerPort({0, node, kAnyPeer})); };
  if (Topology().lead == Lead::kSentinel) {
    add("--replica-announce-ip", PeerHost());
    add("--replica-announce-port", announced());
  }
  if (Topology().lead != Lead::kCluster) return settings;
  add("--bind", "127.0.0.1");
  add("--cluster-enabled", "yes");
  add("--cluster-config-file", fmt::format("cluster-{}.conf", node));
  add("--cluster-port", std::to_string(BusPort(node)));
  add("--cluster-announce-ip", "127.0.0.1");
  add("--cluster-announce-port", announced());
  add("--cluster-announce-bus-port", std::to_string(BusPort(node)));
  add("--cluster-node-timeout", std::to_string(ToMs(parts_.plan.down_after)));
  add("--cluster-allow-replica-migration", "no");
  return settings;
}

std::filesystem::path RedisServers::SentinelSocketOf(int number) const {
  return parts_.folder / fmt::format("sentinel-{}.sock", number);
}

Result<void> RedisServers::StartSentinels() {
  for (int number = 1; number <= kSentinels; ++number) {
    const ProcessRef ref{ProcessKind::kSentinel, number};
    TRY(parts_.start(ref, fmt::format("sentinel-{}", number),
                     TRY(SentinelCommand({.program = parts_.program,
                                          .socket = SentinelSocketOf(number),
                                          .network = parts_.links.NetworkOf(ref),
                                          .announced_host = PeerHost(),
                                          .announced_port = PeerPort(SentinelLink(number)),
                                          .master_port = PeerPort({0, kMasterAddress, kAnyPeer}),
                                          .quorum = kSentinels / 2 + 1,
                                          .down_after = parts_.plan.down_after}))));
  }
  return {};
}

// Clients reach a sentinel at the address that it announces to servers. The referee uses its
// socket.
Roster RedisServers::RosterFor(int client) const {
  Roster roster;
  if (!Topology().FailsOver()) return roster;
  roster.announced.push_back(0);
  for (int node = 1; node <= ServersOf(parts_.plan); ++node) {
    roster.announced.push_back(PeerPort({0, node, kAnyPeer}));
  }
  if (Topology().lead != Lead::kSentinel) return roster;
  for (int number = 1; number <= kSentinels; ++number) {
    if (client == 0) {
      roster.sentinels.push_back({.unix_path = SentinelSocketOf(number).string()});
    } else {
      roster.sentinels.push_back(
          {.unix_path = {}, .host = PeerHost(), .port = PeerPort(SentinelLink(number))});
    }
  }
  return roster;
}

ServiceEntry RedisEntry() {
  return {
      .facts = {.name = kRedisService,
                .title = "Redis",
                .program = "redis-server",
                .topologies = {"single", "independent", "external", "replicated", "sentinel",
                               "cluster"},
                .tells_time = true,
                .joins_namespaces = true,
                .data = {"empty", "rdb", "aof", "aof-cut"}},
      .find =
          [](const std::string& path) { return FindServer(path.empty() ? "redis-server" : path); },
      .make = [](Service::Parts parts) -> std::unique_ptr<Service> {
        if (IsExternal(parts.plan)) return std::make_unique<ExternalServers>(std::move(parts));
        return std::make_unique<RedisServers>(std::move(parts));
      }};
}

}  // namespace doublehold
