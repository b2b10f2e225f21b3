#include "compose/suite/suite.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <span>

#include "compose/driver/driver.h"
#include "compose/options/program_options.h"
#include "compose/os/child_processes.h"
#include "compose/os/end_signals.h"
#include "compose/os/run_folder.h"
#include "compose/plan/plan_builder.h"
#include "compose/suite/comparison.h"
#include "compose/suite/load.h"
#include "compose/suite/stored_runs.h"
#include "compose/suite/suite_tables.h"
#include "lib/base/prng.h"
#include "lib/base/wait_status.h"
#include "lib/base/words.h"
#include "lib/os/spawn.h"
#include "lib/plan/plan_json.h"
#include "lib/plan/settings.h"
#include "lib/redis/hiredis_connection.h"

namespace doublehold {
namespace {

Result<void> WriteSuite(const SuiteRequest& request, const SuiteResult& result) {
  return WriteWhole(request.folder / "suite.json", ToJson(request, result).dump(2) + "\n");
}

// Runs child processes until all cells are done. After SIGINT or SIGTERM it starts no more runs,
// and waits until the running processes end.
class SuiteRunner {
 public:
  explicit SuiteRunner(const SuiteRequest& request) : request_(request) {}

  SuiteResult Run() {
    sigset_t before;
    sigset_t watched;
    sigemptyset(&watched);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&watched, number);
    sigprocmask(SIG_BLOCK, &watched, &before);
    result_.runs.resize(request_.suite.cells.size());
    if (request_.until)
      result_.answers.assign(request_.suite.cells.size(), Repetitions(*request_.until));
    decided_.resize(request_.suite.cells.size());
    begun_ = RealMono();
    Plan();
    SaveSoFar();
    while (next_ < queue_.size() || !running_.empty()) {
      while (next_ < queue_.size() && !result_.interrupted && !result_.failed_fast &&
             !result_.error && !result_.spent) {
        const Job& job = queue_[next_];
        if (IsNeeded(job) && !HasRoomFor(job)) break;
        ++next_;
        if (!IsNeeded(job)) continue;
        result_.spent = RealMono() + Expected(job) > EndOfBudget();
        if (result_.spent) break;
        if (Result<void> ok = Start(job); !ok) result_.error = ok.error();
      }
      if (running_.empty()) break;  // after an interrupt or an error, or when every answer is known
      Wait(watched);
    }
    result_.seconds = ToSeconds(RealMono() - begun_);
    // How many runs a budget allows is not known before.
    if (!result_.spent)
      result_.not_begun = static_cast<size_t>(std::ranges::count_if(
          std::span(queue_).subspan(next_), [this](const Job& job) { return IsNeeded(job); }));
    sigprocmask(SIG_SETMASK, &before, nullptr);
    return std::move(result_);
  }

 private:
  struct Job {
    size_t cell = 0;
    int repetition = 0;  // counted from 1
  };
  struct Running {
    Job job;
    CellRun run;
    MonoTime begun{};
    std::filesystem::path log;
  };

  // Every cell runs once before a cell runs twice. So after an early end every cell has some runs.
  // In a comparison, the cells that measure cost come first, and the order is drawn.
  void Plan() {
    for (int repetition = 1; repetition <= request_.repeat; ++repetition) {
      const size_t begin = queue_.size();
      for (size_t cell = 0; cell < request_.suite.cells.size(); ++cell) {
        if (!request_.shard.Has(cell)) continue;
        if (request_.resumes && Keep({cell, repetition})) continue;
        queue_.push_back({cell, repetition});
      }
      if (!request_.suite.comparison) continue;
      Prng order(request_.suite.seed, "order", static_cast<uint64_t>(repetition));
      const std::span<Job> block = std::span(queue_).subspan(begin);
      for (size_t left = block.size(); left > 1; --left)
        std::swap(block[left - 1], block[order.Below(left)]);
      std::ranges::stable_partition(block, [this](const Job& job) { return RunsAlone(job); });
    }
  }

  [[nodiscard]] MonoTime EndOfBudget() const {
    return request_.suite.comparison ? begun_ + request_.suite.comparison->budget : MonoTime::max();
  }

  [[nodiscard]] bool RunsAlone(const Job& job) const {
    return request_.suite.comparison && doublehold::RunsAlone(request_.suite.cells[job.cell]);
  }

