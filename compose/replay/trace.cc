#include "compose/replay/trace.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "compose/os/run_folder.h"
#include "lib/base/file_kind.h"
#include "lib/plan/plan_json.h"

namespace doublehold {
namespace {

constexpr const char* kTraceFile = "trace.json";

std::string_view Name(ExecutionStep::Kind kind) {
  switch (kind) {
    case ExecutionStep::Kind::kDone:
      return "done";
    case ExecutionStep::Kind::kFault:
      return "fault";
    case ExecutionStep::Kind::kFound:
      return "found";
  }
  return "";
}

nlohmann::json ToJson(const std::vector<ExecutionStep>& steps) {
  nlohmann::json json = nlohmann::json::array();
  for (const ExecutionStep& step : steps)
    json.push_back({{"at_ns", step.at_ns}, {"kind", Name(step.kind)}, {"text", step.text}});
  return json;
}

nlohmann::json ToJson(const std::optional<SafeExecution>& safe) {
  if (!safe) return nullptr;
  return {
      {"replay", ToText(safe->replay)}, {"without", safe->without}, {"steps", ToJson(safe->steps)}};
}

nlohmann::json ToJson(const Trace& trace) {
  nlohmann::json choices = nlohmann::json::array();
  for (const sim::Deviation& choice : trace.replay.choices)
    choices.push_back({{"at", choice.at}, {"choice", choice.choice}});
  nlohmann::json faults = nlohmann::json::array();
  for (size_t i = 0; i < trace.execution.begun_faults.size(); ++i)
    faults.push_back({{"fault", EntryOf(trace.execution.begun_faults[i]).name},
                      {"what", trace.execution.history.facts.faults[i].what}});
  nlohmann::json json = {{"version", kTraceVersion},       {"doublehold", DOUBLEHOLD_VERSION},
                         {"replay", ToText(trace.replay)}, {"choices", std::move(choices)},
                         {"faults", std::move(faults)},    {"steps", ToJson(trace.steps)},
                         {"safe", ToJson(trace.safe)}};
  if (trace.curve) json["curve"] = ToJson(*trace.curve, trace.steps);
  return json;
}

}  // namespace

std::string ToText(const Trace& trace) { return ToJson(trace).dump(2) + "\n"; }

Result<void> WriteTrace(const std::filesystem::path& folder, const Trace& trace) {
  TRY(MakeEmptyFolder(folder));
  nlohmann::json verdict = doublehold::ToJson(trace.verdict);
  verdict["environment"] = {{"simulated", true}, {"doublehold", DOUBLEHOLD_VERSION}};
  const std::pair<const char*, std::string> files[] = {
      {"plan.json", doublehold::ToJson(trace.plan).dump(2) + "\n"},
      {"verdict.json", verdict.dump(2) + "\n"},
      {kTraceFile, ToText(trace)},
      {"frames.jsonl", ToJsonLines(trace.frames)},
  };
  for (const auto& [name, content] : files) {
    TRY(WriteWhole(folder / name, content));
  }
  return WriteHistory(trace.execution.history, folder);
}

Result<ReplayString> ReadReplay(const std::string& text_or_path) {
  std::filesystem::path path = text_or_path;
  std::error_code code;
  if (std::filesystem::is_directory(path, code)) path /= kTraceFile;
  if (!std::filesystem::is_regular_file(path, code)) {
    if (text_or_path.ends_with(".json") || path.filename() == kTraceFile)
      return BadInput(fmt::format("{}: {}", path.string(), WhyNotReadable(path)));
    return ParseReplayString(text_or_path);
  }
  const nlohmann::json json = ReadJsonFile(path);
  const bool is_trace = json.is_object() && json.contains("version") && json.contains("replay") &&
                        json["version"].is_number_integer() && json["replay"].is_string();
  if (!is_trace)
    return BadInput(
        fmt::format("{}: not a trace of an execution; replay --into writes one", path.string()));
  if (const auto version = json["version"].get<int64_t>(); version != kTraceVersion)
    return BadInput(fmt::format("{}: a trace of version {}; this program reads {}", path.string(),
                                version, kTraceVersion));
  return ParseReplayString(json["replay"].get<std::string>());
}

}  // namespace doublehold
