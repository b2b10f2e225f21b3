#include "compose/cluster/redis/external_servers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <thread>
#include <utility>

#include "compose/cluster/redis/external_reach.h"
#include "compose/cluster/redis/redis_question.h"
#include "compose/cluster/redis/server_state.h"
#include "compose/plan/plan_builder.h"
#include "lib/base/words.h"
#include "lib/redis/find_keys.h"
#include "lib/redis/hiredis_connection.h"

namespace doublehold {
namespace {

constexpr size_t kMostNames = 3;  // in a message
// A clock that was set by less does not matter to a lease.
constexpr int kClockStepsPerLease = 10;

// Exists while a run uses the server. Its time to live is longer than any run.
constexpr const char* kMarker = "dh:run";
constexpr Duration kMarkerSlack = std::chrono::minutes(2);

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

Duration ClockNow() { return RealMono().time_since_epoch(); }

}  // namespace

std::string ExternalServers::NameOf(int node) const {
  return fmt::format("node {} ({})", node, Place(servers_.at(node).endpoint));
}

// ---- Before the run -----------------------------------------------------------------------------

Result<void> ExternalServers::Prepare() {
  for (int node = 1; node <= parts_.plan.nodes; ++node) {
    Server& server = servers_[node];
    server.endpoint = TRY(ParseEndpoint(parts_.plan.endpoints[static_cast<size_t>(node - 1)]));
    TRY(FindServer(node, server));
    TRY(Open(node, server));
    const ServerState begun = TRY(Examine(node));
    for (int other = 1; other < node; ++other) {
      if (servers_.at(other).begun.contains(begun.process))
        return EnvironmentFailed(
            fmt::format("{} and {} are the same server", NameOf(other), NameOf(node)));
    }
    server.version = begun.version;
    server.begun.emplace(begun.process, begun);
    if (server.primary != nullptr) TRY(ExamineReplicas(node));
  }
  for (auto& [node, server] : servers_) {
    TRY(TakeOver(node));
    TRY(Guard(node));
  }
  return FindContainers();
}

Result<void> ExternalServers::FindServer(int node, Server& server) {
  if (server.endpoint.tls) {
    server.address = TRY(Encrypt(parts_, node, server.endpoint));
    return {};
  }
  const Result<std::string> host = Resolve(server.endpoint.host);
  if (!host) return EnvironmentFailed(fmt::format("{}: {}", NameOf(node), host.error().message));
  server.address = {.unix_path = {}, .host = *host, .port = server.endpoint.port};
  if (server.endpoint.primary.empty()) return {};
  server.primary =
      std::make_unique<PrimaryWatch>(parts_.io, server.address, server.endpoint.primary);
  server.address = TRY(AskForPrimary(node));
  return {};
}

Result<NodeAddress> ExternalServers::AskForPrimary(int node) {
  const CallResult answer = servers_.at(node).primary->FindPrimary();
  const std::optional<NodeAddress> address = PrimaryWatch::ReadAddress(answer);
  if (address) return *address;
  return EnvironmentFailed(
      fmt::format("{}: {}", NameOf(node),
                  answer ? "the sentinel knows no primary of this name with an address of IPv4"
                         : Shortened(answer.error().message)));
}

// Any replica may be the primary at the end. One that does not answer cannot win.
Result<void> ExternalServers::ExamineReplicas(int node) {
  Server& server = servers_.at(node);
  const NodeAddress primary = server.address;
  for (const NodeAddress& replica : PrimaryWatch::ReadReplicas(server.primary->FindReplicas())) {
    server.address = replica;
    if (!Open(node, server)) continue;
    const Result<ServerState> begun = Examine(node);
    if (begun) server.begun.emplace(begun->process, *begun);
  }
  server.address = primary;
  return Open(node, server);
}

// Leads the gate to the server that the sentinel calls the primary.
void ExternalServers::Follow(int node, const NodeAddress& primary) {
  Server& server = servers_.at(node);
  if (FormatAddress(primary) == FormatAddress(server.address)) return;
  server.address = primary;
  server.has_moved = true;
  parts_.links.Redirect(GateOf(node), primary);
  parts_.links.Reset(GateOf(node));
}

Result<void> ExternalServers::FindContainers() {
  const std::vector<std::string>& names = parts_.plan.containers;
  if (names.empty()) return {};
  containers_ = std::make_unique<Containers>();
  for (const auto& [node, server] : servers_)
    TRY(containers_->Find(node, names.at(static_cast<size_t>(node - 1)), server.address.port));
  return {};
}

Result<void> ExternalServers::Guard(int node) {
  Server& server = servers_.at(node);
  server.gate = TRY(parts_.links.Add(GateOf(node), server.address, Protocol::kRedis,
                                     GreetingOf(server.endpoint)));
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

Result<void> ExternalServers::Open(int node, Server& server) {
  server.operators = MakeConnection(server.address);
  for (const std::vector<std::string>& command : OpeningOf(server.endpoint))
    TRY(Ask(node, command));
  return {};
}

Result<Reply> ExternalServers::Ask(int node, std::vector<std::string> command) {
  const std::vector<std::string_view> words(command.begin(), command.end());
  CallResult reply = servers_.at(node).operators->Call(words, RealMono() + kExternalPatience);
  if (reply) return std::move(*reply);
  const std::string why = Shortened(reply.error().message);
  std::string hint;
  if (why.starts_with("NOAUTH") || why.find("PASS") != std::string::npos) {
    hint = fmt::format("; the password is read from {}", kPasswordVariable);
  } else if (servers_.at(node).endpoint.tls && !reply.error().definite) {
    hint = "; if a private authority signed its certificate, set SSL_CERT_FILE to its file";
  }
  return EnvironmentFailed(fmt::format("{}: {}: {}{}", NameOf(node), command.front(), why, hint));
}

Result<ServerState> ExternalServers::Examine(int node) {
  const std::string info =
      TRY(Ask(node, {"INFO"})).text + "\n" + TRY(Ask(node, {"INFO", "commandstats"})).text;
  if (FieldOf(info, "redis_mode") == "sentinel" || FieldOf(info, "cluster_enabled") == "1") {
    return EnvironmentFailed(fmt::format(
        "{} is a sentinel or a node of a cluster; endpoints are independent servers, or "
        "redis-sentinel://",
        NameOf(node)));
  }
  ServerState state = ReadServerState(info);
  const Duration before = ClockNow();
  const CallResult time = TRY(Ask(node, {"TIME"}));
  const Duration after = ClockNow();
  const std::optional<Duration> clock = ReadRedisTime(time);
  if (!clock) return EnvironmentFailed(NameOf(node) + ": TIME: not a time in the reply");
  state.clock = *clock - (before + after) / 2;
  state.asked_in = after - before;
  return state;
}

Result<std::vector<std::string>> ExternalServers::OwnKeys(int node) {
  const auto found = FindKeysOf(*servers_.at(node).operators, FactsOf(parts_.plan).keys,
                                RealMono() + kExternalPatience);
  if (found) return *found;
  return EnvironmentFailed(
      fmt::format("{}: SCAN: {}", NameOf(node), OnOneLine(found.error().message)));
}

Result<void> ExternalServers::Remove(int node, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) TRY(Ask(node, {"UNLINK", key}));
  return {};
}

// Makes sure that nobody else uses keys with the run's names, and that the server can be written.
// The marker comes first, so that of two runs at once only one looks further.
Result<void> ExternalServers::TakeOver(int node) {
  Server& server = servers_.at(node);
  if (parts_.plan.owns_servers) TRY(Ask(node, {"UNLINK", kMarker}));
  const int64_t lasts_ms = ToMs(parts_.plan.duration * 2 + parts_.plan.lease * 20 + kMarkerSlack);
  std::string marker = fmt::format("{} at {}", getpid(), ToNs(RealMono().time_since_epoch()));
  const Reply made = TRY(Ask(node, {"SET", kMarker, marker, "NX", "PX", std::to_string(lasts_ms)}));
  std::vector<std::string> taken{kMarker};
  if (!made.IsNil()) {
    server.marker = std::move(marker);
    taken = TRY(OwnKeys(node));
  }
  if (taken.empty()) return {};
  if (parts_.plan.owns_servers && !made.IsNil()) return Remove(node, taken);
  server.keeps_keys = true;
  const size_t number = taken.size();
  if (number > kMostNames) taken.resize(kMostNames);
  return EnvironmentFailed(fmt::format(
      "{} already has {} with names that the run uses ({}{}): another run uses the server, or a "
      "killed run left {}; to delete {}, add --i-own-this-server",
      NameOf(node), number == 1 ? "a key" : fmt::format("{} keys", number),
      OnOneLine(fmt::format("{}", fmt::join(taken, ", "))), number > kMostNames ? ", ..." : "",
      number == 1 ? "it" : "them", number == 1 ? "it" : "them"));
}

// ---- The run ------------------------------------------------------------------------------------

Result<SpawnRequest> ExternalServers::CommandOf(int node) {
  return EnvironmentFailed(NameOf(node) + " was not started by the run");
}

NodeAddress ExternalServers::AddressOf(int node) const {
  return {.unix_path = {}, .host = parts_.links.host(), .port = servers_.at(node).gate};
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
        fmt::format("{} at {}{}", server.version, Place(server.endpoint),
                    server.has_moved ? ", where another server became the primary" : ""));
  return fmt::format("{}", fmt::join(versions, ", "));
}

