#include "compose/cluster/launcher.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "compose/client/client_main.h"
#include "compose/cluster/asking_connection.h"
#include "compose/cluster/clock_shim.h"
#include "compose/plan/endpoint.h"
#include "lib/locks/registry.h"
#include "lib/os/spawn.h"

namespace doublehold {

using ProcessKind = ProcessRef::Kind;

namespace {

constexpr Duration kReadyTimeout = 1s;  // of one question whether a server is ready

}  // namespace

int Launcher::ClockPageOf(ProcessRef ref) const {
  return ref.kind == ProcessKind::kNode ? ref.number : ServersOf(places_.plan) + 1 + ref.number;
}

Launcher::Launcher(Places places, boost::asio::io_context& io, SharedRun& shared,
                   RealCluster& cluster, Links& links, Children& children)
    : places_(std::move(places)),
      store_plan_(places_.plan),
      shared_(shared),
      cluster_(cluster),
      links_(links),
      children_(children),
      io_(io) {
  store_plan_.topology = "single";
  store_plan_.nodes = 1;
  store_plan_.replicas = 0;
  store_plan_.endpoints.clear();
  store_plan_.containers.clear();
  const auto make = [&](std::string_view service, const ServerProgram& program, const Plan& plan) {
    return FindService(service).make(
        {.io = io,
         .plan = plan,
         .program = program,
         .folder = places_.sockets,
         .links = links_,
         .start = [this](ProcessRef ref, const std::string& name, SpawnRequest command) {
           return Start(ref, name, std::move(command));
         }});
  };
  const std::string_view store = StoreServiceOf(places_.plan);
  const std::string_view locks = doublehold::ServiceOf(places_.plan);
  locks_ = make(locks, places_.locks, places_.plan);
  const bool is_one = locks == store && !IsExternal(places_.plan);
  store_ = is_one ? locks_ : make(store, places_.store, store_plan_);
  cluster_.Serve(*store_, *locks_);
}

Result<void> Launcher::StartServers() {
  for (int node = 0; node <= ServersOf(places_.plan); ++node) {
    const std::filesystem::path folder = ServiceOf(node).FolderOf(node);
    std::error_code code;
    std::filesystem::create_directory(folder, code);
    if (code) return EnvironmentFailed(fmt::format("{}: {}", folder.string(), code.message()));
  }
  TRY(locks_->Prepare());
  if (store_ != locks_) TRY(store_->Prepare());
  for (int node = 0; node <= ServersOf(places_.plan); ++node) {
    // The clock page must be formatted before a process under the shim maps it.
    cluster_.AddNode(
        node, ClockPageOf({ProcessKind::kNode, node}),
        {.address = ServiceOf(node).AddressOf(node), .data = NodeDataFor(places_.plan, node)});
    if (ServiceOf(node).StartsServers()) TRY(StartServer(node));
  }
  return {};
}

Protocol Launcher::ProtocolOf(int node) const {
  const Plan& plan = places_.plan;
  return FindService(node == kStoreNode ? StoreServiceOf(plan) : doublehold::ServiceOf(plan))
      .protocol;
}

std::string Launcher::FindUnready() {
  if (ready_ > ServersOf(places_.plan)) {
    if (std::ranges::none_of(places_.plan.faults, NamesLeader)) return {};
    cluster_.WatchLeader();
    return cluster_.FindLeader() ? "" : "no server led in time";
  }
  if (!std::exchange(asking_, true)) {
    Service& service = ServiceOf(ready_);
    AskOnce(io_, service.AddressOf(ready_), service.Ping(), kReadyTimeout,
            [this](Answered how, const std::string& /*why*/) {
              asking_ = false;
              if (how == Answered::kYes) ++ready_;
            });
  }
  const std::string missing = fmt::format("node {} was not ready in time", ready_);
  if (!ServiceOf(ready_).StartsServers()) return missing;
  const auto child =
      std::ranges::find(children_.all(), ProcessRef{ProcessKind::kNode, ready_}, &Child::ref);
  return fmt::format("{}: {}", missing, LogTail(child->log));
}

Result<void> Launcher::StartServer(int node) {
  if (Containers* containers = ServiceOf(node).InContainers()) {
    containers->Start(node);
    cluster_.SetPid({ProcessKind::kNode, node}, 0);
    return {};
  }
  const std::string name = node == kStoreNode ? "store" : fmt::format("node-{}", node);
  return Start({ProcessKind::kNode, node}, name, TRY(ServiceOf(node).CommandOf(node)));
}

Result<void> Launcher::Start(ProcessRef ref, const std::string& name, SpawnRequest command) {
  command.log = places_.folder / "nodes" / (name + ".log");
  command.network = links_.NetworkOf(ref).fd;
  if (ref.kind == ProcessKind::kNode) {
    const std::filesystem::path shim = TRY(FindClockShim());
    const auto shimmed =
        ShimEnvironment(shim, shared_.fd(), shared_.ClockPageOffset(ClockPageOf(ref)));
    command.environment.insert(command.environment.end(), shimmed.begin(), shimmed.end());
    command.descriptors.push_back(shared_.fd());
  }
  const pid_t pid = TRY(Spawn(command));
  if (ref.kind == ProcessKind::kNode) cluster_.SetPid(ref, pid);
  std::string words = name;
  std::ranges::replace(words, '-', ' ');
  children_.Add(
      {.ref = ref, .name = words == "store" ? "the store" : words, .pid = pid, .log = command.log});
  return {};
}

Revival::Hooks Launcher::RevivalHooks(std::function<void(const Error&)> failed) {
  return {.has_ended =
              [this](int node) {
                const Containers* containers = ServiceOf(node).InContainers();
                return containers != nullptr ? containers->IsIdle(node)
                                             : children_.HasEnded({ProcessKind::kNode, node});
              },
          .start = [this](int node) { return StartServer(node); },
          .failed = std::move(failed),
          .ping = [this](int node) { return ServiceOf(node).Ping(); },
          .rejoining = [this](int node) { return ServiceOf(node).AfterRestart(node); },
          .forget_data = [this](int node) { ServiceOf(node).ForgetData(node); },
          .log_of = [this](int node) { return ServiceOf(node).LogOf(node); }};
}

// Clients connect through the proxy, unless the plan is `direct`. The referee bypasses the proxy,
// because it must read the true state.
Result<std::vector<NodeAddress>> Launcher::AddressesOf(int client) {
  std::vector<NodeAddress> addresses;
  for (int node = 0; node <= ServersOf(places_.plan); ++node) {
    const NodeAddress server = ServiceOf(node).ClientAddressOf(node);
    if (client == 0 || places_.plan.direct) {
      addresses.push_back(client == 0 ? ServiceOf(node).RefereeAddressOf(node) : server);
      continue;
    }
    const uint16_t port = TRY(links_.Add({client, node}, server, ProtocolOf(node)));
    addresses.push_back({.unix_path = {}, .host = links_.host(), .port = port});
  }
  return addresses;
}

// A driver connects only over TCP, so it uses its client's links. The referee's driver has its own
// links, on which no fault acts.
Result<std::vector<NodeAddress>> Launcher::DriverNodesOf(int client,
                                                         std::span<const NodeAddress> own) {
  std::vector<NodeAddress> nodes;
  if (!places_.plan.driver) return nodes;
  for (int node = 1; node <= ClientLinksOf(places_.plan); ++node) {
    if (client != 0) {
      nodes.push_back(own[static_cast<size_t>(node)]);
      continue;
    }
    const uint16_t port =
        TRY(links_.Add({client, node}, ServiceOf(node).ClientAddressOf(node), ProtocolOf(node)));
    nodes.push_back({.unix_path = {}, .host = links_.host(), .port = port});
  }
  return nodes;
}

Result<void> Launcher::StopAll() {
  children_.KillAllOf(ProcessKind::kClient);
  Result<void> finished;
  if (!std::exchange(finished_, true)) finished = locks_->Finish();
  children_.KillAll();
  return finished;
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
  const std::optional<DriverPlan>& driver = places_.plan.driver;
  cluster_.AddClient(number, ClockPageOf(ref), driver && driver->own_clock);
  const size_t clock_offset = shared_.ClockPageOffset(ClockPageOf(ref));
  const std::string log = number == 0 ? "referee.log" : fmt::format("client-{}.log", number);
  SpawnRequest spawn{.argv = {"doublehold", std::string(kClientCommand)},
                     .self = true,
                     .environment = ShimEnvironment(shim, shared_.fd(), clock_offset),
                     .descriptors = {shared_.fd(), ends[1]},
                     .log = places_.folder / "clients" / log,
                     .network = number == 0 ? -1 : links_.NetworkOf(ref).fd};
  // The gate says AUTH, so nobody else needs the password.
  if (IsExternal(places_.plan)) spawn.environment.push_back(std::string(kPasswordVariable) + "=");
  const std::vector<std::string> words =
      ToWords({.plan_file = (places_.folder / "plan.json").string(),
               .number = number,
               .memory_fd = shared_.fd(),
               .clock_pages = ClockPagesOf(places_.plan),
               .step_fd = ends[1],
               .addresses = addresses,
               .driver_nodes = driver_nodes,
               .roster = locks_->RosterFor(number)});
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
