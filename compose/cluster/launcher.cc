#include "compose/cluster/launcher.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "compose/client/client_main.h"
#include "lib/os/spawn.h"

namespace doublehold {

using ProcessKind = ProcessRef::Kind;

int Launcher::ClockPageOf(ProcessRef ref) const {
  return ref.kind == ProcessKind::kNode ? ref.number : ServersOf(places_.plan) + 1 + ref.number;
}

std::filesystem::path Launcher::SocketOf(int node) const {
  return places_.sockets / fmt::format("{}.sock", node);
}

std::filesystem::path Launcher::FolderOf(int node) const {
  return places_.sockets / fmt::format("{}.data", node);
}

std::filesystem::path Launcher::ClientSocketOf(int node) const {
  const bool moves = Topology().lead == Lead::kAddress && node == kMasterAddress;
  return moves ? places_.sockets / "master.sock" : SocketOf(node);
}

std::filesystem::path Launcher::ConfigOf(int node) const {
  const bool moves = Topology().lead == Lead::kAddress || Topology().lead == Lead::kSentinel;
  return moves && node != kStoreNode ? FolderOf(node) / "redis.conf" : std::filesystem::path();
}

Result<void> Launcher::WriteConfig(int node, const std::string& text) const {
  std::ofstream out(ConfigOf(node), std::ios::trunc);
  out << text;
  out.close();
  if (!out) return EnvironmentFailed(fmt::format("{}: cannot be written", ConfigOf(node).string()));
  return {};
}

OwnNetwork Launcher::NetworkOf(ProcessRef ref) const {
  if (places_.network == nullptr) return {};
  return {.fd = places_.network->Of(ref), .host = places_.network->AddressOf(ref)};
}

NodeAddress Launcher::AddressOf(ProcessRef ref, const std::filesystem::path& socket) const {
  if (places_.network == nullptr) return {.unix_path = socket.string()};
  return {.unix_path = {}, .host = places_.network->AddressOf(ref), .port = kServerPort};
}

// Creates the new link and renames it, so that a link to a master always exists.
void Launcher::PointAtMaster(int node) const {
  const std::filesystem::path name = places_.sockets / "master.sock";
  const std::filesystem::path fresh = places_.sockets / "master.new";
  std::filesystem::create_symlink(SocketOf(node), fresh);
  std::filesystem::rename(fresh, name);
  if (places_.network == nullptr) return;
  for (int client = 0; client <= places_.plan.clients; ++client) {
    // The client is not started yet.
    if (!places_.cuts->links().contains({client, kMasterAddress})) continue;
    proxy_.Redirect({client, kMasterAddress}, AddressOf({ProcessKind::kNode, node}, {}));
  }
}

Result<uint16_t> Launcher::AddLink(LinkId link, ProcessRef to,
                                   const std::filesystem::path& socket) {
  const Result<uint16_t> port = proxy_.AddLink(link, AddressOf(to, socket));
  if (port && places_.cuts != nullptr) places_.cuts->AddLink(link, *port);
  return port;
}

// In topology `replicated` each replica has its own link to every server that may become its
// master. Sentinels and clusters announce one address of a server to everybody.
Result<void> Launcher::AddPeerLinks() {
  const int servers = ServersOf(places_.plan);
  for (int node = 1; node <= servers; ++node) {
    for (int peer = 1; peer <= servers; ++peer) {
      if (peer == node && !Topology().FailsOver()) continue;
      const LinkId link{
          .client = 0, .node = node, .peer = Topology().FailsOver() ? kAnyPeer : peer};
      if (peer_ports_.contains(link)) continue;
      peer_ports_[link] = TRY(AddLink(link, {ProcessKind::kNode, node}, SocketOf(node)));
      cluster_.AddPeerLink(link);
    }
  }
  if (Topology().lead != Lead::kSentinel) return {};
  for (int number = 1; number <= kSentinels; ++number) {
    peer_ports_[SentinelLink(number)] = TRY(
        AddLink(SentinelLink(number), {ProcessKind::kSentinel, number}, SentinelSocketOf(number)));
  }
  return {};
}

// Returns the settings of servers that replicate. A replica gets a full copy at once, over its
// connection. A replica that is cut off keeps its connection to its master (repl-timeout).
std::vector<std::string> Launcher::SettingsOf(int node) const {
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
  add("--cluster-node-timeout", std::to_string(ToMs(places_.plan.down_after)));
  add("--cluster-allow-replica-migration", "no");
  return settings;
}

std::filesystem::path Launcher::SentinelSocketOf(int number) const {
  return places_.sockets / fmt::format("sentinel-{}.sock", number);
}

Result<void> Launcher::StartSentinels() {
  for (int number = 1; number <= kSentinels; ++number) {
    const std::filesystem::path log =
        places_.folder / "nodes" / fmt::format("sentinel-{}.log", number);
    const pid_t pid = TRY(StartSentinel({.program = places_.server,
                                         .socket = SentinelSocketOf(number),
                                         .network = NetworkOf({ProcessKind::kSentinel, number}),
                                         .log = log,
                                         .announced_host = PeerHost(),
                                         .announced_port = PeerPort(SentinelLink(number)),
                                         .master_port = PeerPort({0, kMasterAddress, kAnyPeer}),
                                         .quorum = kSentinels / 2 + 1,
                                         .down_after = places_.plan.down_after}));
    children_.Add({.ref = {ProcessKind::kSentinel, number},
                   .name = fmt::format("sentinel {}", number),
                   .pid = pid,
                   .log = log});
  }
  return {};
}

Result<void> Launcher::StartServers() {
  if (Topology().HasReplicas()) {
    TRY(AddPeerLinks());
    PointAtMaster(kMasterAddress);
  }
  if (Topology().lead == Lead::kCluster) {
    const auto servers = static_cast<size_t>(ServersOf(places_.plan));
    bus_ports_ = TRY(HeldPorts::Take(servers + 1));
  }
  for (int node = 0; node <= ServersOf(places_.plan); ++node) {
    const std::filesystem::path folder = FolderOf(node);
    std::error_code code;
    std::filesystem::create_directory(folder, code);
    if (code) return EnvironmentFailed(fmt::format("{}: {}", folder.string(), code.message()));
    // The clock page must be formatted before a process under the shim maps it.
    cluster_.AddNode(
        node, ClockPageOf({ProcessKind::kNode, node}),
        {.socket = SocketOf(node), .folder = folder, .data = NodeDataFor(places_.plan, node)});
    if (!ConfigOf(node).empty()) {
      TRY(WriteConfig(node, ""));
    }
    TRY(StartServer(node));
  }
  return {};
}

Result<void> Launcher::StartServer(int node) {
  const std::filesystem::path shim = TRY(FindClockShim());
  const ProcessRef ref{ProcessKind::kNode, node};
  const std::string name = node == kStoreNode ? "store" : fmt::format("node-{}", node);
  const std::filesystem::path log = places_.folder / "nodes" / (name + ".log");
  const pid_t pid =
      TRY(doublehold::StartServer({.program = places_.server,
                                   .socket = SocketOf(node),
                                   .network = NetworkOf(ref),
                                   .folder = FolderOf(node),
                                   .config = ConfigOf(node),
                                   .data = NodeDataFor(places_.plan, node),
                                   .log = log,
                                   .shim = shim,
                                   .clock_fd = shared_.fd(),
                                   .clock_offset = shared_.ClockPageOffset(ClockPageOf(ref)),
                                   .settings = SettingsOf(node)}));
  cluster_.SetPid(ref, pid);
  children_.Add({.ref = ref,
                 .name = node == kStoreNode ? "the store" : fmt::format("node {}", node),
                 .pid = pid,
                 .log = log});
  return {};
}

Revival::Hooks Launcher::RevivalHooks(std::function<void(const Error&)> failed,
                                      Rejoining rejoining) {
  return {.has_ended =
              [this](int node) {
                return children_.HasEnded({ProcessKind::kNode, node});
              },
          .start = [this](int node) { return StartServer(node); },
          .failed = std::move(failed),
          .rejoining = std::move(rejoining)};
}

// Clients connect through the proxy, unless the plan is `direct`. The referee bypasses the proxy,
// because it must read the true state.
Result<std::vector<NodeAddress>> Launcher::AddressesOf(int client) {
  std::vector<NodeAddress> addresses;
  for (int node = 0; node <= ServersOf(places_.plan); ++node) {
    const std::string socket = ClientSocketOf(node).string();
    const ProcessRef server{ProcessKind::kNode, node};
    if (client == 0 || places_.plan.direct) {
      addresses.push_back(client == 0 ? NodeAddress{.unix_path = socket}
                                      : AddressOf(server, socket));
      continue;
    }
    const uint16_t port = TRY(AddLink({client, node}, server, socket));
    addresses.push_back({.unix_path = {}, .host = PeerHost(), .port = port});
  }
  return addresses;
}

// A driver connects only over TCP, so it uses its client's links. The referee's driver has its own
// links, on which no fault acts.
Result<std::vector<NodeAddress>> Launcher::DriverNodesOf(int client,
                                                         std::span<const NodeAddress> own) {
  std::vector<NodeAddress> nodes;
  if (!places_.plan.driver) return nodes;
  for (int node = 1; node <= LockNodesOf(places_.plan); ++node) {
    if (client != 0) {
      nodes.push_back(own[static_cast<size_t>(node)]);
      continue;
    }
    const uint16_t port =
        TRY(AddLink({client, node}, {ProcessKind::kNode, node}, ClientSocketOf(node).string()));
    nodes.push_back({.unix_path = {}, .host = PeerHost(), .port = port});
  }
  return nodes;
}

// Clients reach a sentinel at the address that it announces to servers. The referee uses its
// socket.
Roster Launcher::RosterFor(int client) const {
  Roster roster;
  if (!Topology().FailsOver()) return roster;
  roster.announced.push_back(0);
  for (int node = 1; node <= ServersOf(places_.plan); ++node) {
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

Result<int> Launcher::StartClient(int number) {
  const std::filesystem::path shim = TRY(FindClockShim());
  const std::vector<NodeAddress> addresses = TRY(AddressesOf(number));
  const auto driver_nodes = TRY(DriverNodesOf(number, addresses));
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return EnvironmentFailed(fmt::format("cannot create a socket pair: {}", std::strerror(errno)));
  }
  const ProcessRef ref{ProcessKind::kClient, number};
  cluster_.AddClient(number, ClockPageOf(ref));
  const size_t clock_offset = shared_.ClockPageOffset(ClockPageOf(ref));
  const std::string log = number == 0 ? "referee.log" : fmt::format("client-{}.log", number);
  SpawnRequest spawn{.argv = {"doublehold", std::string(kClientCommand)},
                     .self = true,
                     .environment = ShimEnvironment(shim, shared_.fd(), clock_offset),
                     .descriptors = {shared_.fd(), ends[1]},
                     .log = places_.folder / "clients" / log,
                     .network = number == 0 ? -1 : NetworkOf(ref).fd};
  const std::vector<std::string> words =
      ToWords({.plan_file = (places_.folder / "plan.json").string(),
               .number = number,
               .memory_fd = shared_.fd(),
               .clock_pages = ClockPagesOf(places_.plan),
               .step_fd = ends[1],
               .addresses = addresses,
               .driver_nodes = driver_nodes,
               .roster = RosterFor(number)});
  spawn.argv.insert(spawn.argv.end(), words.begin(), words.end());
  const Result<pid_t> pid = Spawn(spawn);
  close(ends[1]);
  if (!pid) {
    close(ends[0]);
    return tl::unexpected(pid.error());
  }
  cluster_.SetPid(ref, *pid);
  children_.Add({.ref = ref,
                 .name = number == 0 ? "the referee" : fmt::format("client {}", number),
                 .pid = *pid,
                 .log = spawn.log});
  return ends[0];
}

}  // namespace doublehold