// ---- After the run ------------------------------------------------------------------------------

Result<void> ExternalServers::Finish() {
  std::optional<Error> first;
  if (containers_ != nullptr) {
    if (const Result<void> restored = containers_->Restore(); !restored) first = restored.error();
  }
  for (auto& [node, server] : servers_) {
    if (server.marker.empty()) continue;  // Prepare failed before it took this server over
    if (const Result<void> left = Leave(node); !left && !first) first = left.error();
  }
  if (first) return tl::unexpected(*first);
  return {};
}

Result<void> ExternalServers::Leave(int node) {
  if (servers_.at(node).primary != nullptr) Follow(node, TRY(AskForPrimary(node)));
  AwaitAnswer(node);
  const Result<void> removed = RemoveOwn(node);
  if (!removed)
    return EnvironmentFailed(removed.error().message + "; keys of the run may be left there");
  TRY(CheckGate(node));
  return CheckUnchanged(node);
}

// A container that the run has started again needs some time, and so does a new primary.
void ExternalServers::AwaitAnswer(int node) {
  if (!WasKilled(node) && !servers_.at(node).has_moved) return;
  const MonoTime give_up = RealMono() + kExternalPatience;
  while (!Open(node, servers_.at(node)) || !Ask(node, {"PING"})) {
    if (RealMono() >= give_up) return;
    std::this_thread::sleep_for(kLookAgain);
  }
}

