#include "compose/cluster/redis/server.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <charconv>
#include <fstream>
#include <string_view>

#include "lib/clock/time_speed.h"
#include "lib/os/run_tool.h"
#include "lib/os/spawn.h"
#include "lib/redis/hiredis_connection.h"

namespace doublehold {
namespace {

constexpr int kLeastMajorVersion = 6;

// Timeout of a vote. After a failed vote, the next vote starts after twice this time.
constexpr Duration kFailoverTimeout = 3s;

}  // namespace

Result<ServerProgram> FindServer(const std::string& path) {
  const std::string missing =
      ": not found, or it does not run; install the Debian package redis-server (./setup.sh)";
  const RunResult run = TRY(RunToEnd({path, "--version"}, {.if_missing = missing}));
  const std::string& output = run.output;
  if (output.empty()) return EnvironmentFailed(path + missing);
  const size_t at = output.find(" v=");
  const bool is_valkey = output.starts_with("Valkey server");
  if ((!is_valkey && !output.starts_with("Redis server")) || at == std::string::npos) {
    return EnvironmentFailed(
        fmt::format("{}: not a redis-server: it says '{}'", path,
                    output.substr(0, std::min<size_t>(output.find('\n'), 60))));
  }
  const std::string version = output.substr(at + 3, output.find(' ', at + 1) - at - 3);
  int major = 0;
  std::from_chars(version.data(), version.data() + version.size(), major);
  if (major < kLeastMajorVersion) {
    return EnvironmentFailed(fmt::format("{}: version {} is too old; {}.0 or later is needed", path,
                                         version, kLeastMajorVersion));
  }
  return ServerProgram{.path = path, .version = is_valkey ? version + " (Valkey)" : version};
}

SpawnRequest ServerCommand(const ServerRequest& request) {
  const bool listens = !request.network.host.empty();
  std::vector<std::string> argv{request.program.path};
  if (!request.config.empty()) argv.push_back(request.config.string());
  argv.insert(argv.end(),
              {"--port", std::to_string(listens ? kServerPort : 0), "--unixsocket",
               request.socket.string(), "--dir", request.folder.string(), "--daemonize", "no"});
  if (listens) argv.insert(argv.end(), {"--bind", request.network.host, "--protected-mode", "no"});
  for (const auto& more : {ServerArguments(request.data), request.settings}) {
    argv.insert(argv.end(), more.begin(), more.end());
  }
  return {.argv = std::move(argv)};
}

Result<SpawnRequest> SentinelCommand(const SentinelRequest& request) {
  std::filesystem::path settings = request.socket;
  settings.replace_extension(".conf");
  std::ofstream out(settings);
  const bool listens = !request.network.host.empty();
  fmt::print(out, "port {}\nunixsocket {}\nsentinel announce-ip {}\n", listens ? kServerPort : 0,
             request.socket.string(), request.announced_host);
  if (listens) fmt::print(out, "bind {}\nprotected-mode no\n", request.network.host);
  fmt::print(out, "sentinel announce-port {}\n", request.announced_port);
  fmt::print(out, "sentinel monitor {} {} {} {}\n", kMasterName, request.announced_host,
             request.master_port, request.quorum);
  fmt::print(out, "sentinel down-after-milliseconds {} {}\n", kMasterName,
             ToMs(request.down_after));
  fmt::print(out, "sentinel failover-timeout {} {}\n", kMasterName, ToMs(kFailoverTimeout));
  out.close();
  if (!out) return EnvironmentFailed(fmt::format("{}: cannot be written", settings.string()));
  return SpawnRequest{.argv = {request.program.path, settings.string(), "--sentinel"}};
}

CallResult AskServer(const std::filesystem::path& socket,
                     std::initializer_list<std::string_view> command, Duration patience) {
  const std::vector<std::string_view> words(command);
  return MakeConnection({.unix_path = socket.string()})
      ->Call(words, RealMono() + OfRealTime(patience));
}

// Parses the reply to ROLE: ["master", offset, replicas] or ["slave", host, port, state, offset].
Role AskRole(const std::filesystem::path& socket) {
  const CallResult result = AskServer(socket, {"ROLE"});
  if (!result || result->items.size() < 2) return {};
  Role role{.role = result->items[0].text, .state = {}};
  if (role.role == "master") role.offset = result->items[1].integer;
  if (role.role == "slave" && result->items.size() == 5) {
    role.state = result->items[3].text;
    role.offset = result->items[4].integer;
  }
  return role;
}

}  // namespace doublehold
