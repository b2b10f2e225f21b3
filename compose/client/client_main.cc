#include "compose/client/client_main.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "compose/client/session_loop.h"
#include "compose/client/warm_up.h"
#include "compose/driver/driver.h"
#include "lib/base/check.h"
#include "lib/history/shared_run.h"
#include "lib/locks/registry.h"
#include "lib/plan/plan_json.h"
#include "lib/real/real_env.h"
#include "workloads/workload.h"

namespace doublehold {
namespace {

constexpr unsigned long kTimerSlackNs =
    1000;  // with the kernel's default of 50 us every short sleep would end late

constexpr std::string_view kAnnounced = "announced:";  // prefix of a port of Roster::announced

// Returns the lists of addresses, each with the prefix of its words.
template <typename Arguments>
auto ListAddressLists(Arguments& arguments) {
  return std::array{std::pair(std::string_view("node:"), &arguments.addresses),
                    std::pair(std::string_view("driver:"), &arguments.driver_nodes),
                    std::pair(std::string_view("sentinel:"), &arguments.roster.sentinels)};
}

int Fail(const std::string& message) {
  fmt::print(stderr, "{}\n", message);
  return static_cast<int>(ExitCode::kEnvironment);
}

// Reports that the process is ready, and waits for the supervisor's answer. Returns false if the
// supervisor has ended.
bool ReportReady(int step_fd) {
  if (send(step_fd, &kReadyByte, 1, MSG_NOSIGNAL) != 1) return false;
  uint8_t answer = 0;
  ssize_t received = -1;
  while ((received = recv(step_fd, &answer, 1, 0)) < 0 && errno == EINTR) {
  }
  return received == 1;
}

void RunSession(Env& env, const ClientContext& client_context, int thread) {
  const Plan& plan = client_context.plan;
  RunSession(env, client_context, thread, [&](int64_t section, Session& session) {
    const MonoTime now = env.Mono();
    const Duration left = plan.duration - Duration(env.SinceStartNs(now));
    session.policy.timeout = std::min(plan.retry.timeout, left);
    session.ends = now + left;
    return left > Duration{} && (plan.sections == 0 || section < plan.sections);
  });
}

// Runs a session in each thread, the first session in the calling thread.
void RunSessions(Env& env, const ClientContext& client_context) {
  std::vector<std::unique_ptr<Task>> others;
  for (int thread = 1; thread < client_context.plan.threads; ++thread) {
    others.push_back(env.Spawn(TaskKind::kSession, [&client_context, thread](Env& own) {
      RunSession(own, client_context, thread);
    }));
  }
  RunSession(env, client_context, 0);
}

int RunProcess(const ClientArguments& arguments, const ClientContext& client_context,
               SharedRun& shared, const ClientDriver* driver) {
  const Plan& plan = client_context.plan;
  const RealProcess process{.number = arguments.number,
                            .seed = plan.seed,
                            .addresses = arguments.addresses,
                            .roster = arguments.roster,
                            .shared = &shared,
                            .step_fd = arguments.step_fd};
  const std::unique_ptr<Workload> workload = client_context.make_workload();
  const bool referee = arguments.number == 0;
  if (referee) {
    RealProcess unrecorded = process;
    unrecorded.shared = nullptr;
    RealEnv env(unrecorded, TaskKind::kSession);
    if (!workload->Setup(env)) return Fail("the store did not accept the initial stock");
  }
  if (!ReportReady(arguments.step_fd)) return 0;
  if (driver != nullptr) {
    WarmUp(*driver->channel, plan, arguments.number);
    if (!ReportReady(arguments.step_fd)) return 0;
  }
  RealEnv env(process, TaskKind::kSession);
  const Duration threshold = plan.lease / kShortestStallsPerLease;
  ClientControl& control = shared.Control(arguments.number);
  const std::unique_ptr<Task> meter =
      env.Spawn(TaskKind::kMeter, [&](Env& own) { MeterStalls(own, threshold, &control); });
  if (referee) {
    RunReferee(env, client_context, *workload);
  } else {
    RunSessions(env, client_context);
  }
  return 0;
}

}  // namespace

std::vector<std::string> ToWords(const ClientArguments& arguments) {
  std::vector<std::string> words{
      arguments.plan_file, std::to_string(arguments.number), std::to_string(arguments.memory_fd),
      std::to_string(arguments.clock_pages), std::to_string(arguments.step_fd)};
  for (const auto& [prefix, list] : ListAddressLists(arguments)) {
    for (const NodeAddress& address : *list)
      words.push_back(std::string(prefix) + FormatAddress(address));
  }
  for (const uint16_t port : arguments.roster.announced)
    words.push_back(fmt::format("{}{}", kAnnounced, port));
  return words;
}

int ClientMain(std::span<const std::string> words) {
  constexpr size_t kFixedWords = 5;
  if (words.size() <= kFixedWords)
    return Fail("client: only the supervisor may start this command");
  ClientArguments arguments{.plan_file = words[0],
                            .number = std::stoi(words[1]),
                            .memory_fd = std::stoi(words[2]),
                            .clock_pages = std::stoi(words[3]),
                            .step_fd = std::stoi(words[4])};
  for (const std::string& word : words.subspan(kFixedWords)) {
    if (word.starts_with(kAnnounced)) {
      const int port = std::stoi(word.substr(kAnnounced.size()));
      arguments.roster.announced.push_back(static_cast<uint16_t>(port));
      continue;
    }
    for (const auto& [prefix, list] : ListAddressLists(arguments)) {
      if (!word.starts_with(prefix)) continue;
      Result<NodeAddress> address = ParseAddress(word.substr(prefix.size()));
      if (!address) return Fail(address.error().message);
      list->push_back(*address);
    }
  }
  prctl(PR_SET_TIMERSLACK, kTimerSlackNs);
  prctl(PR_SET_NAME, fmt::format("dh-client-{}", arguments.number).c_str());
  const Result<Plan> plan = ReadPlanFile(arguments.plan_file);
  if (!plan) return Fail(plan.error().message);
  Result<SharedRun> shared =
      SharedRun::Open(arguments.memory_fd, plan->clients + 1, arguments.clock_pages, plan->threads);
  if (!shared) return Fail(shared.error().message);
  const Options lock_options(plan->lock_options), workload_options(plan->workload_options);
  ClientContext client_context{
      .plan = *plan,
      .client = arguments.number,
      .lock_options = lock_options,
      .make_lock = plan->driver ? nullptr : FindLock(plan->lock)->make,
      .make_workload = [&] { return FindWorkload(plan->workload)->make(workload_options); }};
  if (!plan->driver) return RunProcess(arguments, client_context, *shared, nullptr);
  const Result<ClientDriver> driver =
      StartClientDriver(*plan, arguments.number, arguments.driver_nodes,
                        std::filesystem::path(arguments.plan_file).parent_path() / "clients",
                        arguments.memory_fd, shared->Control(arguments.number).errors);
  if (!driver) return Fail(driver.error().message);
  client_context.make_lock = [&](const LockContext& context) { return driver->MakeLock(context); };
  const int status = RunProcess(arguments, client_context, *shared, &*driver);
  driver->channel->Close(kByePatience);
  return status;
}

}  // namespace doublehold