Result<void> ExternalServers::RemoveOwn(int node) {
  Server& server = servers_.at(node);
  TRY(Open(node, server));  // the old connection may have lost its AUTH
  if (!server.keeps_keys) TRY(Remove(node, TRY(OwnKeys(node))));
  // The marker may have ended, and another run may have begun.
  if (TRY(Ask(node, {"GET", kMarker})).text == server.marker) TRY(Remove(node, {kMarker}));
  return {};
}

Result<void> ExternalServers::CheckGate(int node) {
  Server& server = servers_.at(node);
  int64_t frames = 0;
  for (const RuleId rule : std::exchange(server.guards, {}))
    frames += parts_.links.Clear(rule).frames;
  if (frames == 0) return {};
  return EnvironmentFailed(fmt::format(
      "a client or its driver sent {} to {}, which the run did not start; that was not passed on",
      server.stopped.empty() ? "CLIENT KILL or PAUSE" : server.stopped, NameOf(node)));
}

Result<void> ExternalServers::CheckUnchanged(int node) {
  const Server& server = servers_.at(node);
  const std::string why = WhyChanged(server.begun, TRY(Examine(node)),
                                     {.restart = WasKilled(node),
                                      .failover = server.primary != nullptr,
                                      .clock_step = parts_.plan.lease / kClockStepsPerLease});
  if (why.empty()) return {};
  return EnvironmentFailed(fmt::format(
      "{} {} during the run, which therefore says nothing about the lock", NameOf(node), why));
}

}  // namespace doublehold
