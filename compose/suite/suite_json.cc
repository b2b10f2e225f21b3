// Writes suite.json, and reads verdict.json; see docs/formats.md.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "compose/suite/comparison.h"
#include "compose/suite/load.h"
#include "compose/suite/ranking.h"
#include "compose/suite/suite_tables.h"

namespace doublehold {
namespace {

using nlohmann::json;

json ToJson(const CellRun& run) {
  return {{"dir", run.folder.string()},
          {"seed", run.seed},
          {"exit_code", run.exit_code},
          {"overall", run.overall},
          {"as_expected", run.as_expected},
          {"seconds", run.seconds},
          {"error", run.error.empty() ? json() : json(run.error)}};
}

json ToJson(const Repetitions& answer, double confidence) {
  return {{"answer", Name(answer.answer())},
          {"runs", answer.runs()},
          {"unit", answer.unit()},
          {"of", answer.seen().of},
          {"violated", answer.seen().violated},
          {"undecided", answer.seen().undecided},
          {"lower_bound", LowerBoundAt(answer.seen(), confidence)},
          {"upper_bound", UpperBoundAt(answer.seen(), confidence)}};
}

std::map<std::string, MeasuredValue> MeasuresIn(const json& verdict) {
  std::map<std::string, MeasuredValue> measures;
  const json latency = verdict.value("latency", json::object());
  for (const auto& [name, times] : latency.items()) {
    if (times.value("count", 1) == 0) continue;  // 0 ns would be the shortest time
    for (const char* rank : {"p50", "p99", "max"})
      measures[name + " " + rank] = {.value = times.at(fmt::format("{}_ns", rank)).get<double>(),
                                     .unit = "ns"};
  }
  const auto add = [&](const char* name, const json& value, double of, const char* unit) {
    if (value.is_number() && of > 0)
      measures[name] = {.value = value.get<double>() / of, .unit = unit};
  };
  const auto grants = verdict.value("grants", 0.0);
  // `seconds` begins with the first customer, who may come late.
  const double seconds = ToSeconds(Duration(verdict.value("duration_ns", int64_t{0})));
  add("holds a second", grants, std::max(seconds, verdict.at("seconds").get<double>()), "/s");
  const json load = verdict.value("load", json::object());
  add("Jain's index", load.value("jain_index", json()), 1, "");
  add("commands a hold", load.value("commands", json()), grants, "");
  add("bytes a hold", load.value("bytes", json()), grants, "");
  const json held_ns = load.value("held_ns", json());
  if (held_ns.is_number())
    add("renewals a second", load.value("commands_while_held", json()),
        ToSeconds(Duration(held_ns.get<int64_t>())), "/s");
  return measures;
}

std::map<std::string, Percentiles> LatencyIn(const json& verdict) {
  std::map<std::string, Percentiles> latency;
  const auto or_zero = [](const json& times, const char* key) -> int64_t {
    const json value = times.value(key, json());
    return value.is_number() ? value.get<int64_t>() : 0;
  };
  const json all = verdict.value("latency", json::object());
  for (const auto& [name, times] : all.items()) {
    Percentiles& of = latency[name];
    of = {.count = or_zero(times, "count"),
          .p50_ns = or_zero(times, "p50_ns"),
          .p95_ns = or_zero(times, "p95_ns"),
          .p99_ns = or_zero(times, "p99_ns"),
          .p999_ns = or_zero(times, "p999_ns"),
          .p9999_ns = or_zero(times, "p9999_ns"),
          .max_ns = or_zero(times, "max_ns")};
    for (const json& each : times.value("histogram", json::array())) {
      const HistogramClass read{.from = each.at(0).get<int64_t>(),
                                .count = each.at(1).get<int64_t>()};
      if (read.from >= 0 && read.count > 0 && read.count <= of.count) of.histogram.push_back(read);
    }
  }
  return latency;
}

// Whether the run was interrupted before it showed an unexpected violation. An expected violation
// does not count: the claims that were undecided so far would not be as expected.
bool IsCutShort(const json& verdict) {
  const json& claims = verdict.at("claims");
  return verdict.value("environment", json::object()).value("interrupted", false) &&
         std::ranges::none_of(claims, [](const json& claim) {
           const json expected = claim.value("expected", json());
           return claim.at("outcome") == Name(Outcome::kViolated) &&
                  expected != Name(Outcome::kViolated) && expected != "any";
         });
}

json UntilToJson(const std::optional<Until>& until) {
  if (!until) return nullptr;
  return {{"text", until->text},
          {"claim", until->claim == kAnyClaim ? json() : json(until->claim)},
          {"limit", until->question.limit},
          {"confidence", until->question.confidence}};
}

}  // namespace

json ToJson(const SuiteRequest& request, const SuiteResult& result) {
  json cells = json::array();
  bool as_expected = !result.IsCut() && !result.error;
  for (size_t i = 0; i < request.suite.cells.size(); ++i) {
    if (result.runs[i].empty()) continue;
    json runs = json::array();
    for (const CellRun& run : result.runs[i]) {
      as_expected = as_expected && run.as_expected;
      runs.push_back(ToJson(run));
    }
    const SuiteCell& cell = request.suite.cells[i];
    cells.push_back(
        {{"name", cell.name},
         {"row", cell.row},
         {"column", cell.column},
         {"rates", ToJson(PoolTrials(result.runs[i]))},
         {"until",
          request.until ? ToJson(result.answers[i], request.until->question.confidence) : json()},
         {"runs", std::move(runs)}});
  }
  const Suite& suite = request.suite;
  json planned = json::array();
  for (const SuiteCell& cell : request.suite.cells)
    planned.push_back({{"name", cell.name}, {"row", cell.row}, {"column", cell.column}});
  const Shard& shard = request.shard;
  return {{"suite", request.suite.name},
          {"seed", request.suite.seed},
          {"only", request.suite.only},
          {"changed", suite.changed.empty() ? json() : json(suite.changed)},
          {"shard", shard.IsWhole() ? json() : json(fmt::format("{}/{}", shard.number, shard.of))},
          {"planned", std::move(planned)},
          {"plans", request.suite.plans},
          {"doublehold", DOUBLEHOLD_VERSION},
          {"repeat", request.repeat},
          {"until", UntilToJson(request.until)},
          {"comparison", suite.comparison
                             ? ToJson(CompareRows(suite, result), RankRows(suite, result), suite)
                             : json()},
          {"load", ToJson(FindLoadPoints(suite, result))},
          {"jobs", request.jobs},
          {"seconds", result.seconds},
          {"as_expected", as_expected},
          {"interrupted", result.IsCut()},
          {"rows", request.suite.rows},
          {"columns", request.suite.columns},
          {"about", request.suite.about},
          {"cells", std::move(cells)}};
}

// Describes a claim that is not as expected. If only a cause was not expected, describes a
// violation with that cause, not the first violation.
std::string DescribeUnexpectedClaim(const json& claim) {
  if (std::string other = claim.value("other_cause", ""); !other.empty()) return other;
  const json violations = claim.value("violations", json::array());
  return fmt::format(
      "{} is {}: {}", claim.value("claim", ""), claim.value("outcome", "unknown"),
      violations.empty() ? claim.value("reason", "") : violations[0].value("sentence", ""));
}

bool TakeVerdict(const json& verdict, CellRun& run) {
  CellRun taken = run;
  try {
    if (IsCutShort(verdict)) {
      run.cut_short = true;
      return true;
    }
    taken.overall = verdict.at("overall").get<std::string>();
    taken.as_expected = verdict.at("as_expected").get<bool>();
    taken.exit_code = verdict.at("exit_code").get<int>();
    taken.seconds = verdict.at("seconds").get<double>();
    taken.trials = TrialsIn(verdict);
    taken.measures = MeasuresIn(verdict);
    taken.latency = LatencyIn(verdict);
    for (const json& claim : verdict.at("claims")) {
      if (!claim.at("as_expected").get<bool>())
        taken.findings.push_back(DescribeUnexpectedClaim(claim));
    }
    for (const json& each : verdict.value("untested", json::array())) {
      const std::string sentence = each.get<std::string>();
      const auto has_it = [&](const std::string& finding) {
        return finding.find(sentence) != std::string::npos;
      };
      if (std::ranges::none_of(taken.findings, has_it)) taken.untested.push_back(sentence);
    }
  } catch (const json::exception&) {
    return false;
  }
  run = std::move(taken);
  return true;
}

void TakeFailure(std::string error, CellRun& run) {
  if (run.overall != Name(Outcome::kViolated))
    run = {.folder = std::move(run.folder),
           .seed = run.seed,
           .exit_code = run.exit_code,
           .seconds = run.seconds,
           .cut_short = run.cut_short};
  run.as_expected = false;
  run.error = std::move(error);
}

}  // namespace doublehold
