#include "compose/suite/shard.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "checker/evidence/names.h"
#include "compose/suite/suite.h"
#include "lib/base/words.h"

namespace doublehold {
namespace {

constexpr std::string_view kAuto = "auto";

// The variables with a task's number, and the number of tasks.
struct BatchSystem {
  const char* name;
  const char* index;
  int first;  // index of the first task
  // Null: no such variable. A task that Slurm runs again alone is an array of one task, so the
  // array's size is not the number of parts.
  const char* count;
};
constexpr std::array kBatchSystems{
    BatchSystem{"Kubernetes", "JOB_COMPLETION_INDEX", 0, nullptr},
    BatchSystem{"Slurm", "SLURM_ARRAY_TASK_ID", 1, nullptr},
    BatchSystem{"GitLab", "CI_NODE_INDEX", 1, "CI_NODE_TOTAL"},
    BatchSystem{"CircleCI", "CIRCLE_NODE_INDEX", 0, "CIRCLE_NODE_TOTAL"},
    BatchSystem{"Buildkite", "BUILDKITE_PARALLEL_JOB", 0, "BUILDKITE_PARALLEL_JOB_COUNT"},
};

Result<int> ReadVariable(const char* name, const Environment& environment) {
  const std::optional<std::string> value = environment(name);
  if (!value) return BadInput(fmt::format("--shard auto: {} is not set", name));
  if (const std::optional<int> number = ReadNumber(*value)) return *number;
  return BadInput(fmt::format("--shard auto: {} is '{}', not a number", name, *value));
}

// Takes the number of the part, and the number of parts if it is 0.
Result<void> AskBatchSystem(const Environment& environment, Shard& shard) {
  const auto system = std::ranges::find_if(
      kBatchSystems, [&](const BatchSystem& one) { return environment(one.index).has_value(); });
  if (system == kBatchSystems.end())
    return BadInput(fmt::format(
        "--shard auto: none of these variables is set: {}; write the part, for example --shard 3/8",
        ShardVariables()));
  const int index = TRY(ReadVariable(system->index, environment));
  if (shard.of == 0 && system->count == nullptr)
    return BadInput(
        fmt::format("--shard auto: {} does not give the number of parts; write, for "
                    "example, --shard auto/8",
                    system->name));
  if (shard.of == 0) shard.of = TRY(ReadVariable(system->count, environment));
  shard.number = index - system->first + 1;
  if (shard.number >= 1 && shard.number <= shard.of) return {};
  return BadInput(fmt::format("--shard auto/{}: {} is {}, but must be from {} to {}", shard.of,
                              system->index, index, system->first, system->first + shard.of - 1));
}

}  // namespace

std::string ShardVariables() {
  std::vector<std::string> names;
  names.reserve(kBatchSystems.size());
  for (const BatchSystem& system : kBatchSystems)
    names.push_back(fmt::format("{} ({})", system.index, system.name));
  return fmt::format("{}", fmt::join(names, ", "));
}

Result<Shard> ReadShard(std::string_view text, const Environment& environment) {
  const auto bad = [&](std::string_view why) {
    return BadInput(fmt::format("--shard {}: {}", text, why));
  };
  const size_t slash = text.find('/');
  const std::string_view part = text.substr(0, slash);
  const bool is_auto = part == kAuto;
  const std::optional<int> number = is_auto ? 1 : ReadNumber(part);
  std::optional<int> of = 0;
  if (slash != std::string_view::npos) of = ReadNumber(text.substr(slash + 1));
  if (!number || !of || (slash == std::string_view::npos && !is_auto))
    return bad("must have the form PART/PARTS, such as 3/8, or auto/8");
  if (slash != std::string_view::npos && *of < 1)
    return bad("the number of parts must be at least 1");
  Shard shard{.number = *number, .of = *of};
  if (is_auto) {
    TRY(AskBatchSystem(environment, shard));
  }
  if (shard.number < 1 || shard.number > shard.of)
    return bad(fmt::format("the part must be from 1 to {}", shard.of));
  return shard;
}

Result<Shard> ReadShard(std::string_view text) {
  return ReadShard(text, [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return value;
  });
}

std::vector<Duration> PlannedTimes(const Suite& suite) {
  std::vector<Duration> times;
  for (const SuiteCell& cell : suite.cells) times.push_back(cell.plan.duration + kAroundARun);
  return times;
}

std::vector<Duration> MeasuredTimes(const Suite& suite, const nlohmann::json& earlier) {
  std::map<std::string, std::pair<double, int>> measured;
  for (const nlohmann::json& cell : earlier.value("cells", nlohmann::json::array())) {
    auto& [seconds, runs] = measured[cell.value("name", "")];
    for (const nlohmann::json& run : cell.value("runs", nlohmann::json::array())) {
      if (!run.value("error", nlohmann::json()).is_null() || run.value("interrupted", false))
        continue;
      seconds += run.value("seconds", 0.0);
      ++runs;
    }
  }
  std::vector<Duration> times = PlannedTimes(suite);
  for (size_t i = 0; i < times.size(); ++i) {
    const auto found = measured.find(suite.cells[i].name);
    if (found == measured.end() || found->second.second == 0) continue;
    times[i] = std::chrono::duration_cast<Duration>(
        std::chrono::duration<double>(found->second.first / found->second.second));
  }
  return times;
}

std::vector<int> ShareOut(const std::vector<Duration>& times, int parts) {
  std::vector<size_t> order(times.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](size_t cell) { return times[cell]; });
  std::vector<Duration> taken(static_cast<size_t>(parts));
  std::vector<int> part_of(times.size());
  for (const size_t cell : order) {
    const auto least = std::ranges::min_element(taken);
    *least += times[cell];
    part_of[cell] = static_cast<int>(least - taken.begin()) + 1;
  }
  return part_of;
}

Duration TimeOfPart(const std::vector<Duration>& times, const std::vector<int>& part_of, int part,
                    Repeats repeats) {
  std::vector<Duration> busy_until(static_cast<size_t>(repeats.jobs));
  for (int repetition = 0; repetition < repeats.repeat; ++repetition) {
    for (size_t cell = 0; cell < times.size(); ++cell) {
      if (part_of[cell] == part) *std::ranges::min_element(busy_until) += times[cell];
    }
  }
  return std::ranges::max(busy_until);
}

Result<void> TakeCells(const Suite& suite, Shard& shard) {
  if (shard.IsWhole()) return {};
  if (shard.number > std::ssize(suite.cells))
    return BadInput(fmt::format("--shard {}/{}: the suite has only {}; use at most as many parts",
                                shard.number, shard.of, Counted(std::ssize(suite.cells), "cell")));
  for (const int part : ShareOut(PlannedTimes(suite), shard.of))
    shard.cells.push_back(part == shard.number);
  return {};
}

}  // namespace doublehold
