#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "compose/options/command_line.h"
#include "compose/os/run_folder.h"
#include "compose/plan/plan_builder.h"
#include "lib/base/words.h"
#include "lib/history/csv.h"
#include "lib/history/foreign/edn.h"
#include "lib/history/jsonl.h"
#include "lib/history/perfetto.h"

namespace doublehold {
namespace {

namespace po = boost::program_options;

// Whether a lease may have been extended. The acquire and release events do not show extensions.
bool LeasesMayBeExtended(const History& history) {
  if (std::ranges::find(history.events, Op::kExtend, &Event::op) != history.events.end())
    return true;
  if (!history.facts.library) return false;
  const std::vector<std::string>& can = history.facts.library->can;
  const auto has = [&](std::string_view word) { return std::ranges::find(can, word) != can.end(); };
  return has("watchdog") || !has("lease");
}

// Changes an event for tools that read single events and do not know this format.
void AdaptForOtherTools(nlohmann::json& event, const History& history, bool leases_hold) {
  // Jepsen has no threads, so each session becomes a process of its own.
  if (event.contains("thread")) {
    event["process"] = event["process"].get<int64_t>() +
                       event["thread"].get<int64_t>() * (history.facts.clients + 1);
    event.erase("thread");
  }
  event.erase("index");  // the index does not order events with equal times
  nlohmann::json& value = event["value"];
  if (value.value("token", int64_t{-1}) == 0) value.erase("token");  // 0 means no token
  if (event.at("f") == "acquire" && !leases_hold) value.erase("lease_ns");
}

struct ExportedRun {
  History history;
  std::string functions;  // of --functions; empty: all
};

Result<std::set<std::string, std::less<>>> SelectFunctions(const ExportedRun& run) {
  std::set<std::string> seen;
  for (const Event& event : run.history.events) seen.emplace(Name(event.op));
  std::set<std::string, std::less<>> wanted;
  for (const std::string& word : SplitAtCommas(run.functions)) {
    if (!seen.contains(word))
      return BadInput("--functions: " + UnknownWord("function", word, {seen.begin(), seen.end()}));
    wanted.insert(word);
  }
  return wanted;
}

// Writes the selected events, one a line.
Result<void> WriteEvents(const ExportedRun& run, bool edn, std::ostream& out) {
  const std::set<std::string, std::less<>> wanted = TRY(SelectFunctions(run));
  const bool leases_hold = !LeasesMayBeExtended(run.history);
  std::stringstream lines;
  WriteJsonl(run.history, lines);
  for (std::string line; std::getline(lines, line);) {
    nlohmann::json event = nlohmann::json::parse(line);
    const bool is_wanted = wanted.contains(event.at("f").get_ref<const std::string&>());
    if (!wanted.empty() && (!is_wanted || !event.at("process").is_number())) continue;
    AdaptForOtherTools(event, run.history, leases_hold);
    out << (edn ? EdnOfEvent(event) : event.dump()) << '\n';
  }
  return {};
}

Result<void> WriteEdn(const ExportedRun& run, std::ostream& out) {
  return WriteEvents(run, /*edn=*/true, out);
}

Result<void> WriteJsonLines(const ExportedRun& run, std::ostream& out) {
  if (!run.functions.empty()) return WriteEvents(run, /*edn=*/false, out);
  WriteJsonl(run.history, out);
  return {};
}

Result<void> WritePerfetto(const ExportedRun& run, std::ostream& out) {
  WriteChromeTrace(run.history, out);
  return {};
}

Result<void> WriteTable(const ExportedRun& run, std::ostream& out) {
  WriteCsv(run.history, out);
  return {};
}

// A format is a row. `write` fails before it writes anything.
struct ExportFormat {
  std::string_view name;
  std::string_view reader;  // what reads it
  bool takes_functions;     // whether --functions applies
  Result<void> (*write)(const ExportedRun&, std::ostream&);
};
constexpr std::array kFormats{
    ExportFormat{"edn", "Jepsen, Knossos", /*takes_functions=*/true, WriteEdn},
    ExportFormat{"jsonl", "as history.jsonl", /*takes_functions=*/true, WriteJsonLines},
    ExportFormat{"csv", "spreadsheets", /*takes_functions=*/false, WriteTable},
    ExportFormat{"perfetto", "Chrome trace JSON", /*takes_functions=*/false, WritePerfetto},
};

po::options_description ExportOptions() {
  std::vector<std::string> formats;
  for (const ExportFormat& format : kFormats)
    formats.push_back(fmt::format("{} ({})", format.name, format.reader));
  po::options_description options("options");
  auto add = options.add_options();
  add("format", po::value<std::string>()->default_value("edn"),
      fmt::format("format: {}", fmt::join(formats, ", ")).c_str());
  add("functions", po::value<std::string>(),
      "export only these operations of clients, comma-separated: acquire,release; for edn, jsonl");
  add("output,o", po::value<std::string>(), "the output file; default: standard output");
  return options;
}

}  // namespace

Result<ExitCode> ExportCommand(const Words& words) {
  ParsedLine line =
      TRY(ParseLine(words, ExportOptions(), "export RUN|history.bin --format edn [-o FILE]"));
  if (line.help) return ExitCode::kAsExpected;
  if (line.rest.size() != 1) return BadInput("name exactly one run folder or history file");
  const auto name = line.values["format"].as<std::string>();
  const auto* const format = std::ranges::find(kFormats, name, &ExportFormat::name);
  if (format == kFormats.end())
    return BadInput("--format: " + UnknownWord("format", name, ListNames(kFormats)));
  ExportedRun run;
  if (line.values.contains("functions")) run.functions = line.values["functions"].as<std::string>();
  if (!format->takes_functions && !run.functions.empty())
    return BadInput(fmt::format("--functions: cannot be combined with --format {}", name));
  run.history = TRY(ReadHistory(line.rest.front()));
  if (!line.values.contains("output")) {
    TRY(format->write(run, std::cout));
    return ExitCode::kAsExpected;
  }
  TRY(WriteWhole(line.values["output"].as<std::string>(),
                 [&](std::ostream& out) { return format->write(run, out); }));
  return ExitCode::kAsExpected;
}

}  // namespace doublehold
