#include "compose/cluster/redis/external_servers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <thread>
#include <utility>

#include "compose/cluster/redis/external_reach.h"
#include "compose/cluster/redis/redis_question.h"
#include "lib/base/words.h"
#include "lib/redis/hiredis_connection.h"

namespace doublehold {
namespace {

// A clock that was set by less does not matter to a lease.
constexpr int kClockStepsPerLease = 10;
constexpr Duration kPausedPatience = 200ms;

// These change more than the keys that they name, or the server itself, or let a connection speak
// another protocol.
constexpr std::array<std::string_view, 22> kForbidden{
    "ACL",      "BGREWRITEAOF", "BGSAVE",    "CLUSTER",  "CONFIG",         "DEBUG",
    "FAILOVER", "FLUSHALL",     "FLUSHDB",   "FUNCTION", "MIGRATE",        "MODULE",
    "MONITOR",  "PSYNC",        "REPLICAOF", "RESTORE",  "RESTORE-ASKING", "SAVE",
    "SHUTDOWN", "SLAVEOF",      "SWAPDB",    "SYNC"};

// Whether a command must not pass. Bytes that are no command must not either, because Redis may
// still see one in them.
bool IsForbidden(std::string_view command) {
  const auto is_odd = [](unsigned char c) {
    return std::isalnum(c) == 0 && c != '_' && c != '.' && c != '-';
  };
  return command.empty() || std::ranges::any_of(command, is_odd) ||
         std::ranges::find(kForbidden, command) != kForbidden.end();
}

LinkId GateOf(int node) { return {.client = 0, .node = node, .peer = kAnyPeer}; }

bool Answers(const NodeAddress& server) {
  const CallResult reply = MakeConnection(server)->Call(std::vector<std::string_view>{"PING"},
                                                        RealMono() + kPausedPatience);
  return reply || reply.error().definite;
}

}  // namespace

// ---- Before the run -----------------------------------------------------------------------------

Result<void> ExternalServers::Prepare() {
  for (int node = 1; node <= parts_.plan.nodes; ++node) {
    const Endpoint endpoint =
        TRY(ParseEndpoint(parts_.plan.endpoints[static_cast<size_t>(node - 1)]));
    Server& server =
        *servers_.emplace(node, std::make_unique<Server>(node, endpoint)).first->second;
    server.leads_to = TRY(FindServer(node, server));
    TRY(server.operators.Open(server.leads_to));
    const ServerState begun = TRY(server.operators.Examine());
    for (int other = 1; other < node; ++other) {
      const Server& earlier = *servers_.at(other);
      if (earlier.begun.contains(begun.process))
        return EnvironmentFailed(fmt::format("{} and {} are the same server",
                                             earlier.operators.Name(), server.operators.Name()));
    }
    server.version = begun.version;
    server.first = begun.process;
    server.begun.emplace(begun.process, begun);
    if (server.primary != nullptr) TRY(ExamineReplicas(server));
  }
  for (auto& [node, server] : servers_) {
    TRY(server->operators.TakeOver(parts_.plan));
    TRY(Guard(node));
  }
  return FindContainers();
}

Result<NodeAddress> ExternalServers::FindServer(int node, Server& server) {
  const Endpoint& endpoint = server.operators.endpoint();
  const auto with_name = [&](const Error& error) {
    return EnvironmentFailed(fmt::format("{}: {}", server.operators.Name(), error.message));
  };
  if (endpoint.tls) {
    Result<NodeAddress> encrypted = Encrypt(parts_, node, endpoint);
    return encrypted ? encrypted : with_name(encrypted.error());
  }
  const Result<std::string> host = Resolve(endpoint.host);
  if (!host) return with_name(host.error());
  const NodeAddress address{.unix_path = {}, .host = *host, .port = endpoint.port};
  if (endpoint.primary.empty()) return address;
  server.primary = std::make_unique<PrimaryWatch>(parts_.io, address, endpoint.primary);
  return AskForPrimary(server);
}

Result<NodeAddress> ExternalServers::AskForPrimary(const Server& server) {
  const CallResult answer = server.primary->FindPrimary();
  const std::optional<NodeAddress> address = PrimaryWatch::ReadAddress(answer);
  if (address) return *address;
  return EnvironmentFailed(fmt::format(
      "{}: {}", server.operators.Name(),
      answer ? "the sentinel names no IPv4 address of this primary; compare the name after '#'"
             : "the sentinel: " + Shortened(answer.error().message)));
}

// Any replica may be the primary at the end.
Result<void> ExternalServers::ExamineReplicas(Server& server) {
  const NodeAddress primary = server.operators.address();
  for (const NodeAddress& replica : PrimaryWatch::ReadReplicas(server.primary->FindReplicas())) {
    if (!server.operators.Open(replica)) continue;
    const Result<ServerState> begun = server.operators.Examine();
    if (!begun) continue;
    server.begun.emplace(begun->process, *begun);
    server.known.push_back(replica);
  }
  server.known.push_back(primary);
  return server.operators.Open(primary);
}

// Leads the gate, if there is one yet, to the server that the sentinel calls the primary.
void ExternalServers::Follow(int node, const NodeAddress& primary) {
  Server& server = *servers_.at(node);
  if (FormatAddress(primary) == FormatAddress(server.leads_to)) return;
  server.leads_to = primary;
  if (!std::exchange(server.has_moved, true) && containers_ != nullptr)
    server.acts_before_move = containers_->Acts(node);
  if (server.gate == 0) return;
  parts_.links.FollowTakeover(GateOf(node), primary);
}

// Pauses each container, to be sure that the node is in it.
Result<void> ExternalServers::FindContainers() {
  if (parts_.plan.containers.empty()) return {};
  containers_ = std::make_unique<Containers>();
  for (const auto& [node, server] : servers_) {
    const std::string& name = parts_.plan.containers.at(static_cast<size_t>(node - 1));
    TRY(containers_->Find(node, name));
    containers_->Pause(node);
    TRY(containers_->Await(node));
    const bool answers = Answers(server->operators.address());
    containers_->Resume(node);
    TRY(containers_->Await(node));
    if (answers)
      return EnvironmentFailed(fmt::format(
          "container '{}' was paused, but {} answered, so that container does not run it; name "
          "the containers in the order of the endpoints",
          name, server->operators.Name()));
  }
  return {};
}

Result<void> ExternalServers::Guard(int node) {
  Server& server = *servers_.at(node);
  server.gate = TRY(parts_.links.Add(GateOf(node), server.operators.address(), Protocol::kRedis,
                                     GreetingOf(server.operators.endpoint())));
  const auto guard = [&](LinkRule rule) {
    rule.action = LinkRule::Action::kReset;
    server.guards.push_back(parts_.links.Guard(GateOf(node), std::move(rule)));
  };
  guard({.matches = [&server](std::string_view command) {
    if (!IsForbidden(command)) return false;
    server.stopped = command.empty() ? "bytes that are no command" : OnOneLine(command);
    return true;
  }});
  for (const char* harm : {"KILL", "PAUSE"}) {  // of the connections of others
    guard({.command = "CLIENT", .key = harm});
  }
  if (server.primary != nullptr)
    server.primary->Begin([this, node](const NodeAddress& primary) { Follow(node, primary); });
  return {};
}

// ---- The run ------------------------------------------------------------------------------------

Result<SpawnRequest> ExternalServers::CommandOf(int node) {
  return EnvironmentFailed(servers_.at(node)->operators.Name() + " was not started by the run");
}

NodeAddress ExternalServers::AddressOf(int node) const {
  return {.unix_path = {}, .host = parts_.links.host(), .port = servers_.at(node)->gate};
}

Question ExternalServers::Ping() const { return RedisPing(); }

std::optional<Question> ExternalServers::AskTime(TellTime tell) const {
  return AskRedisTime(std::move(tell));
}

void ExternalServers::Operate(int node, const std::vector<std::string>& command, Duration timeout,
                              std::function<void(CallResult)> answer) {
  CallAsOperator(parts_.io, AddressOf(node), command, timeout, std::move(answer));
}

std::string ExternalServers::Version() const {
  std::vector<std::string> versions;
  for (const auto& [node, server] : servers_)
    versions.push_back(
        fmt::format("{} at {}{}", server->version, Place(server->operators.endpoint()),
                    server->has_moved ? ", where another server became the primary" : ""));
  return fmt::format("{}", fmt::join(versions, ", "));
}

// After a restart by a fault: notes the new process, and claims the server again.
Rejoining ExternalServers::AfterRestart(int node) {
  const auto note = [this, node](const CallResult& reply) {
    if (!reply) return false;
    NoteRestart(node, FieldOf("\n" + reply->text, "run_id"));
    CallAsOperator(parts_.io, AddressOf(node), servers_.at(node)->operators.claim(),
                   kExternalPatience, [](const CallResult&) {});
    return true;
  };
  return {.question =
              [note] {
                return RedisQuestion({"INFO", "server"}, note);
              },
          .patience = kExternalPatience};
}

// After a failover the process is not that of the container, and others may have restarted it.
void ExternalServers::NoteRestart(int node, const std::string& process) {
  Server& server = *servers_.at(node);
  if (server.has_moved) return;
  server.begun.emplace(process, FreshState(server.begun.at(server.first), process));
}

// ---- After the run ------------------------------------------------------------------------------

Result<void> ExternalServers::Finish() {
  std::optional<Error> first;
  const auto keep = [&](const Result<void>& done) {
    if (!done && !first) first = done.error();
  };
  for (const auto& [node, server] : servers_)
    server->is_down = containers_ != nullptr && containers_->IsDead(node);
  if (containers_ != nullptr) keep(containers_->Restore());
  for (const auto& [node, server] : servers_) {
    if (server->operators.is_taken()) keep(Leave(node));
  }
  if (first) return tl::unexpected(*first);
  return {};
}

Result<void> ExternalServers::Leave(int node) {
  Server& server = *servers_.at(node);
  TRY(RemoveOwn(node));
  TRY(CheckGate(node));
  if (server.is_down) NoteRestart(node, TRY(server.operators.Examine()).process);
  if (server.has_moved && containers_ != nullptr &&
      containers_->Acts(node) > server.acts_before_move)
    return EnvironmentFailed(
        fmt::format("a fault acted on the container of {} after a failover, when another server "
                    "was the primary",
                    server.operators.Name()));
  return CheckUnchanged(server);
}

// Repeats if the sentinel names another primary afterwards, because a failover may be under way.
Result<void> ExternalServers::RemoveOwn(int node) {
  Server& server = *servers_.at(node);
  while (true) {
    Result<void> followed;
    if (server.primary != nullptr) {
      const Result<NodeAddress> primary = AskForPrimary(server);
      if (primary) {
        Follow(node, *primary);
      } else {
        followed = tl::unexpected(primary.error());
      }
    }
    const NodeAddress at = server.leads_to;
    Result<void> left = AwaitAnswer(server, at);
    if (left) left = server.operators.Leave(parts_.plan);
    if (!left)
      return EnvironmentFailed(left.error().message + "; keys of the run may be left there");
    if (!followed || server.primary == nullptr) return followed;
    if (FormatAddress(TRY(AskForPrimary(server))) == FormatAddress(at)) return {};
  }
}

// Reconnects, because the old connection may have lost its login. A container that the run has
// started again needs some time, and so does a new primary.
Result<void> ExternalServers::AwaitAnswer(Server& server, const NodeAddress& at) {
  const MonoTime give_up = RealMono() + kExternalPatience;
  while (true) {
    Result<void> open = server.operators.Open(at);
    if (open) {
      const Result<ServerState> state = server.operators.Examine();
      if (state) return {};
      open = tl::unexpected(state.error());
    }
    if (RealMono() >= give_up || !(server.is_down || server.primary != nullptr)) return open;
    std::this_thread::sleep_for(kLookAgain);
  }
}

Result<void> ExternalServers::CheckGate(int node) {
  Server& server = *servers_.at(node);
  int64_t frames = 0;
  for (const RuleId rule : std::exchange(server.guards, {}))
    frames += parts_.links.Clear(rule).frames;
  if (frames == 0) return {};
  return EnvironmentFailed(fmt::format(
      "a client or its driver sent {} to {}, which the run did not start; that was not passed on",
      server.stopped.empty() ? "CLIENT KILL or PAUSE" : server.stopped, server.operators.Name()));
}

Result<void> ExternalServers::CheckUnchanged(Server& server) {
  const AllowedChanges allowed{.failover = server.primary != nullptr,
                               .clock_step = parts_.plan.lease / kClockStepsPerLease};
  std::string why = WhyChanged(server.begun, TRY(server.operators.Examine()), allowed);
  // A server that was the primary for a while may have lost keys then.
  for (const NodeAddress& other : server.known) {
    if (!why.empty() || !server.operators.Open(other)) continue;
    const Result<ServerState> ended = server.operators.Examine();
    const auto begun = ended ? server.begun.find(ended->process) : server.begun.end();
    if (begun != server.begun.end()) why = WhyLost(begun->second, *ended, allowed.clock_step);
  }
  if (why.empty()) return {};
  return EnvironmentFailed(
      fmt::format("{} {} during the run, so there is no verdict", server.operators.Name(), why));
}

}  // namespace doublehold
