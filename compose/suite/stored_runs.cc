#include "compose/suite/stored_runs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "compose/os/run_folder.h"
#include "lib/base/prng.h"
#include "lib/plan/plan_json.h"

namespace doublehold {
namespace {

nlohmann::json ReadJsonFile(const std::filesystem::path& file) {
  std::ifstream in(file);
  return nlohmann::json::parse(in, nullptr, /*allow_exceptions=*/false);
}

}  // namespace

Plan PlanOfRun(const SuiteCell& cell, int repetition) {
  Plan plan = cell.plan;
  if (repetition > 1)
    plan.seed = Prng(cell.plan.seed, cell.name, static_cast<uint64_t>(repetition)).Next() >> 1U;
  return plan;
}

std::filesystem::path FolderOfRun(const SuiteCell& cell, int repetition) {
  return std::filesystem::path("cells") / FolderName(cell.name) / std::to_string(repetition);
}

Result<void> LockSuiteFolder(const std::filesystem::path& folder) {
  // The descriptor stays open. The kernel releases the lock when this process ends.
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0) return {};
  close(fd);
  return BadInput(fmt::format("{}: another process runs a suite in it", folder.string()));
}

Result<void> CheckResumable(const SuiteRequest& request) {
  const std::filesystem::path file = request.folder / "suite.json";
  const nlohmann::json json = ReadJsonFile(file);
  if (!json.is_object() || !json.contains("suite") || !json["suite"].is_string())
    return BadInput(
        fmt::format("--resume {}: has no readable suite.json", request.folder.string()));
  if (const auto name = json["suite"].get<std::string>(); name != request.suite.name)
    return BadInput(fmt::format("--resume {}: is of the suite '{}', not '{}'",
                                request.folder.string(), name, request.suite.name));
  for (size_t i = 0; i < request.suite.cells.size(); ++i) {
    if (!request.shard.Has(i)) continue;
    const SuiteCell& cell = request.suite.cells[i];
    for (int repetition = 1; repetition <= request.repeat; ++repetition) {
      const std::filesystem::path plan =
          request.folder / FolderOfRun(cell, repetition) / "plan.json";
      const nlohmann::json stored = ReadJsonFile(plan);
      if (stored.is_object() && stored != ToJson(PlanOfRun(cell, repetition)))
        return BadInput(fmt::format(
            "--resume {}: differs from the plan of the suite file; start the suite anew",
            plan.string()));
    }
  }
  return {};
}

std::optional<CellRun> ReadFinishedRun(const std::filesystem::path& suite, const SuiteCell& cell,
                                       int repetition) {
  CellRun run{.folder = FolderOfRun(cell, repetition), .seed = PlanOfRun(cell, repetition).seed};
  const nlohmann::json verdict = ReadJsonFile(suite / run.folder / "verdict.json");
  if (!TakeVerdict(verdict, run)) return std::nullopt;
  const nlohmann::json environment = verdict.value("environment", nlohmann::json::object());
  if (environment.is_object() && environment.value("interrupted", false)) return std::nullopt;
  if (!ReadPlanFile(suite / run.folder / "plan.json")) return std::nullopt;
  if (!ReadHistory(suite / run.folder / "history.bin")) return std::nullopt;
  run.exit_code = verdict.value("exit_code", 0);
  run.seconds = verdict.value("seconds", 0.0);
  return run;
}

}  // namespace doublehold
