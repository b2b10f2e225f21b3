#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <thread>

#include "compose/command_line.h"
#include "compose/driver_trial.h"
#include "compose/held_ports.h"
#include "compose/kept_drivers.h"
#include "compose/scratch.h"
#include "compose/server.h"
#include "compose/spawn.h"
#include "lib/redis/hiredis_connection.h"

namespace doublehold {
namespace {

namespace po = boost::program_options;

constexpr Duration kServerPatience = 15s;
constexpr Duration kPingInterval = 10ms;

// A server of its own, on a port that the kernel chose; killed when it goes.
class TrialServer {
 public:
  static Result<std::unique_ptr<TrialServer>> Start(const ServerProgram& program) {
    Result<Scratch> scratch = Scratch::Create();
    if (!scratch) return tl::unexpected(scratch.error());
    Result<HeldPorts> port = HeldPorts::Take(1);
    if (!port) return tl::unexpected(port.error());
    std::unique_ptr<TrialServer> server(new TrialServer(std::move(*scratch), std::move(*port)));
    const std::filesystem::path log = server->scratch_.folder() / "server.log";
    const Result<pid_t> pid =
        Spawn({.argv = {program.path, "--port", std::to_string(server->address().port), "--bind",
                        "127.0.0.1", "--save", "", "--dir", server->scratch_.folder().string()},
               .environment = {},
               .descriptors = {},
               .log = log});
    if (!pid) return tl::unexpected(pid.error());
    server->pid_ = *pid;
    const MonoTime give_up = RealMono() + kServerPatience;
    while (!server->Answers()) {
      if (RealMono() >= give_up)
        return EnvironmentFailed("the server did not answer a PING in time: " + LogTail(log));
      std::this_thread::sleep_for(kPingInterval);
    }
    return server;
  }
  ~TrialServer() {
    if (pid_ == 0) return;
    kill(-pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
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

}  // namespace

// driver check [--redis-server PROGRAM] [--option NAME=VALUE] -- COMMAND...
Result<ExitCode> DriverCommand(const Words& words) {
  po::options_description options("options");
  options.add_options()("redis-server", po::value<std::string>()->default_value("redis-server"),
                        "the server program")("option", po::value<Words>()->composing(),
                                              "one of the driver's own: --option name=value");
  const auto end = std::ranges::find(words, "--");
  Result<ParsedLine> line = ParseLine(
      Words(words.begin(), end), options,
      "driver check [options] -- COMMAND...\n"
      "Asks a driver for all that docs/driver-protocol.md says, and tells what is wrong.");
  if (!line) return tl::unexpected(line.error());
  if (line->help) return ExitCode::kAsExpected;
  if (line->rest != Words{"check"} || end == words.end() || end + 1 == words.end())
    return BadInput("of the form: doublehold driver check -- COMMAND...");
  // One word is a kept driver, or a line for the shell, as it is for --driver.
  std::string command = *(end + 1);
  if (words.end() - end == 2) {
    const Result<std::string> kept = DriverCommandOf(command);
    if (!kept) return tl::unexpected(kept.error());
    if (Result<void> ok = InstallDriver(command); !ok) return tl::unexpected(ok.error());
    command = *kept;
  }
  if (words.end() - end > 2) {
    command.clear();
    for (auto word = end + 1; word != words.end(); ++word) {
      if (!command.empty()) command.push_back(' ');
      command += ShellQuoted(*word);
    }
  }
  std::map<std::string, std::string> given;
  if (line->values.contains("option")) {
    for (const std::string& assignment : line->values["option"].as<Words>()) {
      const size_t equals = assignment.find('=');
      if (equals == std::string::npos || equals == 0)
        return BadInput(fmt::format("--option {}: not of the form name=value", assignment));
      given[assignment.substr(0, equals)] = assignment.substr(equals + 1);
    }
  }
  const Result<ServerProgram> program = FindServer(line->values["redis-server"].as<std::string>());
  if (!program) return tl::unexpected(program.error());
  const auto server = TrialServer::Start(*program);
  if (!server) return tl::unexpected(server.error());
  bool all_ok = true;
  TryDriver(command, given, (*server)->address(), [&](const TrialStep& step) {
    const bool ok = step.wrong.empty();
    all_ok = all_ok && ok;
    fmt::print("{:<6} {}{}{}\n", ok ? "ok" : "WRONG", step.what, ok ? "" : ": ", step.wrong);
    std::fflush(stdout);
  });
  return all_ok ? ExitCode::kAsExpected : ExitCode::kEnvironment;
}

}  // namespace doublehold
