#include <fmt/format.h>

#include <filesystem>

#include "compose/command_line.h"
#include "compose/execution_story.h"
#include "compose/run_once.h"
#include "compose/scenario_settings.h"
#include "compose/trace.h"

namespace doublehold {
namespace {

namespace po = boost::program_options;

po::options_description ReplayOptions() {
  po::options_description options("options");
  auto add = options.add_options();
  add("json", po::value<std::string>(), "write its trace to this file, which can be replayed too");
  add("into", po::value<std::string>(),
      "write it as the folder of a run, with its trace, for check and report");
  return options;
}

std::string TitleOf(const Scenario& scenario, const Execution& execution) {
  const auto counted = [](size_t count, std::string_view what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
  };
  return fmt::format("{}: {}, {} each, {}\n\n", scenario.plan.lock,
                     counted(static_cast<size_t>(scenario.plan.clients), "client"),
                     counted(static_cast<size_t>(scenario.cycles), "cycle"),
                     counted(execution.struck.size(), "fault"));
}

}  // namespace

Result<ExitCode> ReplayCommand(const Words& words) {
  const Result<ParsedLine> line =
      ParseLine(words, ReplayOptions(), "replay REPLAY-STRING|TRACE.json|FOLDER [options]");
  if (!line) return tl::unexpected(line.error());
  if (line->help) return ExitCode::kAsExpected;
  if (line->rest.size() != 1)
    return BadInput("replay: one replay string, as explore prints it, or the trace of one");
  const Result<ReplayString> replay = ReadReplay(line->rest.front());
  if (!replay) return tl::unexpected(replay.error());
  const Result<Plan> plan = SimulatedPlan(replay->settings);
  if (!plan) return tl::unexpected(plan.error());
  const Scenario scenario = ScenarioOf(*plan, *replay);
  sim::GivenChoices given(replay->choices);
  const Execution execution = Simulate(scenario, given);
  if (const std::optional<std::string> why = given.WhyUnfit())
    return BadInput("the replay string: " + *why + ": it is of another version, or was changed");
  const RunVerdict verdict = Judge(execution.history);
  const std::vector<ExecutionStep> steps = StepsOf(execution.history, verdict);
  fmt::print("{}{}\n{}", TitleOf(scenario, execution), ToText(steps), ToText(verdict));
  const Trace trace{
      .replay = *replay, .plan = *plan, .execution = execution, .verdict = verdict, .steps = steps};
  if (line->values.contains("json")) {
    const Result<void> written = WriteWhole(line->values["json"].as<std::string>(), ToText(trace));
    if (!written) return tl::unexpected(written.error());
  }
  if (line->values.contains("into")) {
    const std::filesystem::path folder = line->values["into"].as<std::string>();
    const Result<void> written = WriteTrace(folder, trace);
    if (!written) return tl::unexpected(written.error());
    fmt::print("\nwritten to {0}: doublehold report {0}\n", folder.string());
  }
  return verdict.exit_code;
}

}  // namespace doublehold
