#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "compose/cluster/lone_server.h"
#include "compose/driver/bundled_drivers.h"
#include "compose/driver/conformance.h"
#include "compose/driver/driver.h"
#include "compose/options/command_line.h"
#include "compose/options/program_options.h"
#include "compose/os/last_words.h"
#include "compose/os/orphans.h"
#include "lib/base/words.h"

namespace doublehold {
namespace {

namespace po = boost::program_options;

constexpr const char* kUsage =
    "driver check [options] -- COMMAND...\n"
    "Tests a driver against docs/driver-protocol.md, and reports what is wrong.\n"
    "Exit status: 0 correct, 1 something is wrong, 3 bad input, 4 no such program or no server.";

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

Result<ExitCode> CheckDriver(const std::string& command, const po::variables_map& values,
                             const ChosenPrograms& chosen) {
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
  const std::string service = met ? met->service : std::string(kRedisService);
  const ServerProgram program = TRY(FindProgram(chosen, service));
  const Orphans orphans;  // ends orphaned processes after the drivers and the server have ended
  const auto server = TRY(LoneServer::Start(service, program));
  ExitCode status = ExitCode::kAsExpected;
  const TrialServer trial{.address = server->address(),
                          .close_connections = [&] { server->CloseConnections(); },
                          .lose_locks = [&](Duration cut) { return server->LoseLocks(cut); }};
  const LastWords words("doublehold driver check: interrupted; the steps so far are above");
  TryDriver(command, given, trial, [&](const TrialStep& step) {
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
//   driver check [--redis-server PATH] [--etcd PATH] [--option NAME=VALUE] -- COMMAND...
Result<ExitCode> DriverCommand(const Words& words) {
  po::options_description options("options of check");
  AddProgramOptions(options);
  options.add_options()("option", po::value<Words>()->composing(),
                        "set an option of the driver: --option name=value");
  const auto end = std::ranges::find(words, "--");
  ParsedLine line = TRY(ParseLine(Words(words.begin(), end), options, kUsage));
  if (line.help) return ExitCode::kAsExpected;
  if (!line.rest.empty() && line.rest.front() != "check")
    return BadInput(UnknownWord("command", line.rest.front(), {"check"}));
  if (line.rest != Words{"check"} || end == words.end() || end + 1 == words.end())
    return BadInput("usage: doublehold driver check -- COMMAND...");
  const std::string command = TRY(ReadDriverCommand(end + 1, words.end()));
  return CheckDriver(command, line.values, ReadProgramOptions(line));
}

}  // namespace doublehold
