// The parts of a suite that is run on several machines.
#ifndef DOUBLEHOLD_COMPOSE_SUITE_SHARD_H_
#define DOUBLEHOLD_COMPOSE_SUITE_SHARD_H_

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"
#include "lib/base/time.h"

namespace doublehold {

struct Suite;  // suite.h

// One of `of` parts of a suite.
struct Shard {
  int number = 1, of = 1;
  std::vector<bool> cells{};  // whether each cell belongs to it; empty: all do
  [[nodiscard]] bool IsWhole() const { return of == 1; }
  [[nodiscard]] bool Has(size_t cell) const { return cells.empty() || cells[cell]; }
};

// Returns the value of an environment variable, or nothing.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

// Reads "3/8", "auto/8" or "auto". With "auto", the batch system's variables name the part, and
// also the number of parts unless it is given. Returns bad input for anything else.
Result<Shard> ReadShard(std::string_view text, const Environment& environment);
Result<Shard> ReadShard(std::string_view text);  // with this process's environment
// Returns the variables that "auto" reads: "JOB_COMPLETION_INDEX (Kubernetes), ...".
std::string ShardVariables();

// How long one run of each cell takes, from its plan.
std::vector<Duration> PlannedTimes(const Suite& suite);

// Shares out the cells, so that the parts take about equally long: each cell, the longest first,
// goes to the part that has the least so far. Returns the part of each cell, counted from 1. Equal
// times give equal parts on every machine.
std::vector<int> ShareOut(const std::vector<Duration>& times, int parts);

// Like PlannedTimes, but with the average time of each cell's finished runs in a suite.json.
std::vector<Duration> MeasuredTimes(const Suite& suite, const nlohmann::json& earlier);

struct Repeats {
  int repeat = 1;  // runs of each cell
  int jobs = 1;    // parallel runs
};
// How long one part takes, if one run of each cell takes so long.
Duration TimeOfPart(const std::vector<Duration>& times, const std::vector<int>& part_of, int part,
                    Repeats repeats);

// Sets the cells of the shard. Returns bad input if no cell is left for it.
Result<void> TakeCells(const Suite& suite, Shard& shard);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_SUITE_SHARD_H_
