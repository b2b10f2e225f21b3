#include "compose/suite/comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "compose/suite/load.h"
#include "compose/suite/ranking.h"
#include "compose/suite/stored_runs.h"
#include "lib/base/check.h"

namespace doublehold {
namespace {

using nlohmann::json;

constexpr double kErrorOfAll = 0.05;
// A smaller relative difference of a measure does not decide which lock to choose.
constexpr double kSmallShare = 0.05;

// The measures that are compared in the cells that measure cost, and in other cells without faults.
constexpr std::array kOfCost{"acquire p50", "acquire p99", "release p50"};
constexpr std::array kOfLoad{"wait p99", "holds a second"};

PairCount CountPairs(const RunsByBlock& first, const RunsByBlock& second,
                     const std::string& claim) {
  PairCount count;
  for (const auto& [block, run] : first) {
    const auto other = second.find(block);
    if (other == second.end()) continue;
    ++count.of;
    const Outcome a = OutcomeIn(*run, claim).value_or(Outcome::kUnknown);
    const Outcome b = OutcomeIn(*other->second, claim).value_or(Outcome::kUnknown);
    const bool undecided = a == Outcome::kUnknown || b == Outcome::kUnknown;
    if (undecided) {
      ++count.undecided;
    } else if (a == b) {
      count.both += a == Outcome::kViolated ? 1 : 0;
    } else {
      ++(a == Outcome::kViolated ? count.only_first : count.only_second);
    }
  }
  return count;
}

// One cell beside the baseline's cell of the same column.
struct CellPair {
  const SuiteCell& cell;
  const SuiteCell& baseline;
  RunsByBlock runs, of_baseline;
};

// Returns null if the run did not measure it, or in too few values for the percentile.
const MeasuredValue* ValueOf(const CellRun& run, const std::string& measure) {
  const auto value = run.measures.find(measure);
  if (value == run.measures.end()) return nullptr;
  const auto times = run.latency.find(measure.substr(0, measure.find(' ')));
  const int64_t fewest = measure.ends_with(" p99") ? kFewestForP99 : kFewestForMedian;
  return times != run.latency.end() && times->second.count < fewest ? nullptr : &value->second;
}

ComparedMeasure CompareMeasure(const CellPair& pair, const std::string& measure) {
  ComparedMeasure compared{.row = pair.cell.row, .column = pair.cell.column, .measure = measure};
  std::vector<double> values, of_baseline, differences;
  for (const auto& [block, run] : pair.runs) {
    const auto other = pair.of_baseline.find(block);
    if (other == pair.of_baseline.end()) continue;
    const MeasuredValue* value = ValueOf(*run, measure);
    const MeasuredValue* base = ValueOf(*other->second, measure);
    if (value == nullptr || base == nullptr) continue;
    compared.unit = value->unit;
    values.push_back(value->value);
    of_baseline.push_back(base->value);
    differences.push_back(values.back() - of_baseline.back());
  }
  compared.median = MedianOf(std::move(values));
  compared.median_of_baseline = MedianOf(std::move(of_baseline));
  compared.differences = std::move(differences);
  return compared;
}

std::vector<CellPair> PairCells(const Suite& suite, const SuiteResult& result) {
  std::vector<CellPair> pairs;
  for (size_t i = 0; i < suite.cells.size(); ++i) {
    const SuiteCell& cell = suite.cells[i];
    if (cell.row == suite.comparison->baseline) continue;
    for (size_t j = 0; j < suite.cells.size(); ++j) {
      const SuiteCell& other = suite.cells[j];
      if (other.row != suite.comparison->baseline || other.column != cell.column) continue;
      pairs.push_back({.cell = cell,
                       .baseline = other,
                       .runs = BlocksOf(cell, result.runs[i]),
                       .of_baseline = BlocksOf(other, result.runs[j])});
    }
  }
  return pairs;
}

// The claims that both cells judge.
std::vector<std::string> CommonClaims(const CellPair& pair) {
  const std::vector<std::string>& judged = pair.baseline.plan.claims;
  std::vector<std::string> claims = pair.cell.plan.claims;
  std::erase_if(claims, [&](const std::string& claim) {
    return std::ranges::find(judged, claim) == judged.end();
  });
  return claims;
}

bool IsSmall(const ComparedMeasure& compared) {
  const double small = kSmallShare * compared.median_of_baseline;
  return std::abs(compared.found.bounds.low) < small &&
         std::abs(compared.found.bounds.high) < small;
}

// Collects the pairs and compares the measures.
Comparison ComparePairs(const Suite& suite, const SuiteResult& result) {
  CHECK(suite.comparison.has_value());
  Comparison comparison;
  for (const CellPair& pair : PairCells(suite, result)) {
    const SuiteCell& cell = pair.cell;
    if (MeasuresLoad(suite, cell)) continue;
    if (MeasuresCost(suite, cell)) {
      for (const char* measure : kOfCost)
        comparison.measures.push_back(CompareMeasure(pair, measure));
      continue;
    }
    for (const std::string& claim : CommonClaims(pair))
      comparison.rates.push_back({.row = cell.row,
                                  .column = cell.column,
                                  .claim = claim,
                                  .pairs = CountPairs(pair.runs, pair.of_baseline, claim)});
    if (!cell.plan.faults.empty()) continue;
    for (const char* measure : kOfLoad)
      comparison.measures.push_back(CompareMeasure(pair, measure));
  }
  const size_t comparisons = comparison.rates.size() + comparison.measures.size();
  comparison.confidence = 1 - kErrorOfAll / static_cast<double>(std::max<size_t>(comparisons, 1));
  for (ComparedMeasure& measure : comparison.measures)
    measure.found = ShiftOf(measure.differences, comparison.confidence);
  return comparison;
}

}  // namespace

RunsByBlock BlocksOf(const SuiteCell& cell, const std::vector<CellRun>& runs) {
  RunsByBlock blocks;
  for (const CellRun& run : runs) {
    if (const int block = RepetitionOf(run.folder, cell); block > 0) blocks[block] = &run;
  }
  return blocks;
}

std::optional<Outcome> OutcomeIn(const CellRun& run, const std::string& claim) {
  const auto found = run.trials.by_run.find(claim);
  if (found == run.trials.by_run.end()) return std::nullopt;
  if (found->second.violated > 0) return Outcome::kViolated;
  return found->second.undecided > 0 ? Outcome::kUnknown : Outcome::kValid;
}

bool MeasuresCost(const Suite& suite, const SuiteCell& cell) {
  return RunsAlone(cell) && !MeasuresLoad(suite, cell);
}

Comparison CompareRows(const Suite& suite, const SuiteResult& result) {
  Comparison comparison = ComparePairs(suite, result);
  for (ComparedRate& rate : comparison.rates) {
    rate.difference = DifferenceOf(rate.pairs, comparison.confidence);
    rate.bounds = BoundsOf(rate.pairs, comparison.confidence);
  }
  return comparison;
}

std::vector<bool> FindDecidedCells(const Suite& suite, const SuiteResult& result) {
  const Comparison comparison = ComparePairs(suite, result);
  const auto fewest = static_cast<size_t>(FewestForDifference(comparison.confidence));
  std::vector<bool> decided(suite.cells.size());
  for (size_t i = 0; i < suite.cells.size(); ++i) {
    const SuiteCell& cell = suite.cells[i];
    decided[i] = result.runs[i].size() >= (MeasuresLoad(suite, cell) ? kRunsOfLoad : fewest);
    if (MeasuresLoad(suite, cell)) continue;
    if (!MeasuresCost(suite, cell)) {
      decided[i] = decided[i] && result.answers[i].IsOver();
      continue;
    }
    for (const ComparedMeasure& measure : comparison.measures) {
      if (measure.row != cell.row || measure.column != cell.column) continue;
      decided[i] =
          decided[i] && (measure.found.difference != Difference::kNotSeen || IsSmall(measure));
    }
  }
  for (size_t i = 0; i < suite.cells.size(); ++i) {
    if (suite.cells[i].row != suite.comparison->baseline) continue;
    for (size_t j = 0; j < suite.cells.size(); ++j) {
      const bool other = suite.cells[j].row != suite.comparison->baseline;
      if (other && suite.cells[j].column == suite.cells[i].column)
        decided[i] = decided[i] && decided[j];
    }
  }
  return decided;
}

json ToJson(const Comparison& comparison, const std::vector<RankedRow>& ranked,
            const Suite& suite) {
  json rates = json::array();
  for (const ComparedRate& rate : comparison.rates) {
    const PairCount& pairs = rate.pairs;
    rates.push_back({{"row", rate.row},
                     {"column", rate.column},
                     {"claim", rate.claim},
                     {"pairs", pairs.of},
                     {"only_row", pairs.only_first},
                     {"only_baseline", pairs.only_second},
                     {"both", pairs.both},
                     {"undecided", pairs.undecided},
                     {"difference", Name(rate.difference)},
                     {"bounds", {rate.bounds.low, rate.bounds.high}}});
  }
  json measures = json::array();
  for (const ComparedMeasure& measure : comparison.measures) {
    json bounds;  // null: the pairs are too few
    if (std::isfinite(measure.found.bounds.low))
      bounds = {measure.found.bounds.low, measure.found.bounds.high};
    measures.push_back({{"row", measure.row},
                        {"column", measure.column},
                        {"measure", measure.measure},
                        {"unit", measure.unit},
                        {"pairs", measure.differences.size()},
                        {"median", measure.median},
                        {"median_of_baseline", measure.median_of_baseline},
                        {"difference", Name(measure.found.difference)},
                        {"shift", measure.found.median},
                        {"bounds", bounds}});
  }
  json rows = json::array();
  for (const RankedRow& row : ranked) {
    json broken = json::array();
    for (const auto& [claim, columns] : row.broken)
      broken.push_back({{"claim", claim}, {"columns", columns}});
    json not_judged = json::array(), why = json::array();
    for (const UnjudgedCell& cell : row.not_judged) {
      not_judged.push_back(cell.column);
      why.push_back(cell.why);
    }
    rows.push_back({{"row", row.row},
                    {"rank", row.rank ? json(*row.rank) : json()},
                    {"runs", row.runs},
                    {"not_judged", std::move(not_judged)},
                    {"why", std::move(why)},
                    {"broken", std::move(broken)}});
  }
  return {{"baseline", suite.comparison->baseline},
          {"budget_seconds", ToSeconds(suite.comparison->budget)},
          {"confidence", comparison.confidence},
          {"rows", std::move(rows)},
          {"rates", std::move(rates)},
          {"measures", std::move(measures)}};
}

}  // namespace doublehold
