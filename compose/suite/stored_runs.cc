#include "compose/suite/stored_runs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <string>

#include "compose/os/run_folder.h"
#include "compose/suite/suite_tables.h"
#include "lib/base/prng.h"
#include "lib/plan/plan_json.h"

namespace doublehold {
Plan PlanOfRun(const SuiteCell& cell, int repetition) {
  Plan plan = cell.plan;
  if (repetition > 1)
    plan.seed = Prng(cell.plan.seed, "repetition", static_cast<uint64_t>(repetition)).Next() >> 1U;
  return plan;
}

std::filesystem::path FolderOfRun(const SuiteCell& cell, int repetition) {
  return std::filesystem::path("cells") / FolderName(cell.name) / std::to_string(repetition);
}

int RepetitionOf(const std::filesystem::path& folder, const SuiteCell& cell) {
  const std::string number = folder.filename().string();
  int repetition = 0;
  std::from_chars(number.data(), number.data() + number.size(), repetition);
  return repetition > 0 && folder == FolderOfRun(cell, repetition) ? repetition : 0;
}

Result<void> LockSuiteFolder(const std::filesystem::path& folder) {
  // The descriptor stays open. The kernel releases the lock when this process ends.
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0) return {};
  close(fd);
  return BadInput(fmt::format("{}: another process runs a suite in it", folder.string()));
}

Result<void> CheckSameSuite(const nlohmann::json& stored, const nlohmann::json& asked,
                            const std::string& where, bool of_one_part) {
  using nlohmann::json;
  const auto baseline = [](const json& suite) {
    const json compared = suite.value("comparison", json());
    return compared.is_object() ? compared.value("baseline", json()) : json();
  };
  const auto check = [&](const std::string& key, const json& was, const json& is) -> Result<void> {
    if (was == is) return {};
    if (key == "plans") return BadInput(fmt::format("{}: the experiments differ", where));
    return BadInput(fmt::format("{}: '{}' is {}, not {}", where, key, was.dump(), is.dump()));
  };
  std::vector<std::string> keys{"suite",  "seed",  "only",  "changed",
                                "repeat", "until", "plans", "doublehold"};
  if (of_one_part) keys.emplace_back("shard");
  for (const std::string& key : keys)
    TRY(check(key, stored.value(key, json()), asked.value(key, json())));
  return check("baseline", baseline(stored), baseline(asked));
}

Result<void> CheckResumable(const SuiteRequest& request) {
  const std::string where = request.folder.string();
  const nlohmann::json stored = ReadJsonFile(request.folder / "suite.json");
  if (!stored.is_object()) return BadInput(fmt::format("{}: has no readable suite.json", where));
  SuiteResult nothing;
  nothing.runs.resize(request.suite.cells.size());
  TRY(CheckSameSuite(stored, ToJson(request, nothing), where, /*of_one_part=*/true));
  for (size_t i = 0; i < request.suite.cells.size(); ++i) {
    const SuiteCell& cell = request.suite.cells[i];
    // Without its driver, the plan of a cell is not known. The finished runs of the cell are kept.
    if (!request.shard.Has(i) || !cell.unmet.empty()) continue;
    for (int repetition = 1; repetition <= request.repeat; ++repetition) {
      const std::filesystem::path plan =
          request.folder / FolderOfRun(cell, repetition) / "plan.json";
      const nlohmann::json of_run = ReadJsonFile(plan);
      if (of_run.is_object() && of_run != ToJson(PlanOfRun(cell, repetition)))
        return BadInput(fmt::format(
            "{}: differs from the plan of the suite file; start the suite anew", plan.string()));
    }
  }
  return {};
}

std::optional<CellRun> ReadFinishedRun(const std::filesystem::path& suite, const SuiteCell& cell,
                                       int repetition) {
  CellRun run{.folder = FolderOfRun(cell, repetition), .seed = PlanOfRun(cell, repetition).seed};
  if (!TakeVerdict(ReadJsonFile(suite / run.folder / "verdict.json"), run)) return std::nullopt;
  if (run.cut_short) return std::nullopt;
  const bool whole = ReadPlanFile(suite / run.folder / "plan.json").has_value() &&
                     ReadHistory(suite / run.folder / "history.bin").has_value();
  if (whole) return run;
  // A violation is never run again: it might not be seen again.
  if (run.overall != Name(Outcome::kViolated)) return std::nullopt;
  TakeFailure("its plan.json or history.bin is damaged", run);
  return run;
}

}  // namespace doublehold
