#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <thread>

#include "compose/cli/commands.h"
#include "compose/cli/fault_self_test.h"
#include "compose/cluster/namespaces.h"
#include "compose/driver/driver.h"
#include "compose/options/command_line.h"
#include "compose/os/scratch.h"
#include "compose/run/run_once.h"

namespace doublehold {
namespace {

struct Finding {
  std::string what;
  bool ok = false;
  bool needed = true;  // false: without it only some features are missing
  std::string detail;  // what was found, or how to fix it
};

// `show` describes what was found.
template <typename T, typename Show>
Finding FindingOf(std::string what, bool needed, const Result<T>& result, const Show& show) {
  if (!result) return {std::move(what), false, needed, result.error().message};
  if constexpr (std::is_void_v<T>)
    return {std::move(what), true, needed, show()};
  else
    return {std::move(what), true, needed, show(*result)};
}

// A short run with a clock jump that uses every part: servers, shim, proxy, clients, checkers.
Result<std::string> TryRun(const ServerProgram& server) {
  Settings settings;
  settings.Set("name", "doctor", "doctor");
  settings.Set("lock.name", "set-nx-px", "doctor");
  settings.Set("workload.duration", "1500ms", "doctor");
  settings.Set("workload.clients", "2", "doctor");
  settings.Set("faults", "clock", "doctor");
  const Plan plan = TRY(BuildPlan(std::move(settings)));
  const Scratch scratch = TRY(Scratch::Create());
  const RunVerdict verdict =
      TRY(RunOnce({.plan = plan, .folder = scratch.folder(), .server = server}));
  for (const ClaimVerdict& claim : verdict.claims) {
    if (claim.claim == "lease-exclusion" && claim.outcome == Outcome::kViolated) {
      return fmt::format("moving a clock made set-nx-px grant twice, as expected ({} grants)",
                         verdict.tally.grants);
    }
  }
  return EnvironmentFailed(
      "moving a server's clock had no effect: the clock shim does not work with this redis-server");
}

std::string ShownSpan(int64_t span_ns) {
  return fmt::format("{:.1f} ms", ToSeconds(Duration(span_ns)) * 1000);
}

std::string DetailOf(const FaultTrial& trial) {
  if (!trial.acted) return trial.what + ": it had no effect";
  if (trial.asked_ns == 0) return trial.what + ": it took effect; there is nothing to measure";
  return fmt::format("{}: requested {}, measured {}", trial.what, ShownSpan(trial.asked_ns),
                     ShownSpan(trial.measured_ns));
}

// Prints one line for each kind of fault as it is done: each takes a second.
Result<ExitCode> TryFaults(const ServerProgram& server, bool as_json) {
  bool all_acted = true;
  nlohmann::json json = nlohmann::json::array();
  for (const FaultEntry& fault : Faults()) {
    const Result<FaultTrial> trial = TryFault(fault, server);
    const bool acted = trial && trial->acted;
    all_acted = all_acted && acted;
    json.push_back({{"fault", fault.name},
                    {"acted", acted},
                    {"what", trial ? trial->what : ""},
                    {"asked_ns", trial ? trial->asked_ns : 0},
                    {"measured_ns", trial ? trial->measured_ns : 0},
                    {"error", trial ? "" : trial.error().message}});
    if (as_json) continue;
    fmt::print("{:<8} {:<18} {}\n", acted ? "ok" : "FAILED", fault.name,
               trial ? DetailOf(*trial) : trial.error().message);
    std::fflush(stdout);
  }
  if (as_json) fmt::print("{}\n", json.dump(2));
  return all_acted ? ExitCode::kAsExpected : ExitCode::kEnvironment;
}

}  // namespace

Result<ExitCode> DoctorCommand(const Words& words) {
  namespace po = boost::program_options;
  po::options_description options("options");
  options.add_options()("json", "print JSON");
  options.add_options()("faults",
                        "inject each fault alone, and compare requested and measured values");
  options.add_options()("redis-server", po::value<std::string>()->default_value("redis-server"),
                        "the redis-server program");
  ParsedLine line =
      TRY(ParseLine(words, options, "doctor\nReports what this machine supports and lacks."));
  if (line.help) return ExitCode::kAsExpected;
  if (!line.rest.empty())
    return BadInput(
        fmt::format("'{}': doctor takes no arguments, only options", line.rest.front()));
  const std::string redis = line.values["redis-server"].as<std::string>();
  if (line.values.contains("faults")) {
    const ServerProgram server = TRY(FindServer(redis));
    return TryFaults(server, line.values.contains("json"));
  }
  const auto itself = [](const std::string& text) { return text; };
  std::vector<Finding> findings;
  const Result<ServerProgram> server = FindServer(redis);
  findings.push_back(FindingOf("redis-server", true, server, [](const ServerProgram& found) {
    return found.path + " " + found.version;
  }));
  const Result<std::filesystem::path> shim = FindClockShim();
  findings.push_back(
      FindingOf("clock shim", true, shim, [](const auto& path) { return path.string(); }));
  if (server && shim)
    findings.push_back(FindingOf("a run with faults", true, TryRun(*server), itself));
  findings.push_back(FindingOf("reports", false, FindPython(), itself));
  findings.push_back(FindingOf("net namespaces", false, TryNamespaces(),
                               [] { return "network namespaces, ip and iptables"; }));
  findings.push_back(FindingOf("packet delay", false, TryNetem(), [] { return "netem"; }));
  const unsigned cores = std::thread::hardware_concurrency();
  findings.push_back(
      {"cores", cores >= 2, false,
       cores >= 2 ? std::to_string(cores) : "one core: stalls will make many verdicts unknown"});
  bool all_needed = true;
  nlohmann::json json = nlohmann::json::array();
  for (const Finding& finding : findings) {
    all_needed = all_needed && (finding.ok || !finding.needed);
    json.push_back({{"what", finding.what},
                    {"ok", finding.ok},
                    {"needed", finding.needed},
                    {"detail", finding.detail}});
    if (line.values.contains("json")) continue;
    fmt::print("{:<8} {:<18} {}\n",
               finding.ok       ? "ok"
               : finding.needed ? "MISSING"
                                : "without",
               finding.what, finding.detail);
  }
  if (line.values.contains("json")) fmt::print("{}\n", json.dump(2));
  return all_needed ? ExitCode::kAsExpected : ExitCode::kEnvironment;
}

}  // namespace doublehold