  [[nodiscard]] bool HasRoomFor(const Job& job) const {
    if (RunsAlone(job)) return running_.empty();
    return running_.size() < static_cast<size_t>(request_.jobs) &&
           std::ranges::none_of(running_,
                                [this](const auto& one) { return RunsAlone(one.second.job); });
  }

  // A run takes its planned duration plus the average extra time of the finished runs.
  [[nodiscard]] Duration Expected(const Job& job) const {
    const Duration extra = done_ == 0 ? kAroundARun : around_runs_ / static_cast<int64_t>(done_);
    return std::max(Duration::zero(), request_.suite.cells[job.cell].plan.duration + extra);
  }

  // Takes a run that is already finished. Removes the files of a run that is not.
  bool Keep(const Job& job) {
    const SuiteCell& cell = request_.suite.cells[job.cell];
    // Waits until the janitor of a killed run has written what the run recorded.
    close(LockRunFolder(request_.folder / FolderOfRun(cell, job.repetition)));
    std::optional<CellRun> run = ReadFinishedRun(request_.folder, cell, job.repetition);
    if (run) {
      ++result_.kept;
      Record(job, *std::move(run));
      return true;
    }
    std::error_code code;
    std::filesystem::remove_all(request_.folder / FolderOfRun(cell, job.repetition), code);
    return false;
  }

  [[nodiscard]] bool IsNeeded(const Job& job) const {
    if (request_.suite.comparison) return !decided_[job.cell];
    return !request_.until || !result_.answers[job.cell].IsOver();
  }

  Result<void> Start(const Job& job) {
    const SuiteCell& cell = request_.suite.cells[job.cell];
    Running running{.job = job, .begun = RealMono()};
    running.run.folder = FolderOfRun(cell, job.repetition);
    const std::filesystem::path folder = request_.folder / running.run.folder;
    TRY(MakeFolder(folder));
    if (!cell.unmet.empty()) {
      TakeFailure(cell.unmet, running.run);
      running.run.exit_code = static_cast<int>(ExitCode::kEnvironment);
      Ended(running);
      return {};
    }
    const doublehold::Plan plan = PlanOfRun(cell, job.repetition);
    running.run.seed = plan.seed;
    running.log = folder / "run.log";
    const std::string file = (folder / "plan.json").string();
    TRY(WriteWhole(file, ToJson(plan).dump(2) + "\n"));
    Words argv{"doublehold", "run", "--plan", file, "--into", folder.string(), "--quiet"};
    for (const std::string& word : ToWords(request_.programs)) argv.push_back(word);
    if (request_.history == HistoryFiles::kBinary) argv.insert(argv.end(), {"--history", "binary"});
    const pid_t pid = TRY(Spawn({.argv = std::move(argv), .self = true, .log = running.log}));
    running_.emplace(pid, std::move(running));
    return {};
  }

  void Wait(const sigset_t& watched) {
    ShowProgress();
    const timespec pause{.tv_sec = 1, .tv_nsec = 0};
    const int signal_number = sigtimedwait(&watched, nullptr, &pause);
    if (signal_number < 0) return;  // nothing happened for a second
    if (signal_number != SIGCHLD) {
      result_.interrupted = true;
      for (const auto& [pid, running] : running_) kill(pid, SIGINT);
    }
    for (auto it = running_.begin(); it != running_.end();) {
      int status = 0;
      if (waitpid(it->first, &status, WNOHANG) == it->first) {
        Finish(it->second, status);
        it = running_.erase(it);
      } else {
        ++it;
      }
    }
  }

  // Estimates the remaining time.
  void ShowProgress() const {
    if (!request_.progress) return;
    SuiteProgress now{.done = done_, .of = queue_.size(), .running = {}};
    for (size_t i = next_; i < queue_.size(); ++i) {
      if (IsNeeded(queue_[i])) now.seconds_left += ToSeconds(Expected(queue_[i]));
    }
    for (const auto& [pid, running] : running_) {
      now.running.push_back(request_.suite.cells[running.job.cell].name);
      now.seconds_left +=
          std::max(0.0, ToSeconds(Expected(running.job) - (RealMono() - running.begun)));
    }
    now.seconds_left /= std::max(1, request_.jobs);
    if (request_.suite.comparison)
      now.seconds_left = std::min(now.seconds_left, ToSeconds(EndOfBudget() - RealMono()));
    request_.progress(now);
  }

