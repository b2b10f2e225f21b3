#include "compose/suite/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "checker/evidence/names.h"
#include "checker/rates/paired.h"
#include "checker/verdict/margin.h"
#include "lib/base/options.h"
#include "lib/base/words.h"

namespace doublehold {
namespace {

using nlohmann::json;

LoadValue Spread(std::string unit, std::vector<double> values) {
  const auto [least, most] = std::ranges::minmax(values);
  return {
      .unit = std::move(unit), .median = MedianOf(std::move(values)), .least = least, .most = most};
}

LoadPoint PointOf(const SuiteCell& cell, const std::vector<CellRun>& runs) {
  LoadPoint point{.row = cell.row,
                  .column = cell.column,
                  .sessions = cell.plan.clients * cell.plan.threads,
                  .runs = runs.size()};
  const Duration every = Options(cell.plan.workload_options).Span("every");
  if (every > Duration::zero()) point.customers_a_second = point.sessions / ToSeconds(every);
  std::map<std::string, std::vector<double>> values;
  std::map<std::string, std::string> units;
  std::map<std::string, std::vector<Percentiles>> latency;
  for (const CellRun& run : runs) {
    for (const auto& [name, measure] : run.measures) {
      values[name].push_back(measure.value);
      units[name] = measure.unit;
    }
    for (const auto& [name, times] : run.latency) latency[name].push_back(times);
  }
  for (auto& [name, of_runs] : values)
    point.measures[name] = Spread(units[name], std::move(of_runs));
  for (const auto& [name, of_runs] : latency) point.latency[name] = PoolPercentiles(of_runs);
  return point;
}

// For example "12345" or "0.98"; "-" without a value.
std::string Text(const LoadPoint& point, const std::string& measure, int digits) {
  const auto found = point.measures.find(measure);
  return found == point.measures.end() ? "-" : fmt::format("{:.{}f}", found->second.median, digits);
}

// For example "85.1 us (1.2 ms)": the median and p99.
std::string Text(const LoadPoint& point, const std::string& latency) {
  const auto found = point.latency.find(latency);
  if (found == point.latency.end() || found->second.count == 0) return "-";
  return fmt::format("{} ({})", ShortTime(found->second.p50_ns), ShortTime(found->second.p99_ns));
}

constexpr size_t kNarrowest = 14;  // column of row names

json OrNull(int64_t ns) { return ns == 0 ? json() : json(ns); }

}  // namespace

bool RunsAlone(const SuiteCell& cell) {
  return cell.plan.workload == "cycle" && cell.plan.faults.empty();
}

bool MeasuresLoad(const Suite& suite, const SuiteCell& cell) {
  return suite.comparison &&
         std::ranges::find(suite.comparison->load, cell.column) != suite.comparison->load.end();
}

Result<void> CheckLoad(const Suite& suite, const std::vector<std::string>& columns,
                       const std::string& where) {
  for (const std::string& column : columns) {
    if (std::ranges::find(suite.columns, column) == suite.columns.end())
      return BadInput(where + "load: " + UnknownWord("column", column, suite.columns));
  }
  for (const SuiteCell& cell : suite.cells) {
    const bool is_load = std::ranges::find(columns, cell.column) != columns.end();
    if (is_load && !RunsAlone(cell))
      return BadInput(fmt::format("{}load: cell {} must have the workload cycle, and no faults",
                                  where, cell.name));
  }
  return {};
}

std::vector<LoadPoint> FindLoadPoints(const Suite& suite, const SuiteResult& result) {
  std::vector<LoadPoint> points;
  for (size_t i = 0; i < suite.cells.size(); ++i) {
    if (MeasuresLoad(suite, suite.cells[i]))
      points.push_back(PointOf(suite.cells[i], result.runs[i]));
  }
  return points;
}

json ToJson(const std::vector<LoadPoint>& points) {
  json all = json::array();
  for (const LoadPoint& point : points) {
    json measures = json::object(), latency = json::object();
    for (const auto& [name, value] : point.measures)
      measures[name] = {{"unit", value.unit},
                        {"median", value.median},
                        {"least", value.least},
                        {"most", value.most}};
    for (const auto& [name, times] : point.latency)
      latency[name] = {{"count", times.count},
                       {"p50_ns", times.p50_ns},
                       {"p95_ns", times.p95_ns},
                       {"p99_ns", times.p99_ns},
                       {"p999_ns", OrNull(times.p999_ns)},
                       {"p9999_ns", OrNull(times.p9999_ns)},
                       {"max_ns", times.max_ns}};
    all.push_back({{"row", point.row},
                   {"column", point.column},
                   {"sessions", point.sessions},
                   {"customers_a_second",
                    point.customers_a_second ? json(*point.customers_a_second) : json()},
                   {"runs", point.runs},
                   {"measures", std::move(measures)},
                   {"latency", std::move(latency)}});
  }
  return all;
}

std::string FormatLoad(const std::vector<LoadPoint>& points) {
  if (std::ranges::all_of(points, [](const LoadPoint& point) { return point.runs == 0; }))
    return "";
  constexpr const char* kRow = "  {:<{}} {:<13} {:>8} {:<20} {:<20} {:>5} {:>10} {:>10} {:>10}\n";
  const auto [least, most] = std::ranges::minmax(points, {}, &LoadPoint::runs);
  std::string text = fmt::format("load, medians of {}{}; latencies of all runs together:\n",
                                 least.runs == most.runs ? "" : fmt::format("{} to ", least.runs),
                                 Counted(most.runs, "run"));
  size_t width = kNarrowest;
  for (const LoadPoint& point : points) width = std::max(width, point.row.size());
  text += fmt::format(kRow, "", width, "", "holds/s", "wait p50 (p99)", "hand-over", "Jain",
                      "cmds/hold", "bytes/hold", "renewals/s");
  for (const LoadPoint& point : points) {
    if (point.runs == 0) continue;
    // Customers who come by a schedule wait from the time at which they come.
    text += fmt::format(kRow, point.row, width, point.column, Text(point, "holds a second", 0),
                        Text(point, point.customers_a_second ? "response" : "wait"),
                        Text(point, "handover"), Text(point, "Jain's index", 2),
                        Text(point, "commands a hold", 1), Text(point, "bytes a hold", 0),
                        Text(point, "renewals a second", 1));
  }
  return text;
}

}  // namespace doublehold
