#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "compose/options/command_line.h"
#include "compose/os/run_folder.h"
#include "lib/base/words.h"
#include "lib/history/foreign/edn.h"
#include "lib/history/jsonl.h"
#include "lib/history/perfetto.h"

namespace doublehold {
namespace {

namespace po = boost::program_options;

po::options_description ExportOptions() {
  po::options_description options("options");
  auto add = options.add_options();
  add("format", po::value<std::string>()->default_value("edn"),
      "format: edn, jsonl, or perfetto (Chrome trace JSON)");
  add("functions", po::value<std::string>(),
      "export only these operations of clients, comma-separated: acquire,release");
  add("output,o", po::value<std::string>(), "the output file; default: standard output");
  return options;
}

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

// Returns the selected events, one a line.
Result<std::string> ExportEvents(const History& history, bool edn, const std::string& functions) {
  const std::vector<std::string> words = SplitAtCommas(functions);
  const std::set<std::string> wanted(words.begin(), words.end());
  const bool leases_hold = !LeasesMayBeExtended(history);
  std::set<std::string> seen;
  std::stringstream lines;
  WriteJsonl(history, lines);
  if (!edn && wanted.empty()) return std::move(lines).str();
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    nlohmann::json event = nlohmann::json::parse(line);
    const auto function = event.at("f").get<std::string>();
    seen.insert(function);
    if (!wanted.empty() && (!wanted.contains(function) || !event.at("process").is_number()))
      continue;
    AdaptForOtherTools(event, history, leases_hold);
    text += (edn ? EdnOfEvent(event) : event.dump()) + "\n";
  }
  for (const std::string& word : wanted) {
    if (!seen.contains(word))
      return BadInput("--functions: " + UnknownWord("function", word, {seen.begin(), seen.end()}));
  }
  return text;
}

}  // namespace

Result<ExitCode> ExportCommand(const Words& words) {
  ParsedLine line =
      TRY(ParseLine(words, ExportOptions(), "export RUN|history.bin --format edn [-o FILE]"));
  if (line.help) return ExitCode::kAsExpected;
  if (line.rest.size() != 1) return BadInput("name exactly one run folder or history file");
  const auto format = line.values["format"].as<std::string>();
  const std::vector<std::string> formats{"edn", "jsonl", "perfetto"};
  if (std::ranges::find(formats, format) == formats.end())
    return BadInput("--format: " + UnknownWord("format", format, formats));
  const History history = TRY(ReadHistory(line.rest.front()));
  const std::string functions =
      line.values.contains("functions") ? line.values["functions"].as<std::string>() : "";
  const bool is_trace = format == "perfetto";
  if (is_trace && !functions.empty())
    return BadInput("--functions: cannot be combined with --format perfetto");
  const std::string text =
      is_trace ? ToChromeTrace(history) : TRY(ExportEvents(history, format == "edn", functions));
  if (!line.values.contains("output")) {
    std::cout << text;
    return ExitCode::kAsExpected;
  }
  TRY(WriteWhole(line.values["output"].as<std::string>(), text));
  return ExitCode::kAsExpected;
}

}  // namespace doublehold
