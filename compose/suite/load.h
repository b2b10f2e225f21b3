// Load curves: throughput, waits and fairness of each row of a comparison, at each load.
#ifndef DOUBLEHOLD_COMPOSE_SUITE_LOAD_H_
#define DOUBLEHOLD_COMPOSE_SUITE_LOAD_H_

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "checker/verdict/percentiles.h"
#include "compose/suite/suite.h"

namespace doublehold {

// Whether the cell has the workload `cycle` and no faults. A comparison runs such a cell alone, so
// that no other run slows it.
bool RunsAlone(const SuiteCell& cell);
// Whether the cell is a point of a load curve. Such a cell runs alone, and `kRunsOfLoad` times.
bool MeasuresLoad(const Suite& suite, const SuiteCell& cell);
constexpr size_t kRunsOfLoad = 3;

// Returns bad input unless the columns exist and their cells run alone. `where` begins the message.
Result<void> CheckLoad(const Suite& suite, const std::vector<std::string>& columns,
                       const std::string& where);

// A measure of a point: the median, the least and the most of its runs.
struct LoadValue {
  std::string unit;
  double median = 0, least = 0, most = 0;
};

// A cell of a load curve: one row at one load.
struct LoadPoint {
  std::string row, column;
  int sessions = 1;  // of all clients
  // The mean number of customers who come in a second. Nothing: a session's next customer comes
  // when the last was served.
  std::optional<double> customers_a_second;
  size_t runs = 0;
  // Empty if there is no run:
  std::map<std::string, LoadValue> measures;   // "holds a second", "Jain's index"; see formats.md
  std::map<std::string, Percentiles> latency;  // of all runs together
};

// Returns a point for each cell, in the order of the cells. After an early end, a point may have no
// run.
std::vector<LoadPoint> FindLoadPoints(const Suite& suite, const SuiteResult& result);

// Returns the member `load` of suite.json (docs/formats.md).
nlohmann::json ToJson(const std::vector<LoadPoint>& points);
// Returns a table of the points for a terminal, or an empty text if no point has a run.
std::string FormatLoad(const std::vector<LoadPoint>& points);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_SUITE_LOAD_H_
