#include "compose/cluster/redis/external_servers.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <netdb.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <thread>
#include <utility>

#include "compose/cluster/redis/redis_question.h"
#include "compose/plan/plan_builder.h"
#include "lib/base/words.h"
#include "lib/os/run_tool.h"
#include "lib/redis/find_keys.h"
#include "lib/redis/hiredis_connection.h"

namespace doublehold {
namespace {

constexpr Duration kExternalPatience = 5s;
constexpr Duration kLookAgain = 10ms;
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

// What a server says of itself (INFO) and must not change in a run, and what a change means.
struct Lasting {
  const char* field;
  const char* change;
};
constexpr const char* kFlushed = "was flushed";
constexpr std::array<Lasting, 7> kLasting{
    Lasting{"run_id", "was restarted"},
    Lasting{"role", "changed its role"},
    Lasting{"master_replid", "was a replica for a while"},
    Lasting{"evicted_keys", "evicted keys, perhaps those of locks (maxmemory-policy)"},
    Lasting{"cmdstat_flushall", kFlushed},
    Lasting{"cmdstat_flushdb", kFlushed},
    Lasting{"cmdstat_swapdb", "had its databases swapped"}};

std::string Password() {
  const char* password = std::getenv(kPasswordVariable);
  return password == nullptr ? "" : password;
}

// The commands that a new connection needs first.
std::vector<std::vector<std::string>> OpeningOf(const Endpoint& endpoint) {
  std::vector<std::vector<std::string>> commands;
  const std::string password = Password();
  if (!endpoint.user.empty()) {
    commands.push_back({"AUTH", endpoint.user, password});
  } else if (!password.empty()) {
    commands.push_back({"AUTH", password});
  }
  if (endpoint.database != 0) commands.push_back({"SELECT", std::to_string(endpoint.database)});
  return commands;
}

Greeting GreetingOf(const Endpoint& endpoint) {
  Greeting greeting;
  for (const std::vector<std::string>& command : OpeningOf(endpoint)) {
    greeting.bytes += FormatCommand(std::vector<std::string_view>(command.begin(), command.end()));
    ++greeting.commands;
  }
  return greeting;
}

// Finds the IPv4 address of a host.
Result<std::string> Resolve(const std::string& host) {
  addrinfo hints{};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = getaddrinfo(host.c_str(), nullptr, &hints, &found); error != 0)
    return EnvironmentFailed(gai_strerror(error));
  std::array<char, INET_ADDRSTRLEN> text{};
  inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(found->ai_addr)->sin_addr, text.data(),
            text.size());
  freeaddrinfo(found);
  return std::string(text.data());
}

// Returns the value of "name:value" in the reply to INFO, or an empty text.
std::string FieldOf(const std::string& info, std::string_view name) {
  const std::string line = fmt::format("\n{}:", name);
  const size_t at = info.find(line);
  if (at == std::string::npos) return "";
  const size_t from = at + line.size();
  return info.substr(from, info.find_first_of("\r\n", from) - from);
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
    if (server.endpoint.tls) {
      server.address = TRY(Encrypt(node, server.endpoint));
    } else {
      const Result<std::string> host = Resolve(server.endpoint.host);
      if (!host)
        return EnvironmentFailed(fmt::format("{}: {}", NameOf(node), host.error().message));
      server.address = {.unix_path = {}, .host = *host, .port = server.endpoint.port};
    }
    TRY(Open(node, server));
    server.begun = TRY(Examine(node));
    for (int other = 1; other < node; ++other) {
      if (servers_.at(other).begun.lasting.front() == server.begun.lasting.front())
        return EnvironmentFailed(
            fmt::format("{} and {} are the same server", NameOf(other), NameOf(node)));
    }
  }
  for (auto& [node, server] : servers_) {
    TRY(TakeOver(node));
    TRY(Guard(node));
  }
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
  return {};
}