  void Finish(Running& running, int status) {
    CellRun& run = running.run;
    // The janitor writes the verdict of a killed run, perhaps later. This verdict does not count.
    const bool decided =
        WIFEXITED(status) &&
        TakeVerdict(ReadJsonFile(request_.folder / run.folder / "verdict.json"), run);
    run.exit_code =
        WIFEXITED(status) ? WEXITSTATUS(status) : static_cast<int>(ExitCode::kEnvironment);
    run.seconds = ToSeconds(RealMono() - running.begun);
    run.cut_short = run.cut_short || (!decided && result_.interrupted);
    // A run that has a verdict may have been unable to write its other files.
    if (!decided || run.exit_code == static_cast<int>(ExitCode::kEnvironment)) {
      std::string why = LogTail(running.log);
      if (why.empty())
        why = fmt::format("it {}, and its log is empty, as on a full disk", DescribeEnd(status));
      TakeFailure(std::move(why), run);
    }
    if (run.cut_short) {
      ++result_.cut_short;
    } else {
      Ended(running);
    }
  }

  void Ended(Running& running) {
    CellRun& run = running.run;
    ++done_;
    if (run.error.empty())
      around_runs_ +=
          RealMono() - running.begun - request_.suite.cells[running.job.cell].plan.duration;
    result_.failed_fast = result_.failed_fast || (request_.fails_fast && !run.as_expected);
    Record(running.job, std::move(run));
    SaveSoFar();
  }

  void Record(const Job& job, CellRun run) {
    if (request_.until) result_.answers[job.cell].Take(job.repetition, run.trials);
    if (request_.finished) request_.finished(request_.suite.cells[job.cell], job.repetition, run);
    result_.runs[job.cell].push_back(std::move(run));
    if (request_.suite.comparison) decided_ = FindDecidedCells(request_.suite, result_);
  }

  // Writes suite.json, so that it is readable if this process is killed. Since the file grows with
  // the suite, writing takes at most a tenth of the time. RunSuite writes the file again at the end
  // and reports errors.
  void SaveSoFar() {
    const MonoTime now = RealMono();
    if (now < save_from_) return;
    SuiteResult so_far = result_;
    so_far.interrupted = true;
    so_far.seconds = ToSeconds(now - begun_);
    (void)WriteSuite(request_, so_far);
    constexpr int kShare = 10;
    save_from_ = RealMono() + (RealMono() - now) * (kShare - 1);
  }

  const SuiteRequest& request_;
  SuiteResult result_;
  MonoTime begun_{};
  MonoTime save_from_{};
  std::vector<Job> queue_;
  size_t next_ = 0;
  std::vector<bool> decided_;  // of a comparison: the cells that need no further runs
  size_t done_ = 0;
  Duration around_runs_{};  // total time of finished runs beyond their plans
  std::map<pid_t, Running> running_;
};

}  // namespace

Result<void> QueryDrivers(Suite& suite, const Shard& shard) {
  std::map<std::pair<std::string, DriverOptions>, Result<DriverPlan>> met;
  for (size_t i = 0; i < suite.cells.size(); ++i) {
    SuiteCell& cell = suite.cells[i];
    if (!cell.plan.driver || !shard.Has(i)) continue;
    const std::pair asked{cell.plan.driver->command, cell.plan.driver->options};
    auto known = met.find(asked);
    if (known == met.end())
      known = met.emplace(asked, QueryDriverPlan(asked.first, asked.second)).first;
    const Result<DriverPlan>& driver = known->second;
    if (!driver && driver.error().code == ExitCode::kEnvironment) {
      // A comparison without one of its locks would spend its budget and not answer the question.
      if (suite.comparison) return tl::unexpected(driver.error());
      cell.unmet = driver.error().message;
      continue;
    }
    Result<Plan> plan = BuildPlan(cell.settings, [&](const auto&, const auto&) { return driver; });
    if (!plan) return BadInput(fmt::format("{}: {}", cell.name, plan.error().message));
    plan->seed = cell.plan.seed;
    cell.plan = std::move(*plan);
  }
  return {};
}

RunTrials PoolTrials(const std::vector<CellRun>& runs) {
  std::vector<RunTrials> trials;
  for (const CellRun& run : runs) trials.push_back(run.trials);
  return Pooled(trials);
}

SuiteResult RunSuite(const SuiteRequest& request) {
  const EndSignalsBlocked until_written;
  SuiteResult result = SuiteRunner(request).Run();
  const Result<void> written = WriteSuite(request, result);
  if (!written && !result.error) result.error = written.error();
  return result;
}

}  // namespace doublehold
