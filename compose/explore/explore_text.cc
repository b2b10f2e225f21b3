#include "compose/explore/explore_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "checker/evidence/names.h"
#include "compose/explore/scenario_settings.h"

namespace doublehold {
namespace {

std::string_view Name(Ended ended) {
  switch (ended) {
    case Ended::kAllRun:
      return "all run";
    case Ended::kPart:
      return "only a part";
    case Ended::kBudget:
      return "budget ended";
    case Ended::kMemory:
      return "memory ended";
    case Ended::kInterrupted:
      return "interrupted";
  }
  return "";
}

// Whether no execution had a point at which a fault can begin. A clean result then proves nothing.
bool NoFaultCouldBegin(const Explored& explored, const Bounds& bounds) {
  return bounds.depth > 0 && bounds.delays == 0 && explored.points == 0;
}

// Returns the result for one claim, as a row of the table.
std::string FormatClaimRow(const Found& found, const Explored& explored, const Bounds& bounds) {
  if (found.violated > 0)
    return fmt::format("violated in {} of {}", found.violated, explored.executions);
  if (found.unknown > 0)
    return fmt::format("unknown in {} of {}, violated in none", found.unknown, explored.executions);
  if (NoFaultCouldBegin(explored, bounds))
    return "unknown: there is no point at which one of these faults could begin";
  if (explored.cut_off > 0 && explored.is_complete)
    return fmt::format("unknown: {} of {} were cut off", explored.cut_off, explored.executions);
  if (explored.is_complete && explored.executions == 1)
    return "clean within this bound, the one execution";
  if (explored.is_complete)
    return fmt::format("clean within this bound, all {} executions", explored.executions);
  return fmt::format("{}: not violated in {} executions", Name(explored.ended),
                     explored.executions);
}

// For example "2 clients, 1 fault, 1 delay".
std::string FormatSize(const Shrunk& shrunk) {
  const auto delays =
      std::ranges::count(shrunk.choices, sim::ChoiceKind::kOrder, &sim::Deviation::kind);
  std::string text = Counted(shrunk.scenario.plan.clients, "client");
  if (shrunk.scenario.cycles > 1) text += ", " + Counted(shrunk.scenario.cycles, "cycle");
  text += ", " + Counted(static_cast<int64_t>(shrunk.choices.size()) - delays, "fault");
  if (delays > 0) text += ", " + Counted(delays, "delay");
  return text + (shrunk.is_smallest ? "" : "; perhaps not the smallest");
}

std::string FormatReplay(const SearchAsked& asked, const Shrunk& shrunk) {
  return ToText(MakeReplayString(asked.settings, shrunk.scenario, shrunk.choices));
}

std::string_view NameForStrategy(StrategyKind strategy) {
  return kStrategies[static_cast<size_t>(strategy)].name;
}

std::vector<std::string_view> FaultNames(const Scenario& scenario) {
  std::vector<std::string_view> names;
  for (const FaultForm fault : scenario.terms.faults) names.push_back(EntryOf(fault).name);
  return names;
}

// Returns the bounds of the search, as the first line of its text.
std::string Heading(const SearchAsked& asked) {
  const Plan& plan = asked.scenario.plan;
  const std::vector<std::string_view> faults = FaultNames(asked.scenario);
  const auto known = std::ranges::count_if(kFaultForms, [&](const auto& entry) {
    return !entry.runs_kind && (plan.replicas > 0 || entry.site != FaultSite::kMasters);
  });
  std::string text = fmt::format(
      "{} under {}: {}, {}, {} each; ", plan.lock, plan.workload, Counted(plan.clients, "client"),
      Counted(asked.scenario.terms.nodes, "node"), Counted(asked.scenario.cycles, "cycle"));
  if (asked.bounds.depth == 0) {
    text += "no faults";
  } else if (std::ssize(faults) == known) {
    text += fmt::format("up to {} of any kind", Counted(asked.bounds.depth, "fault"));
  } else {
    text += fmt::format("up to {} of {}", Counted(asked.bounds.depth, "fault"),
                        fmt::join(faults, ", "));
  }
  if (asked.bounds.delays > 0)
    text += fmt::format(", up to {}", Counted(asked.bounds.delays, "delay"));
  return text + fmt::format("; seed {}\n", plan.seed);
}

std::string Summary(const SearchOutcome& outcome, const SearchAsked& asked) {
  const Explored& explored = outcome.explored;
  std::string text = fmt::format(
      "{} of {} in {:.2f} s{} ({:.0f}/s), {} different; ",
      Counted(explored.executions, "execution"), asked.scenario.plan.lock, outcome.seconds,
      explored.run < explored.executions ? fmt::format(", of which {} run", explored.run) : "",
      static_cast<double>(explored.run) / outcome.seconds, explored.different);
  text += explored.is_complete ? "all within the bounds"
                               : fmt::format("{}, not all within the bounds", Name(explored.ended));
  text += fmt::format("; faults began at {} of {} points", explored.points_struck, explored.points);
  if (explored.cut_off > 0) text += fmt::format("; {} cut off", explored.cut_off);
  text += '\n';
  if (asked.bounds.run_twice && explored.unequal == 0)
    text += "each execution was run twice with the same result\n";
  if (explored.unequal > 0) {
    const ReplayString one =
        MakeReplayString(asked.settings, asked.scenario, explored.first_unequal);
    text += fmt::format(
        "NOT DETERMINISTIC: {} differ when they are run again, the first:\n"
        "  doublehold replay '{}'\n",
        Counted(explored.unequal, "execution"), ToText(one));
  }
  return text;
}

std::vector<std::string_view> ListMarks(const Explored& explored, bool reached) {
  std::vector<std::string_view> names;
  for (const MarkEntry& entry : AllMarks()) {
    if (explored.marks.test(static_cast<size_t>(entry.mark)) == reached)
      names.push_back(entry.name);
  }
  return names;
}

std::string MarksText(const Explored& explored) {
  const auto reached = ListMarks(explored, true);
  const auto others = ListMarks(explored, false);
  return fmt::format("reached {} of {} coverage marks: {}{}\n", reached.size(), AllMarks().size(),
                     fmt::join(reached, ", "),
                     others.empty() ? "" : fmt::format("; not {}", fmt::join(others, ", ")));
}

// Names the bounds beyond which a claim that is clean here may be violated. For example, a release
// that frees another's lock is seen only if a further session holds the lock.
std::string BeyondText(const Explored& explored, const SearchAsked& asked) {
  const auto is_violated = [](const Found& found) { return found.violated > 0; };
  if (!explored.is_complete || std::ranges::all_of(explored.claims, is_violated)) return "";
  return fmt::format(
      "beyond these bounds more may be violated: try --cycles {}, --clients {} or --depth {}\n",
      asked.scenario.cycles + 1, asked.scenario.plan.clients + 1, asked.bounds.depth + 1);
}

}  // namespace

SearchOutcome Unshrunk(const Explored& explored, const SearchAsked& asked, double seconds) {
  SearchOutcome outcome{.explored = explored, .shown = {}, .seconds = std::max(seconds, 1e-3)};
  for (const Found& found : explored.claims) {
    outcome.shown.emplace_back();
    if (found.violated + found.unknown == 0) continue;
    const std::string& sentence = found.sentence;
    outcome.shown.back() = Shrunk{
        .scenario = asked.scenario,
        .choices = found.shortest,
        .sentence = sentence.empty()
                        ? "the search was interrupted; doublehold replay describes this execution"
                        : sentence,
        .is_smallest = false};
  }
  return outcome;
}

std::string ToText(const SearchOutcome& outcome, const SearchAsked& asked) {
  const Explored& explored = outcome.explored;
  std::string text = Heading(asked) + '\n';
  for (const Found& found : explored.claims)
    text += fmt::format("  {:<24}{}\n", found.claim, FormatClaimRow(found, explored, asked.bounds));
  for (size_t i = 0; i < explored.claims.size(); ++i) {
    if (!outcome.shown[i]) continue;
    const Shrunk& shrunk = *outcome.shown[i];
    const bool is_unknown = explored.claims[i].violated == 0;
    text += fmt::format("\n{}{} ({}): {}\n  doublehold replay '{}'\n", explored.claims[i].claim,
                        is_unknown ? " unknown" : "", FormatSize(shrunk), shrunk.sentence,
                        FormatReplay(asked, shrunk));
  }
  return text + '\n' + Summary(outcome, asked) + MarksText(explored) + BeyondText(explored, asked);
}

nlohmann::json ToJson(const SearchOutcome& outcome, const SearchAsked& asked) {
  const Explored& explored = outcome.explored;
  nlohmann::json claims = nlohmann::json::array();
  for (size_t i = 0; i < explored.claims.size(); ++i) {
    const Found& found = explored.claims[i];
    claims.push_back(
        {{"claim", found.claim}, {"violated", found.violated}, {"unknown", found.unknown}});
    if (!outcome.shown[i]) continue;
    const Shrunk& shrunk = *outcome.shown[i];
    claims.back()["sentence"] = shrunk.sentence;
    claims.back()["replay"] = FormatReplay(asked, shrunk);
    claims.back()["clients"] = shrunk.scenario.plan.clients;
    claims.back()["cycles"] = shrunk.scenario.cycles;
    claims.back()["smallest"] = shrunk.is_smallest;
  }
  nlohmann::json levels = nlohmann::json::array();
  const bool has_levels = asked.bounds.strategy == StrategyKind::kExhaustive;
  for (const Level& level : has_levels ? explored.levels : std::vector<Level>{})
    levels.push_back({{"executions", level.executions}, {"run", level.run}});
  const Plan& plan = asked.scenario.plan;
  return {{"lock", plan.lock},
          {"workload", plan.workload},
          {"clients", plan.clients},
          {"nodes", asked.scenario.terms.nodes},
          {"cycles", asked.scenario.cycles},
          {"seed", plan.seed},
          {"depth", asked.bounds.depth},
          {"delays", asked.bounds.delays},
          {"faults", FaultNames(asked.scenario)},
          {"executions", explored.executions},
          {"run", explored.run},
          {"levels", std::move(levels)},
          {"different", explored.different},
          {"complete", explored.is_complete},
          {"ended", Name(explored.ended)},
          {"cut_off", explored.cut_off},
          {"unequal", explored.unequal},
          {"points", explored.points},
          {"points_struck", explored.points_struck},
          {"marks", ListMarks(explored, true)},
          {"strategy", NameForStrategy(asked.bounds.strategy)},
          {"seconds", outcome.seconds},
          {"claims", std::move(claims)}};
}

std::string ProgressText(const Explored& so_far, const Bounds& bounds, double estimate,
                         double seconds) {
  const auto done = static_cast<double>(so_far.executions);
  const double per_second = done / std::max(seconds, 1e-3);
  std::string text = fmt::format("{} executions, {:.0f}/s", so_far.executions, per_second);
  if (done > 0 && done <= estimate)
    text += fmt::format(", about {:.0f} s left", (estimate - done) / per_second);
  if (bounds.strategy == StrategyKind::kExhaustive) {
    text += fmt::format("; with {} of {} faults and delays: {} of {} parts done", so_far.level,
                        bounds.depth + bounds.delays, so_far.parts_done, so_far.parts);
  }
  return text + fmt::format("; faults at {} of {} points", so_far.points_struck, so_far.points);
}

ExitCode SearchExitCode(const Explored& explored, const Bounds& bounds) {
  const auto any = [&](int64_t Found::*count) {
    return std::ranges::any_of(explored.claims,
                               [&](const Found& found) { return found.*count > 0; });
  };
  if (any(&Found::violated)) return ExitCode::kViolated;
  const bool is_known = !NoFaultCouldBegin(explored, bounds) && explored.is_complete &&
                        explored.cut_off == 0 && explored.unequal == 0 && !any(&Found::unknown);
  return is_known ? ExitCode::kAsExpected : ExitCode::kUnknown;
}

}  // namespace doublehold
