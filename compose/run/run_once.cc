#include "compose/run/run_once.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/utsname.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "compose/os/orphans.h"
#include "compose/os/run_folder.h"
#include "lib/plan/plan_json.h"
#include "lib/plan/topology.h"

namespace doublehold {
namespace {

nlohmann::json EnvironmentFacts(const RunRequest& request, const Supervised& supervised) {
  utsname kernel{};
  uname(&kernel);
  const Plan& plan = request.plan;
  nlohmann::json facts{{std::string(StoreServiceOf(plan)), request.programs.store.version},
                       {"cores", std::thread::hardware_concurrency()},
                       {"kernel", kernel.release},
                       {"doublehold", DOUBLEHOLD_VERSION},
                       {"supervisor", ToJson(supervised.use)}};
  // Of two servers of one service, the locks' count.
  facts[std::string(ServiceOf(plan))] = supervised.version;
  return facts;
}

// Says what a run cannot see of servers that it did not start.
std::string DescribeExternal(const Plan& plan) {
  return fmt::format(
      "the run did not start the lock's {}: it saw when a server did not answer, and compared its "
      "process and clock at the begin and the end; a clock that was set and set back stays unseen",
      plan.nodes == 1 ? "server" : "servers");
}

std::string DescribeOrphans(const std::vector<std::string>& ran_on) {
  const bool one = ran_on.size() == 1;
  return fmt::format("{} {} that drivers had started outlived the drivers, and {} killed: {}",
                     ran_on.size(), one ? "process" : "processes", one ? "was" : "were",
                     fmt::join(std::set<std::string>(ran_on.begin(), ran_on.end()), ", "));
}

}  // namespace

Result<JudgedRun> RunAndJudge(const RunRequest& request) {
  TRY(WriteWhole(request.folder / "plan.json", ToJson(request.plan).dump(2) + "\n"));
  const OwnUse before = ReadOwnUse();
  Orphans orphans;
  Result<Supervised> supervised = Supervise(request);
  const std::vector<std::string> ran_on = orphans.End();
  if (!supervised) return tl::unexpected(supervised.error());
  if (request.ended) request.ended();
  // The supervisor has closed everything by now. So any resource beyond `before` is a leak.
  supervised->use.before = before;
  supervised->use.after = ReadOwnUse();
  supervised->use.children_left = HasChildren();
  const History& history = supervised->history;
  JudgedRun run{.verdict = {}, .json = {}, .interrupted = supervised->interrupted};
  const auto keep = [&run](const Result<void>& written) {
    if (!written && !run.unwritten) run.unwritten = written.error();
  };
  // What was recorded is kept even if the judging is interrupted.
  keep(WriteHistory(history, request.folder, request.history));
  run.verdict = Judge(history);
  if (IsExternal(request.plan)) run.verdict.warnings.push_back(DescribeExternal(request.plan));
  if (!ran_on.empty()) run.verdict.warnings.push_back(DescribeOrphans(ran_on));
  nlohmann::json json = ToJson(run.verdict);
  json["environment"] = EnvironmentFacts(request, *supervised);
  if (run.interrupted) json["environment"]["interrupted"] = true;
  run.json = json.dump(2) + "\n";
  // Writes verdict.json last, so that a folder with a verdict.json is complete.
  if (request.frames != nullptr)
    keep(WriteWhole(request.folder / "frames.jsonl", ToJsonLines(*request.frames)));
  keep(WriteWhole(request.folder / "verdict.json", run.json));
  return run;
}

Result<RunVerdict> RunOnce(const RunRequest& request) {
  JudgedRun run = TRY(RunAndJudge(request));
  if (run.interrupted) return tl::unexpected(Error{ExitCode::kUnknown, "interrupted", {}});
  if (run.unwritten) return tl::unexpected(*run.unwritten);
  return std::move(run.verdict);
}

}  // namespace doublehold