// Starts a program that encrypts, and returns where it listens.
Result<NodeAddress> ExternalServers::Encrypt(int node, const Endpoint& endpoint) {
  constexpr const char* kProgram = "stunnel";
  constexpr const char* kUsualAuthorities = "/etc/ssl/certs/ca-certificates.crt";
  const std::string missing = "stunnel: not found; install the Debian package stunnel4";
  if (TRY(RunToEnd({kProgram, "-version"}, {.with_errors = true, .if_missing = missing}))
          .output.empty())
    return EnvironmentFailed(missing);
  const char* chosen = std::getenv("SSL_CERT_FILE");  // as with every program that uses OpenSSL
  const std::filesystem::path settings = parts_.folder / fmt::format("tls-{}.conf", node);
  const std::filesystem::path socket = parts_.folder / fmt::format("tls-{}.sock", node);
  in_addr ignored{};
  const bool is_number = inet_pton(AF_INET, endpoint.host.c_str(), &ignored) == 1;
  std::ofstream out(settings);
  out << fmt::format(
      "foreground = yes\npid =\nsyslog = no\n[node]\nclient = yes\naccept = {}\nconnect = {}\n"
      "verifyChain = yes\nCAfile = {}\n{} = {}\nTIMEOUTclose = 0\n",
      socket.string(), Place(endpoint), chosen == nullptr ? kUsualAuthorities : chosen,
      is_number ? "checkIP" : "checkHost", endpoint.host);
  out.close();
  if (!out) return EnvironmentFailed(fmt::format("{}: cannot be written", settings.string()));
  TRY(parts_.start({ProcessRef::Kind::kSentinel, node}, fmt::format("tls-{}", node),
                   {.argv = {kProgram, settings.string()}}));
  const MonoTime give_up = RealMono() + kExternalPatience;
  while (!std::filesystem::exists(socket) && RealMono() < give_up)
    std::this_thread::sleep_for(kLookAgain);
  return NodeAddress{.unix_path = socket.string(), .host = {}, .port = 0};
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
  const std::string why = OnOneLine(reply.error().message);
  std::string hint;
  if (why.starts_with("NOAUTH") || why.find("PASS") != std::string::npos) {
    hint = fmt::format("; the password is read from {}", kPasswordVariable);
  } else if (servers_.at(node).endpoint.tls && !reply.error().definite) {
    hint = "; if a private authority signed its certificate, set SSL_CERT_FILE to its file";
  }
  return EnvironmentFailed(fmt::format("{}: {}: {}{}", NameOf(node), command.front(), why, hint));
}

Result<ExternalServers::State> ExternalServers::Examine(int node) {
  const std::string info =
      TRY(Ask(node, {"INFO"})).text + "\n" + TRY(Ask(node, {"INFO", "commandstats"})).text;
  if (FieldOf(info, "redis_mode") == "sentinel" || FieldOf(info, "cluster_enabled") == "1") {
    return EnvironmentFailed(fmt::format(
        "{} is a sentinel or a node of a cluster; endpoints must be independent servers",
        NameOf(node)));
  }
  const std::string valkey = FieldOf(info, "valkey_version");
  State state{.version = valkey.empty() ? FieldOf(info, "redis_version") : valkey + " (Valkey)"};
  for (const Lasting& lasting : kLasting) state.lasting.push_back(FieldOf(info, lasting.field));
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
    versions.push_back(fmt::format("{} at {}", server.begun.version, Place(server.endpoint)));
  return fmt::format("{}", fmt::join(versions, ", "));
}

// ---- After the run ------------------------------------------------------------------------------

Result<void> ExternalServers::Finish() {
  std::optional<Error> first;
  for (auto& [node, server] : servers_) {
    if (server.marker.empty()) continue;  // Prepare failed before it took this server over
    if (const Result<void> left = Leave(node); !left && !first) first = left.error();
  }
  if (first) return tl::unexpected(*first);
  return {};
}

Result<void> ExternalServers::Leave(int node) {
  const Result<void> removed = RemoveOwn(node);
  if (!removed)
    return EnvironmentFailed(removed.error().message + "; keys of the run may be left there");
  TRY(CheckGate(node));
  return CheckUnchanged(node);
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
  const State& begun = servers_.at(node).begun;
  const State ended = TRY(Examine(node));
  const Duration step = ended.clock - begun.clock;
  std::string why;
  if (std::chrono::abs(step) >
      parts_.plan.lease / kClockStepsPerLease + begun.asked_in + ended.asked_in)
    why = fmt::format("had its clock moved by {}", FormatDuration(step));
  for (size_t i = kLasting.size(); i-- > 0;) {
    if (ended.lasting[i] != begun.lasting[i]) why = kLasting[i].change;
  }
  if (why.empty()) return {};
  return EnvironmentFailed(fmt::format(
      "{} {} during the run, which therefore says nothing about the lock", NameOf(node), why));
}

}  // namespace doublehold
