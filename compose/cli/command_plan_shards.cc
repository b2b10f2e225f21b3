#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>

#include "checker/evidence/names.h"
#include "compose/options/command_line.h"
#include "compose/options/screen.h"
#include "compose/os/run_folder.h"
#include "compose/suite/repeat.h"
#include "compose/suite/selection.h"
#include "compose/suite/shard.h"
#include "compose/suite/suite.h"
#include "compose/suite/suite_tables.h"

namespace doublehold {
namespace {

namespace po = boost::program_options;

po::options_description PlanShardsOptions() {
  po::options_description options("options");
  auto add = options.add_options();
  add("minutes", po::value<double>(), "maximum time of a part");
  add("times", po::value<std::string>(),
      "folder of an earlier run of the suite, whose times are used; default: the planned "
      "durations");
  add("jobs", po::value<int>()->default_value(kSuiteJobs), "number of parallel runs on a machine");
  add("repeat", po::value<int>()->default_value(1), "number of runs of each cell");
  add("only", po::value<std::vector<std::string>>()->composing(),
      "these cells only: ROW/COLUMN, ROW/ or /COLUMN; repeatable");
  add("json", "print JSON");
  return options;
}

struct Shares {
  std::vector<int> part_of;     // each cell
  std::vector<Duration> times;  // of each part
  [[nodiscard]] Duration Longest() const { return std::ranges::max(times); }
};

Shares Share(const Suite& suite, const std::vector<Duration>& times, int parts, Repeats repeats) {
  Shares shares{.part_of = ShareOut(PlannedTimes(suite), parts), .times = {}};
  for (int part = 1; part <= parts; ++part)
    shares.times.push_back(TimeOfPart(times, shares.part_of, part, repeats));
  return shares;
}

// Returns the fewest parts that each take at most `limit`. Returns bad input if one cell takes
// longer.
Result<Shares> FewestParts(const Suite& suite, const std::vector<Duration>& times, Duration limit,
                           Repeats repeats) {
  const auto longest = std::ranges::max_element(times);
  if (*longest > limit)
    return BadInput(fmt::format("--minutes {:.3g}: {} alone takes {}, and a cell is not split",
                                ToSeconds(limit) / 60,
                                suite.cells[static_cast<size_t>(longest - times.begin())].name,
                                RoughTime(ToSeconds(*longest))));
  const Duration whole = std::accumulate(times.begin(), times.end(), Duration::zero());
  for (int parts = std::max(1, static_cast<int>(whole * repeats.repeat / (limit * repeats.jobs)));;
       ++parts) {
    Shares shares = Share(suite, times, parts, repeats);
    if (shares.Longest() <= limit || parts == std::ssize(suite.cells)) return shares;
  }
}

Result<std::vector<Duration>> ReadTimes(const ParsedLine& line, const Suite& suite) {
  if (!line.values.contains("times")) return PlannedTimes(suite);
  const std::filesystem::path folder = line.values["times"].as<std::string>();
  const nlohmann::json earlier = ReadJsonFile(folder / "suite.json");
  if (!earlier.is_object())
    return BadInput(fmt::format("--times {}: has no readable suite.json", folder.string()));
  return MeasuredTimes(suite, earlier);
}

nlohmann::json ToJson(const Suite& suite, const Shares& shares) {
  nlohmann::json parts = nlohmann::json::array();
  for (size_t i = 0; i < shares.times.size(); ++i) {
    nlohmann::json cells = nlohmann::json::array();
    for (size_t cell = 0; cell < suite.cells.size(); ++cell)
      if (shares.part_of[cell] == static_cast<int>(i) + 1) cells.push_back(suite.cells[cell].name);
    parts.push_back(
        {{"part", i + 1}, {"seconds", ToSeconds(shares.times[i])}, {"cells", std::move(cells)}});
  }
  return {{"suite", suite.name}, {"parts", std::move(parts)}};
}

}  // namespace

Result<ExitCode> PlanShardsCommand(const Words& words) {
  const ParsedLine line = TRY(ParseLine(
      words, PlanShardsOptions(),
      "plan-shards SUITE.toml|NAME --minutes N [options]\nSays into how many parts to divide a "
      "suite (suite --shard)."));
  if (line.help) return ExitCode::kAsExpected;
  if (line.rest.size() != 1) return BadInput("name one suite, for example npc");
  if (!line.values.contains("minutes"))
    return BadInput("--minutes is missing: give the maximum time of a part: --minutes 10");
  const double minutes = line.values["minutes"].as<double>();
  if (!(minutes > 0)) return BadInput("--minutes: must be above 0");
  const Repeats repeats{.repeat = line.values["repeat"].as<int>(),
                        .jobs = line.values["jobs"].as<int>()};
  Suite suite = TRY(ReadSuiteNamed(line.rest.front()));
  if (line.values.contains("only")) {
    TRY(SelectCells(line.values["only"].as<std::vector<std::string>>(), "--only", suite));
  }
  TRY(CheckCounts({.suite = suite, .repeat = repeats.repeat, .jobs = repeats.jobs}));
  if (suite.comparison)
    return BadInput("a comparison is not split: its pairs of runs belong to one machine");
  const std::vector<Duration> times = TRY(ReadTimes(line, suite));
  const Duration whole =
      std::accumulate(times.begin(), times.end(), Duration::zero()) * repeats.repeat;
  const Duration limit =
      std::chrono::duration_cast<Duration>(std::chrono::duration<double>(minutes * 60));
  const Shares shares = TRY(FewestParts(suite, times, limit, repeats));
  if (line.values.contains("json")) {
    fmt::print("{}\n", ToJson(suite, shares).dump(2));
    return ExitCode::kAsExpected;
  }
  fmt::print("{}: {} take {} in sequence ({})\n", suite.name,
             Counted(std::ssize(suite.cells) * repeats.repeat, "run"), RoughTime(ToSeconds(whole)),
             line.values.contains("times") ? "measured" : "planned");
  fmt::print("{} of at most {}, if each has a machine and --jobs {}:\n",
             Counted(std::ssize(shares.times), "part"), RoughTime(ToSeconds(shares.Longest())),
             repeats.jobs);
  for (size_t i = 0; i < shares.times.size(); ++i)
    fmt::print("  --shard {}/{}: {}, {}\n", i + 1, shares.times.size(),
               Counted(std::ranges::count(shares.part_of, static_cast<int>(i) + 1), "cell"),
               RoughTime(ToSeconds(shares.times[i])));
  return ExitCode::kAsExpected;
}

}  // namespace doublehold
