#include "compose/driver/driver.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>

#include "compose/driver/bundled_drivers.h"
#include "compose/driver/lock_name.h"
#include "compose/os/child_processes.h"
#include "compose/os/memory_log.h"
#include "compose/os/orphans.h"
#include "compose/plan/plan_builder.h"
#include "compose/plan/service_rules.h"
#include "lib/base/wait_status.h"
#include "lib/base/words.h"
#include "lib/clock/time_speed.h"
#include "lib/driver/driver_lock.h"
#include "lib/os/spawn.h"
#include "lib/redis/hiredis_connection.h"

namespace doublehold {
namespace {

using nlohmann::json;

std::string WithLog(std::string what, const std::filesystem::path& log) {
  const std::string tail = LogTail(log);
  return tail.empty() ? what : fmt::format("{}; its log ends: {}", what, tail);
}

std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct RunningProgram {
  std::filesystem::path process;  // in /proc
  std::filesystem::path program;
};

std::vector<RunningProgram> ProgramsOf(pid_t group) {
  std::vector<RunningProgram> programs;
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", code)) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0 || getpgid(pid) != group) continue;
    const auto program = std::filesystem::read_symlink(entry.path() / "exe", code);
    if (!code) programs.push_back({entry.path(), program});  // else it has ended
  }
  return programs;
}

// Whether a process asks the kernel itself for the time: a static program, which has no dynamic
// loader, or a program of Go, which writes a mark into each program.
bool HasOwnClock(const RunningProgram& of) {
  return ReadAll(of.process / "maps").find("/ld-") == std::string::npos ||
         ReadAll(of.process / "exe").find("\xff Go buildinf:") != std::string::npos;
}

// Returns the program of a process of this group whose time cannot run fast, or an empty path. Such
// a program has its own clock, or has not loaded the library of fast waits.
std::filesystem::path FindProgramInRealTime(pid_t group) {
  for (const RunningProgram& of : ProgramsOf(group)) {
    if (HasOwnClock(of) ||
        ReadAll(of.process / "maps").find("libdoublehold_fast_waits") == std::string::npos)
      return of.program;
  }
  return {};
}

// Whether no fault moves the clock of the driver that leads this group: each process without child
// processes has its own clock. Other processes, such as a shell, wait for their children.
bool DriverHasOwnClock(pid_t group) {
  const auto is_leaf = [](const RunningProgram& of) {
    pid_t child = 0;
    return !(std::ifstream(of.process / "task" / of.process.filename() / "children") >> child);
  };
  std::vector<RunningProgram> leaves = ProgramsOf(group);
  std::erase_if(leaves, std::not_fn(is_leaf));
  return !leaves.empty() && std::ranges::all_of(leaves, HasOwnClock);
}

// Sends hello or setup. Returns the answer, or an error that says why there is none.
Result<DriverAnswer> AskOnce(DriverChannel& driver, DriverOp op, const json& members,
                             const std::filesystem::path& log) {
  auto answer = driver.Ask(op, members, RealMono() + OfRealTime(kDriverPatience));
  if (!answer) {
    if (const auto end = driver.end()) return EnvironmentFailed(Describe(*end, log));
    return EnvironmentFailed(WithLog(
        fmt::format("did not answer {} within {}", Name(op), FormatDuration(kDriverPatience)),
        log));
  }
  if (answer->kind == DriverAnswer::Kind::kError) {
    const std::string refused = fmt::format("refused {}: {}", Name(op), Shortened(answer->text));
    return op == DriverOp::kHello ? BadInput(refused) : EnvironmentFailed(WithLog(refused, log));
  }
  return std::move(*answer);
}

}  // namespace

std::string Describe(const DriverEnd& end, const std::filesystem::path& log) {
  return WithLog(end.status ? fmt::format("{}: it {}", end.why, DescribeEnd(*end.status)) : end.why,
                 log);
}

Result<DriverHello> SayHello(DriverChannel& driver, const DriverOptions& options,
                             const std::filesystem::path& log) {
  DriverAnswer answer = TRY(AskOnce(driver, DriverOp::kHello,
                                    {{"protocol", kDriverProtocol}, {"options", options}}, log));
  return std::move(answer.hello);
}

Result<void> SetUp(DriverChannel& driver, const DriverSetup& setup,
                   const std::filesystem::path& log) {
  json nodes = json::array();
  for (const NodeAddress& node : setup.nodes)
    nodes.push_back({{"host", node.host}, {"port", node.port}});
  TRY(AskOnce(driver, DriverOp::kSetup,
              {{"client", setup.client},
               {"sessions", setup.sessions},
               {"nodes", std::move(nodes)},
               {"lease_ms", ToMs(setup.lease)},
               {"seed", setup.seed}},
              log));
  return {};
}

