#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <thread>
#include <tuple>

#include "compose/cli/commands.h"
#include "compose/cli/fault_self_test.h"
#include "compose/cluster/clock_shim.h"
#include "compose/cluster/namespaces.h"
#include "compose/cluster/redis/server.h"
#include "compose/driver/driver.h"
#include "compose/options/command_line.h"
#include "compose/os/last_words.h"
#include "compose/os/scratch.h"
#include "compose/run/run_once.h"

namespace doublehold {
namespace {

struct Finding {
  std::string what;
  bool ok = false;
  bool needed = true;  // false: only some features need it
  std::string detail;  // what was found, or how to fix it
};

// `show` describes the value of a successful result.
template <typename T, typename Show>
Finding MakeFinding(std::string what, bool needed, const Result<T>& result, const Show& show) {
  if (!result) return {std::move(what), false, needed, result.error().message};
  if constexpr (std::is_void_v<T>)
    return {std::move(what), true, needed, show()};
  else
    return {std::move(what), true, needed, show(*result)};
}

// The plan of a short run that only tries the machine.
Result<Plan> ShortPlan(const std::vector<std::pair<std::string, std::string>>& settings_of_run) {
  Settings settings;
  settings.Set("name", "doctor", "doctor");
  settings.Set("lock.name", "set-nx-px", "doctor");
  for (const auto& [name, word] : settings_of_run) settings.Set(name, word, "doctor");
  return BuildPlan(std::move(settings));
}

Result<RunVerdict> RunBriefly(const Plan& plan, const ServerProgram& server) {
  const Scratch scratch = TRY(Scratch::Create());
  return RunOnce({.plan = plan, .folder = scratch.folder(), .programs = {server, server}});
}

std::string FormatSpan(int64_t span_ns) {
  return fmt::format("{:.1f} ms", ToSeconds(Duration(span_ns)) * 1000);
}

// A short run with a clock jump that uses every part: servers, shim, proxy, clients, checkers.
Result<std::string> TryRun(const ServerProgram& server) {
  const Plan plan = TRY(
      ShortPlan({{"workload.duration", "1500ms"}, {"workload.clients", "2"}, {"faults", "clock"}}));
  const RunVerdict verdict = TRY(RunBriefly(plan, server));
  for (const ClaimVerdict& claim : verdict.claims) {
    if (claim.claim == "lease-exclusion" && claim.outcome == Outcome::kViolated) {
      return fmt::format("moving a clock made set-nx-px grant twice, as expected ({} grants)",
                         verdict.tally.grants);
    }
  }
  return EnvironmentFailed(
      "moving a server's clock had no effect: the clock shim does not work with this redis-server");
}

// Finds with how many clients the machine stalls. A lease that is shorter than such a stall makes a
// run unknown.
Result<std::string> TryLoad(const ServerProgram& server) {
  int most = 0;
  for (const int clients : {4, 16, 64, 256}) {
    const Plan plan = TRY(ShortPlan(
        {{"workload.duration", "1500ms"}, {"workload.clients", std::to_string(clients)}}));
    const RunVerdict verdict = TRY(RunBriefly(plan, server));
    if (verdict.stalls > 0) {
      return fmt::format("up to {} clients without a stall; with {} clients {} {}, at most {}",
                         most, clients, verdict.stalls, verdict.stalls == 1 ? "stall" : "stalls",
                         FormatSpan(verdict.longest_stall_ns));
    }
    most = clients;
  }
  return fmt::format("{} clients without a stall", most);
}

std::string DescribeTrial(const FaultTrial& trial) {
  if (!trial.acted) return trial.what + ": it had no effect";
  if (trial.asked_ns == 0) return trial.what + ": it took effect; there is nothing to measure";
  return fmt::format("{}: requested {}, measured {}", trial.what, FormatSpan(trial.asked_ns),
                     FormatSpan(trial.measured_ns));
}

constexpr const char* kInterruptedDoctor = "interrupted; the findings so far are above";

// Whether the error is an interruption: only then a run on real servers fails with this status.
bool IsInterruption(const Error& error) { return error.code == ExitCode::kUnknown; }

std::string InterruptionLine() { return fmt::format("doublehold doctor: {}", kInterruptedDoctor); }

// Prints each finding when it is added.
class Findings {
 public:
  explicit Findings(bool as_json) : as_json_(as_json) { Listen(); }

