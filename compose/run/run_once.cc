#include "compose/run/run_once.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "compose/os/orphans.h"
#include "compose/os/run_folder.h"
#include "compose/os/scratch.h"
#include "compose/run/killed_run.h"
#include "compose/run/merge_segments.h"
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
                       {"doublehold", DOUBLEHOLD_VERSION}};
  // A killed supervisor measured nothing.
  if (!supervised.use.during.empty()) facts["supervisor"] = ToJson(supervised.use);
  if (supervised.interrupted) facts["interrupted"] = true;
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

struct RecordedRun {
  Supervised supervised;
  std::vector<std::string> ran_on{};  // the processes that outlived their drivers
  Result<void> written{};             // whether the history was written
};

JudgedRun JudgeAndWrite(const RunRequest& request, const RecordedRun& recorded) {
  JudgedRun run{.verdict = Judge(recorded.supervised.history),
                .json = {},
                .interrupted = recorded.supervised.interrupted};
  const auto keep = [&run](const Result<void>& written) {
    if (!written && !run.unwritten) run.unwritten = written.error();
  };
  keep(recorded.written);
  if (IsExternal(request.plan)) run.verdict.warnings.push_back(DescribeExternal(request.plan));
  if (!recorded.ran_on.empty()) run.verdict.warnings.push_back(DescribeOrphans(recorded.ran_on));
  nlohmann::json json = ToJson(run.verdict);
  json["environment"] = EnvironmentFacts(request, recorded.supervised);
  run.json = json.dump(2) + "\n";
  // Writes verdict.json last, so that a folder with a verdict.json is complete.
  if (request.frames != nullptr)
    keep(WriteWhole(request.folder / "frames.jsonl", ToJsonLines(*request.frames)));
  keep(WriteWhole(request.folder / "verdict.json", run.json));
  return run;
}

// Writes and judges what a killed run recorded. The janitor calls this after the supervisor ended.
// Does nothing if the supervisor had already written the history.
void KeepKilledRun(const RunRequest& request, SharedRun& shared) {
  std::error_code code;
  if (std::filesystem::exists(request.folder / "history.bin", code)) return;
  RecordedRun recorded{.supervised = {.history = CollectKilledRun(shared, request.plan),
                                      .use = {},
                                      .version = request.programs.locks.version}};
  const History& history = recorded.supervised.history;
  recorded.supervised.interrupted = Duration(history.events.back().at_ns);
  recorded.written = WriteHistory(history, request.folder, request.history);
  (void)JudgeAndWrite(request, recorded);
}

// Runs the plan and writes its history. If this process is killed meanwhile, the janitor writes and
// judges what was recorded, if the request asks for that.
Result<RecordedRun> RunAndRecord(const RunRequest& request) {
  SharedRun shared = TRY(CreateSharedRun(request.plan));
  std::function<void()> if_killed;
  if (request.keep_if_killed) if_killed = [&] { KeepKilledRun(request, shared); };
  const int lock = LockRunFolder(request.folder);
  Result<Scratch> scratch = Scratch::Create(if_killed, lock);
  if (lock >= 0) close(lock);  // the janitor keeps the lock until the janitor ends
  if (!scratch) return tl::unexpected(scratch.error());
  const OwnUse before = ReadOwnUse();
  Orphans orphans;
  RecordedRun recorded{.supervised = TRY(Supervise(request, shared, scratch->folder()))};
  recorded.ran_on = orphans.End();
  // The supervisor has closed everything by now. So any resource beyond `before` is a leak.
  recorded.supervised.use.before = before;
  recorded.supervised.use.after = ReadOwnUse();
  // What was recorded is kept even if the judging is interrupted.
  recorded.written = WriteHistory(recorded.supervised.history, request.folder, request.history);
  if (request.on_written) request.on_written();
  recorded.supervised.until_written.reset();
  return recorded;
}

}  // namespace

Result<JudgedRun> RunAndJudge(const RunRequest& request) {
  TRY(WriteWhole(request.folder / "plan.json", ToJson(request.plan).dump(2) + "\n"));
  RecordedRun recorded = TRY(RunAndRecord(request));
  recorded.supervised.use.children_left = HasChildren();
  return JudgeAndWrite(request, recorded);
}

Result<RunVerdict> RunOnce(const RunRequest& request) {
  JudgedRun run = TRY(RunAndJudge(request));
  if (run.interrupted) return tl::unexpected(Error{ExitCode::kUnknown, "interrupted", {}});
  if (run.unwritten) return tl::unexpected(*run.unwritten);
  return std::move(run.verdict);
}

}  // namespace doublehold