Result<DriverPlan> QueryDriverPlan(const std::string& command, DriverOptions options) {
  const MemoryLog log;
  const auto failed = [&](Error error) {
    const char quote = command.find('\'') == std::string::npos ? '\'' : '"';
    error.message =
        fmt::format("the driver {0}{1}{0} {2}", quote, Shortened(command), error.message);
    return tl::unexpected(std::move(error));
  };
  const std::string line = TRY(FindDriverCommand(command));
  TRY(InstallDriver(command));
  const Orphans orphans;  // ends orphaned processes after the driver has ended
  const auto driver = DriverChannel::Start({.command = line, .log = log.path(), .own_group = true});
  if (!driver)
    return failed({ExitCode::kEnvironment, "could not be started: " + driver.error().message});
  const Result<DriverHello> hello = SayHello(**driver, options, log.path());
  if (!hello) return failed(hello.error());
  if (TimeSpeed() > 1) {
    if (const auto slow = FindProgramInRealTime((*driver)->pid()); !slow.empty()) {
      return failed({ExitCode::kBadInput,
                     fmt::format("runs {}, a program of Go or a static one, whose time cannot run "
                                 "fast (speed)",
                                 slow.string()),
                     {}});
    }
  }
  if (const std::string asked = RequestedVersion(command);
      !asked.empty() && !IsRequestedVersion(asked, hello->version)) {
    return failed({ExitCode::kEnvironment, fmt::format("reports that it is {} {}, not version {}",
                                                       hello->name, hello->version, asked)});
  }
  if (const std::vector<std::string> known = NamesOfServices();
      std::ranges::find(known, hello->service) == known.end()) {
    return failed({ExitCode::kBadInput,
                   fmt::format("is for a {}", UnknownWord("service", hello->service, known)),
                   {}});
  }
  const bool own_clock = DriverHasOwnClock((*driver)->pid());
  [[maybe_unused]] const bool ended = (*driver)->Close(kByePatience);
  return DriverPlan{.command = command,
                    .options = std::move(options),
                    .name = hello->name,
                    .version = hello->version,
                    .can = hello->can,
                    .service = hello->service,
                    .own_clock = own_clock};
}

std::unique_ptr<Lock> ClientDriver::MakeLock(const LockContext& context) const {
  return std::make_unique<DriverLock>(context, *channel, hello);
}

Result<ClientDriver> StartClientDriver(const Plan& plan, int client,
                                       std::span<const NodeAddress> nodes,
                                       const std::filesystem::path& folder, int clock_fd,
                                       ErrorTexts& errors) {
  const std::filesystem::path log =
      folder / (client == 0 ? "referee.driver.log" : fmt::format("client-{}.driver.log", client));
  const auto failed = [](const Error& error) {
    return EnvironmentFailed("its driver " + error.message);
  };
  // During the start, StartClientDriver itself returns errors to its caller.
  const auto serving = std::make_shared<std::atomic<bool>>(false);
  const DriverHooks hooks{
      .over =
          [log, serving](const DriverEnd& end) {
            if (!*serving) return;
            fmt::print(stderr, "its driver {}\n", Describe(end, log));
            _exit(static_cast<int>(ExitCode::kEnvironment));
          },
      .lost =
          [](const std::string& grant) {
            fmt::print(stderr, "its driver says that {} is lost\n", Shortened(grant));
          },
      .error =
          [&errors, serving](const std::string& text) {
            if (*serving && errors.Keep(text))
              fmt::print(stderr, "its driver answered with an error: {}\n", Shortened(text));
          }};
  const Result<std::string> line = FindDriverCommand(plan.driver->command);
  if (!line) return failed(line.error());
  auto started = DriverChannel::Start(
      {.command = *line, .log = log, .descriptor = clock_fd, .speed = TimeSpeed()}, hooks);
  if (!started) return failed({.message = "could not be started: " + started.error().message});
  ClientDriver driver{.hello = {}, .channel = std::move(*started)};
  Result<DriverHello> hello = SayHello(*driver.channel, plan.driver->options, log);
  if (!hello) return failed(hello.error());
  driver.hello = std::move(*hello);
  const DriverPlan& planned = *plan.driver;
  if (driver.hello != DriverHello{planned.name, planned.version, planned.can, planned.service}) {
    return failed({.message = fmt::format("differs from the plan: it reports {} {}, can: {}",
                                          driver.hello.name, driver.hello.version,
                                          fmt::join(driver.hello.can, ", "))});
  }
  const Result<void> set_up = SetUp(*driver.channel,
                                    {.client = client,
                                     .sessions = plan.threads,
                                     .nodes = nodes,
                                     .lease = plan.lease,
                                     .seed = plan.seed},
                                    log);
  if (!set_up) return failed(set_up.error());
  *serving = true;
  // The driver may have ended just before `serving` was set.
  if (const auto end = driver.channel->end()) return failed({.message = Describe(*end, log)});
  return driver;
}

Result<Plan> BuildPlan(Settings settings) {
  TRY(ResolveLockName(settings));
  return BuildPlan(std::move(settings), QueryDriverPlan);
}

}  // namespace doublehold