  void Add(const Finding& finding) {
    all_needed_ = all_needed_ && (finding.ok || !finding.needed);
    json_.push_back({{"what", finding.what},
                     {"ok", finding.ok},
                     {"needed", finding.needed},
                     {"detail", finding.detail}});
    Listen();
    if (as_json_) return;
    fmt::print("{:<8} {:<18} {}\n",
               finding.ok       ? "ok"
               : finding.needed ? "MISSING"
                                : "without",
               finding.what, finding.detail);
    std::fflush(stdout);
  }
  // Prints the findings as JSON, if that was requested.
  ExitCode End() {
    fmt::print("{}", Rest());
    std::fflush(stdout);
    return all_needed_ ? ExitCode::kAsExpected : ExitCode::kEnvironment;
  }

 private:
  [[nodiscard]] std::string Rest() const { return as_json_ ? json_.dump(2) + "\n" : ""; }
  void Listen() { words_.Set(Rest(), InterruptionLine()); }

  bool as_json_;
  bool all_needed_ = true;
  nlohmann::json json_ = nlohmann::json::array();
  LastWords words_{InterruptionLine()};
};

Result<ExitCode> ReportMachine(const std::string& redis, bool as_json) {
  const auto itself = [](const std::string& text) { return text; };
  Findings findings(as_json);
  const Result<ServerProgram> server = FindServer(redis);
  findings.Add(MakeFinding("redis-server", true, server, [](const ServerProgram& found) {
    return found.path + " " + found.version;
  }));
  const Result<std::filesystem::path> shim = FindClockShim();
  findings.Add(
      MakeFinding("clock shim", true, shim, [](const auto& path) { return path.string(); }));
  if (server && shim) {
    for (const auto& [what, needed, try_it] :
         {std::tuple("a run with faults", true, &TryRun), std::tuple("load", false, &TryLoad)}) {
      const Result<std::string> run = try_it(*server);
      if (!run && IsInterruption(run.error())) {
        (void)findings.End();
        return tl::unexpected(Error{ExitCode::kUnknown, kInterruptedDoctor, {}});
      }
      findings.Add(MakeFinding(what, needed, run, itself));
    }
  }
  findings.Add(MakeFinding("reports", false, FindPython(), itself));
  findings.Add(MakeFinding("net namespaces", false, TryNamespaces(),
                           [] { return "network namespaces, ip and iptables"; }));
  findings.Add(MakeFinding("packet delay", false, TryNetem(), [] { return "netem"; }));
  const unsigned cores = std::thread::hardware_concurrency();
  findings.Add(
      {"cores", cores >= 2, false,
       cores >= 2 ? std::to_string(cores) : "one core: stalls will make many verdicts unknown"});
  return findings.End();
}

// Tries each kind of fault, which takes a second, and prints a line after each.
Result<ExitCode> TryFaults(const ServerProgram& server, bool as_json) {
  bool all_acted = true;
  nlohmann::json json = nlohmann::json::array();
  LastWords words(InterruptionLine());
  for (const FaultEntry& fault : Faults()) {
    const Result<FaultTrial> trial = TryFault(fault, server);
    if (!trial && IsInterruption(trial.error())) {
      if (as_json) fmt::print("{}\n", json.dump(2));
      return tl::unexpected(Error{ExitCode::kUnknown, kInterruptedDoctor, {}});
    }
    const bool acted = trial && trial->acted;
    all_acted = all_acted && acted;
    json.push_back({{"fault", fault.name},
                    {"acted", acted},
                    {"what", trial ? trial->what : ""},
                    {"asked_ns", trial ? trial->asked_ns : 0},
                    {"measured_ns", trial ? trial->measured_ns : 0},
                    {"error", trial ? "" : trial.error().message}});
    words.Set(as_json ? json.dump(2) + "\n" : "", InterruptionLine());
    if (as_json) continue;
    fmt::print("{:<8} {:<18} {}\n", acted ? "ok" : "FAILED", fault.name,
               trial ? DescribeTrial(*trial) : trial.error().message);
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
  return ReportMachine(redis, line.values.contains("json"));
}

}  // namespace doublehold
