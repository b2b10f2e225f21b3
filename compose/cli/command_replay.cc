#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "checker/evidence/names.h"
#include "compose/cluster/namespaces.h"
#include "compose/cluster/service.h"
#include "compose/explore/scenario_settings.h"
#include "compose/options/command_line.h"
#include "compose/options/program_options.h"
#include "compose/os/run_folder.h"
#include "compose/replay/execution_story.h"
#include "compose/replay/no_return.h"
#include "compose/replay/trace.h"
#include "compose/replay/trace_to_plan.h"
#include "compose/run/run_once.h"

namespace doublehold {
namespace {

namespace po = boost::program_options;

constexpr int64_t kContinuations = 1'000;  // the default of --curve
constexpr int64_t kMostContinuations = 1'000'000;

po::options_description ReplayOptions() {
  po::options_description options("options");
  auto add = options.add_options();
  add("json", po::value<std::string>(), "write the trace to this file; replay reads it too");
  add("into", po::value<std::string>(), "write a run folder with the trace, for check and report");
  add("curve", po::value<int64_t>()->implicit_value(kContinuations, std::to_string(kContinuations)),
      "curve of no return: from each step, the share of this many random continuations that "
      "violate the claim");
  add("claim", po::value<std::string>(),
      "with --curve: the claim; default: the first violated one");
  add("real", "also run it on real servers with the same faults, and compare the verdicts");
  add("out", po::value<std::string>()->default_value("runs"),
      "with --real: folder for run folders");
  AddProgramOptions(options, "with --real: ");
  return options;
}

std::string MakeTitle(const Scenario& scenario, const Execution& execution) {
  return fmt::format("{}: {}, {} each, {}\n\n", scenario.plan.lock,
                     Counted(scenario.plan.clients, "client"), Counted(scenario.cycles, "cycle"),
                     Counted(std::ssize(execution.begun_faults), "fault"));
}

// Runs the plan on real servers and compares the two verdicts. Returns kAsExpected if both worlds
// agree, kViolated if they differ, and kUnknown if the comparison is open.
Result<ExitCode> ReplayOnRealServers(const ParsedLine& line, const Plan& plan,
                                     const RunVerdict& simulated,
                                     const std::map<std::string, TimingDependence>& dependences) {
  const ServerPrograms programs = TRY(FindPrograms(ReadProgramOptions(line), plan));
  TRY(CheckMachine(plan));
  const std::filesystem::path folder =
      TRY(MakeRunFolder(line.values["out"].as<std::string>(), plan.experiment, plan.seed));
  const RunVerdict real = TRY(RunOnce({.plan = plan, .folder = folder, .programs = programs}));
  const Agreement agreement = Compare(simulated, real, dependences);
  fmt::print("\n{}\nfiles: {}\n", agreement.text, folder.string());
  if (agreement.differs) return ExitCode::kViolated;
  return agreement.open ? ExitCode::kUnknown : ExitCode::kAsExpected;
}

// Finds the claims whose outcome changes if messages are slower or clients start further apart.
std::map<std::string, TimingDependence> FindTimingDependences(const Scenario& scenario,
                                                              const sim::Deviations& choices,
                                                              const RunVerdict& verdict) {
  std::map<std::string, TimingDependence> dependences;
  for (const ClaimVerdict& claim : verdict.claims) {
    if (claim.outcome == Outcome::kUnknown) continue;  // never compared
    const auto dependence =
        FindTimingDependence(scenario, choices, *FindChecker(claim.claim), claim.outcome);
    if (dependence) dependences.emplace(claim.claim, *dependence);
  }
  return dependences;
}

// Joins "--curve" and a number that follows it. Boost reads an optional value only after '='.
Words JoinCurve(Words words) {
  const auto curve = std::ranges::find(words, "--curve");
  if (curve == words.end() || std::next(curve) == words.end()) return words;
  const std::string& number = *std::next(curve);
  if (number.find_first_not_of("0123456789") != std::string::npos) return words;
  *curve += "=" + number;
  words.erase(std::next(curve));
  return words;
}

// Returns nothing if the line does not ask for the curve.
Result<std::optional<NoReturnCurve>> ComputeCurve(const ParsedLine& line, const Scenario& scenario,
                                                  const sim::Deviations& choices,
                                                  const std::vector<ExecutionStep>& steps,
                                                  const RunVerdict& verdict) {
  if (!line.values.contains("curve")) {
    if (line.values.contains("claim")) return BadInput("--claim: only with --curve");
    return std::nullopt;
  }
  NoReturnTerms terms{.each = line.values["curve"].as<int64_t>(),
                      .jobs = std::max(std::thread::hardware_concurrency(), 1U)};
  if (terms.each < 1 || terms.each > kMostContinuations)
    return BadInput(fmt::format("--curve: must be from 1 to {}", kMostContinuations));
  if (line.values.contains("claim")) terms.claim = line.values["claim"].as<std::string>();
  return TRY(ComputeNoReturn(scenario, choices, steps, verdict, terms));
}

}  // namespace

Result<ExitCode> ReplayCommand(const Words& words) {
  const ParsedLine line = TRY(ParseLine(JoinCurve(words), ReplayOptions(),
                                        "replay REPLAY-STRING|TRACE.json|FOLDER [options]\n"
                                        "Shows one simulated execution step by step, or runs it on "
                                        "real servers."));
  if (line.help) return ExitCode::kAsExpected;
  if (line.rest.size() != 1)
    return BadInput("name exactly one replay string, as explore prints it, or one trace");
  const ReplayString replay = TRY(ReadReplay(line.rest.front()));
  const Plan plan = TRY(SimulatedPlan(replay.settings));
  const Scenario scenario = ScenarioOf(plan, replay);
  sim::GivenChoices given(replay.choices);
  std::vector<Frame> frames;
  Scenario recorded_scenario = scenario;
  recorded_scenario.terms.frames = &frames;
  const Execution execution = Simulate(recorded_scenario, given);
  if (const std::optional<std::string> why = given.WhyUnfit())
    return BadInput("the replay string: " + *why + ": it is from another version, or was edited");
  std::optional<Plan> real;
  if (line.values.contains("real")) {
    real = TRY(TranslateToRealPlan(scenario, replay.choices));
  }
  const RunVerdict verdict = Judge(execution.history);
  const std::vector<ExecutionStep> steps = DescribeSteps(execution.history, verdict, frames);
  const std::optional<NoReturnCurve> curve =
      TRY(ComputeCurve(line, scenario, replay.choices, steps, verdict));
  const std::optional<SafeExecution> safe = FindNearestSafe(replay, scenario, verdict);
  const Trace trace{.replay = replay,
                    .plan = plan,
                    .execution = execution,
                    .frames = frames,
                    .verdict = verdict,
                    .steps = steps,
                    .safe = safe,
                    .curve = curve};
  // Printed last, so that only the error is printed if a file cannot be written.
  std::string written;
  if (line.values.contains("json")) {
    TRY(WriteWhole(line.values["json"].as<std::string>(), ToText(trace)));
  }
  if (line.values.contains("into")) {
    const std::filesystem::path folder = line.values["into"].as<std::string>();
    TRY(WriteTrace(folder, trace));
    written = fmt::format("\nwritten to {0}: doublehold report {0}\n", folder.string());
  }
  if (safe)
    written = fmt::format("\nnothing is violated without {}: doublehold replay '{}'\n{}",
                          safe->without.empty()
                              ? "the last choice"
                              : fmt::format("\"{}\"", fmt::join(safe->without, "\" and \"")),
                          ToText(safe->replay), written);
  fmt::print("{}{}\n{}{}{}", MakeTitle(scenario, execution), ToText(steps),
             curve ? ToText(*curve, steps) + "\n" : "", ToText(verdict), written);
  if (real)
    return ReplayOnRealServers(line, *real, verdict,
                               FindTimingDependences(scenario, replay.choices, verdict));
  return verdict.exit_code;
}

}  // namespace doublehold
