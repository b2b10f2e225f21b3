#include <fmt/format.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "checker/explain/cause.h"
#include "checker/linear/model.h"
#include "checker/measures/coverage_marks.h"
#include "checker/verdict/checker.h"
#include "compose/cluster/kept_servers.h"
#include "compose/driver/bundled_drivers.h"
#include "compose/options/command_line.h"
#include "compose/options/option_rows.h"
#include "compose/plan/plan_builder.h"
#include "faults/fault.h"
#include "faults/keys.h"
#include "faults/plans/form_plan.h"
#include "faults/plans/nemesis.h"
#include "faults/plans/profiles.h"
#include "lib/base/step.h"
#include "lib/base/words.h"
#include "lib/locks/registry.h"
#include "lib/plan/topology.h"
#include "workloads/workload.h"

namespace doublehold {
namespace {

struct ListRow {
  std::string name;
  std::string summary;
  std::vector<std::string> options;  // for example "ask = in-turn (in-turn, at-once): ..."
};

struct Table {
  std::string name;
  std::vector<ListRow> rows;
  std::string options_title = "";  // if set, Markdown has a column of the options
};

// Lists the keys that set when a fault begins and ends.
std::string DescribeTimes(const FaultEntry& fault) {
  if (fault.is_final) return "common keys: name, on, from, during";
  if (!fault.ends_itself) return "common keys: name, on, from, for, until, every, times, during";
  const bool has_length = fault.asked_ns(FaultPlan{.length = Duration(1)}) != 0;
  return fmt::format("common keys: name, on, from, {}every, times, during",
                     has_length ? "for, " : "");
}

std::vector<std::string> OptionLines(std::span<const OptionSpec> specs) {
  std::vector<std::string> lines;
  for (const OptionSpec& spec : specs) {
    lines.push_back(
        fmt::format("{} = {}{}: {}", spec.name, spec.fallback,
                    spec.choices.empty() ? "" : fmt::format(" ({})", fmt::join(spec.choices, ", ")),
                    spec.help));
  }
  return lines;
}

// Lists the settings for the size of a topology.
std::vector<std::string> SizeLines(const TopologyEntry& topology) {
  std::vector<std::string> lines;
  if (topology.most_nodes > 1) {
    lines.push_back(fmt::format("nodes = {} ({} to {})", topology.usual_nodes, topology.least_nodes,
                                topology.most_nodes));
  }
  if (topology.HasReplicas())
    lines.push_back(
        fmt::format("replicas = 1 (1 to {}): number of replicas of each node", kMostReplicas));
  if (topology.FailsOver())
    lines.emplace_back(
        "down-after = 500ms: a server that does not answer for this time counts as down");
  return lines;
}

std::string PaceLine(const SourcePace& source) {
  std::string line = fmt::format(
      "pace = scaled (scaled, source): times as shares of a short lease, or those of the source: "
      "lease {}",
      source.lease);
  if (!source.interval.empty()) line += fmt::format(", a try every {}", source.interval);
  if (source.retries >= 0) line += fmt::format(", {} retries", source.retries);
  if (!source.timeout.empty()) line += fmt::format(", given up after {}", source.timeout);
  return line;
}

std::vector<Table> MakeTables() {
  std::vector<Table> tables;
  const auto add = [&tables](std::string name, std::string options_title = "") {
    tables.push_back({std::move(name), {}, std::move(options_title)});
  };
  const auto row = [&tables](std::string_view name, std::string_view summary,
                             std::vector<std::string> options = {}) {
    tables.back().rows.push_back({std::string(name), std::string(summary), std::move(options)});
  };
  add("locks");
  for (const LockEntry& lock : Locks()) {
    std::vector<std::string> options = OptionLines(lock.options);
    if (!lock.source.lease.empty()) options.push_back(PaceLine(lock.source));
    row(lock.name, lock.summary, std::move(options));
  }
  row(DriverEntry().name, DriverEntry().summary,
      {"driver = COMMAND: run by /bin/sh; see docs/driver-protocol.md",
       "driver = NAME, or NAME@VERSION: of a library; see list drivers"});
  add("workloads");
  for (const WorkloadEntry& workload : Workloads())
    row(workload.name, workload.summary, OptionLines(workload.options));
  add("faults");
  for (const FaultEntry& fault : Faults()) {
    row(fault.name, fault.summary,
        {fmt::format("keys: {}", fmt::join(fault.keys, ", ")), DescribeTimes(fault)});
  }
  add("profiles");
  for (const ProfileEntry& profile : Profiles()) row(profile.name, profile.summary);
  add("topologies");
  for (const TopologyEntry& topology : Topologies())
    row(topology.name, topology.summary, SizeLines(topology));
  add("claims");
  for (const CheckerEntry& checker : Checkers())
    row(checker.claim, fmt::format("violated when {}", checker.violated_when));
  add("steps");
  for (size_t i = 0; i < kStepNames.size(); ++i) row(kStepNames[i], kStepSummaries[i]);
  add("models");
  for (const Model& model : Models()) {
    row(model.name, model.summary,
        {fmt::format("functions: {}", fmt::join(model.functions, ", "))});
  }
  add("nemesis");
  for (const NemesisMember& member : NemesisMembers()) row(member.name, member.summary);
  add("causes");
  for (const CauseEntry& cause : Causes()) row(cause.name, cause.meaning);
  add("fault-keys");
  for (const FaultKey& key : FaultKeys()) row(key.name, Describe(key));
  add("lock-options");
  for (const OptionRow& option : LockOptionRows()) row(option.name, option.meaning);
  add("workload-options");
  for (const OptionRow& option : WorkloadOptionRows()) row(option.name, option.meaning);
  add("fault-forms");
  for (const FaultFormEntry& form : kFaultForms)
    row(form.name, fmt::format("{}: {}", form.summary, KeysOf(form)));
  add("marks");
  for (const MarkEntry& mark : AllMarks()) row(mark.name, mark.meaning);
  add("drivers", "options, each with its default");
  for (const KeptDriver& driver : KeptDrivers()) {
    std::vector<std::string> options;
    for (const auto& [name, about] : driver.options)
      options.push_back(fmt::format("`{}` = {}", name, about));
    row(driver.name, driver.summary, std::move(options));
  }
  add("servers");
  for (const KeptServer& server : KeptServers()) row(server.name, server.summary);
  return tables;
}

void PrintText(const Table& table) {
  fmt::print("{}\n", table.name);
  for (const ListRow& row : table.rows) {
    fmt::print("  {:<22} {}\n", row.name, row.summary);
    for (const std::string& option : row.options) fmt::print("  {:<22}   {}\n", "", option);
  }
}

void PrintMarkdown(const Table& table) {
  const bool has_options = !table.options_title.empty();
  fmt::print("| {} | what it is |{}\n|---|---|{}\n", table.name,
             has_options ? fmt::format(" {} |", table.options_title) : "",
             has_options ? "---|" : "");
  for (const ListRow& row : table.rows) {
    fmt::print("| `{}` | {} |{}\n", row.name, row.summary,
               has_options ? fmt::format(" {} |", fmt::join(row.options, "; ")) : "");
  }
}

nlohmann::json ToJson(const Table& table) {
  nlohmann::json rows = nlohmann::json::array();
  for (const ListRow& row : table.rows) {
    rows.push_back({{"name", row.name}, {"summary", row.summary}, {"options", row.options}});
  }
  return rows;
}

}  // namespace

Result<ExitCode> ListCommand(const Words& words) {
  boost::program_options::options_description options("options");
  options.add_options()("json", "print JSON")("markdown", "print a Markdown table");
  const std::vector<Table> tables = MakeTables();
  ParsedLine line = TRY(ParseLine(
      words, options, fmt::format("list [{}] [--json]", fmt::join(ListNames(tables), "|"))));
  if (line.help) return ExitCode::kAsExpected;
  if (line.values.contains("json") && line.values.contains("markdown"))
    return BadInput("--json, --markdown: only one of them is allowed");
  for (const std::string& name : line.rest) {
    if (std::ranges::find(tables, name, &Table::name) != tables.end()) continue;
    return BadInput(UnknownWord("list", name, ListNames(tables)));
  }
  nlohmann::json json = nlohmann::json::object();
  for (const Table& table : tables) {
    if (!line.rest.empty() && std::ranges::find(line.rest, table.name) == line.rest.end()) continue;
    json[table.name] = ToJson(table);
    if (line.values.contains("json")) continue;
    if (line.values.contains("markdown")) {
      PrintMarkdown(table);
    } else {
      PrintText(table);
    }
  }
  if (line.values.contains("json")) fmt::print("{}\n", json.dump(2));
  return ExitCode::kAsExpected;
}

}  // namespace doublehold
