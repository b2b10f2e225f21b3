// Compares the rows of a suite, such as locks, with one of them, the baseline.
//
// All cells run once before a cell runs twice: this is a block. The runs of a block have the same
// seed, so the same arrivals and the same faults, and start in random order. So a run is compared
// with the run of the baseline in the same column and block, and a slow minute of the machine
// slows both.
#ifndef DOUBLEHOLD_COMPOSE_SUITE_COMPARISON_H_
#define DOUBLEHOLD_COMPOSE_SUITE_COMPARISON_H_

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "checker/rates/paired.h"
#include "compose/suite/suite.h"

namespace doublehold {

// The fewest values of a run whose median, and whose 99 %, count as measured.
constexpr int64_t kFewestForMedian = 20, kFewestForP99 = 100;

// The ended runs of a cell by block, counted from 1.
using RunsByBlock = std::map<int, const CellRun*>;
RunsByBlock BlocksOf(const SuiteCell& cell, const std::vector<CellRun>& runs);
// Returns the outcome of a claim in a run; nothing if the run did not judge it.
std::optional<Outcome> OutcomeIn(const CellRun& run, const std::string& claim);

// A claim of a row in a column, against the baseline: how many runs of the pairs were violated.
struct ComparedRate {
  std::string row, column, claim;
  PairCount pairs;
  Difference difference = Difference::kNotSeen;
  Interval bounds{.low = -1, .high = 1};
};

// A measure of a row in a column without faults, against the baseline. Values are in the measure's
// unit. A shift is the row's value minus the baseline's. Without a pair, it was not measured.
struct ComparedMeasure {
  std::string row, column, measure, unit;
  std::vector<double> differences;  // one for each pair
  double median = 0, median_of_baseline = 0;
  Shift found;
};

struct Comparison {
  // Of one comparison. All together err with at most 5 % (Bonferroni).
  double confidence = 0.95;
  std::vector<ComparedRate> rates;
  std::vector<ComparedMeasure> measures;
};

// Requires `suite.comparison`.
Comparison CompareRows(const Suite& suite, const SuiteResult& result);

// Whether a cell needs no further runs, by cell:
// - a cell that measures cost: each measure differs from the baseline, or by less than 5 %;
// - a cell that measures load: it has kRunsOfLoad runs;
// - any other cell: its question (`until`) is answered, and it has as many runs as a clear
//   difference takes;
// - a cell of the baseline: also all other cells of its column are decided.
std::vector<bool> FindDecidedCells(const Suite& suite, const SuiteResult& result);

// Whether the cell measures cost: it runs alone (load.h), and is no point of a load curve.
bool MeasuresCost(const Suite& suite, const SuiteCell& cell);

struct RankedRow;  // ranking.h
nlohmann::json ToJson(const Comparison& comparison, const std::vector<RankedRow>& ranked,
                      const Suite& suite);
// Returns the comparison as text for a terminal: one line for each difference, then what was not
// seen to differ, then the cells that are not decided and what a longer budget would decide.
std::string FormatComparison(const SuiteRequest& request, const SuiteResult& result);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_SUITE_COMPARISON_H_
