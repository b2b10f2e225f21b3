#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <thread>

#include "compose/cluster/redis/server.h"
#include "compose/driver/bundled_drivers.h"
#include "compose/driver/conformance.h"
#include "compose/driver/driver.h"
#include "compose/driver/serve.h"
#include "compose/options/command_line.h"
#include "compose/os/orphans.h"
#include "compose/os/reserved_ports.h"
#include "compose/os/scratch.h"
#include "lib/base/words.h"
#include "lib/os/spawn.h"
#include "lib/redis/hiredis_connection.h"

namespace doublehold {
namespace {

namespace po = boost::program_options;

constexpr Duration kServerPatience = 15s;
constexpr Duration kServePingInterval = 10ms;

// A redis-server on a port that the kernel chose; killed by the destructor.
class TrialServer {
 public:
  static Result<std::unique_ptr<TrialServer>> Start(const ServerProgram& program) {
    Scratch scratch = TRY(Scratch::Create());
    HeldPorts port = TRY(HeldPorts::Take(1));
    std::unique_ptr<TrialServer> server(new TrialServer(std::move(scratch), std::move(port)));
    const std::filesystem::path log = server->scratch_.folder() / "server.log";
    server->pid_ = TRY(
        Spawn({.argv = {program.path, "--port", std::to_string(server->address().port), "--bind",
                        "127.0.0.1", "--save", "", "--dir", server->scratch_.folder().string()},
               .log = log}));
    const MonoTime give_up = RealMono() + kServerPatience;
    while (!server->Answers()) {
      if (RealMono() >= give_up)
        return EnvironmentFailed("the server did not answer a PING in time: " + LogTail(log));
      std::this_thread::sleep_for(kServePingInterval);
    }
    return server;
  }
  ~TrialServer() {
    if (pid_ == 0) return;
    kill(-pid_, SIGKILL);
    AwaitEnd(pid_);
  }
  TrialServer(const TrialServer&) = delete;
  TrialServer& operator=(const TrialServer&) = delete;

  [[nodiscard]] NodeAddress address() const { return {.unix_path = {}, .port = port_.At(0)}; }

 private:
  TrialServer(Scratch scratch, HeldPorts port)
      : scratch_(std::move(scratch)), port_(std::move(port)) {}

  [[nodiscard]] bool Answers() const {
    const std::array<std::string_view, 1> ping{"PING"};
    const CallResult result = MakeConnection(address())->Call(ping, RealMono() + 1s);
    return result && result->text == "PONG";
  }

  Scratch scratch_;
  HeldPorts port_;
  pid_t pid_ = 0;
};

constexpr const char* kUsage =
    "driver check [options] -- COMMAND...\n"
    "Tests a driver against docs/driver-protocol.md, and reports what is wrong.\n"
    "Exit status: 0 correct, 1 something is wrong, 3 bad input, 4 no such program or no server.\n\n"
    "       doublehold driver serve LOCK\n"
    "Serves a built-in lock as a driver: --driver 'doublehold driver serve set-nx-px'.\n"
    "Its options are those of the lock, and call-timeout and retry.* of a run.";

Result<std::string> ReadDriverCommand(Words::const_iterator begin, Words::const_iterator end) {
  // A single word is a bundled driver or a shell command, as for --driver.
  if (end - begin == 1) {
    Result<std::string> kept = FindDriverCommand(*begin);
    if (!kept) return kept;
    TRY(InstallDriver(*begin));
    return kept;
  }
  std::string command;
  for (auto word = begin; word != end; ++word) {
    if (!command.empty()) command.push_back(' ');
    command += ShellQuoted(*word);
  }
  return command;
}

Result<ExitCode> CheckDriver(const std::string& command, const po::variables_map& values) {
  std::map<std::string, std::string> given;
  if (values.contains("option")) {
    for (const std::string& assignment : values["option"].as<Words>()) {
      auto named = TRY(ParseAssignment("option", assignment));
      given[named.first] = std::move(named.second);
    }
  }
  // As in a run, an unknown option is bad input and not a wrong answer of the driver.
  const Result<DriverPlan> met = QueryDriverPlan(command, given);
  if (!given.empty() && !met && met.error().code == ExitCode::kBadInput)
    return tl::unexpected(met.error());
  if (met && met->service != kRedisService) {
    return BadInput(
        fmt::format("the library keeps its locks in {}, and 'driver check' starts only a "
                    "Redis; use doublehold run --driver",
                    met->service));
  }
  const ServerProgram program = TRY(FindServer(values["redis-server"].as<std::string>()));
  const Orphans orphans;  // ends orphaned processes after the drivers and the server have ended
  const auto server = TRY(TrialServer::Start(program));
  ExitCode status = ExitCode::kAsExpected;
  TryDriver(command, given, server->address(), [&](const TrialStep& step) {
    const bool ok = step.wrong.empty();
    if (!ok) status = step.no_program ? ExitCode::kEnvironment : ExitCode::kViolated;
    fmt::print("{:<6} {}{}{}\n", ok ? "ok" : "WRONG", step.what, ok ? "" : ": ", step.wrong);
    std::fflush(stdout);
  });
  return status;
}

}  // namespace

// Usage:
//
//   driver check [--redis-server PROGRAM] [--option NAME=VALUE] -- COMMAND...
//   driver serve LOCK
Result<ExitCode> DriverCommand(const Words& words) {
  po::options_description options("options of check");
  options.add_options()("redis-server", po::value<std::string>()->default_value("redis-server"),
                        "the redis-server program")(
      "option", po::value<Words>()->composing(),
      "set an option of the driver: --option name=value");
  const auto end = std::ranges::find(words, "--");
  ParsedLine line = TRY(ParseLine(Words(words.begin(), end), options, kUsage));
  if (line.help) return ExitCode::kAsExpected;
  if (!line.rest.empty() && line.rest.front() == "serve") {
    if (words.size() != 2) return BadInput("usage: doublehold driver serve LOCK");
    return ServeLock(words.back());
  }
  if (!line.rest.empty() && line.rest.front() != "check")
    return BadInput(UnknownWord("command", line.rest.front(), {"check", "serve"}));
  if (line.rest != Words{"check"} || end == words.end() || end + 1 == words.end())
    return BadInput("usage: doublehold driver check -- COMMAND...");
  const std::string command = TRY(ReadDriverCommand(end + 1, words.end()));
  return CheckDriver(command, line.values);
}

}  // namespace doublehold
