#include "bench/servers.h"

#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/check.h"
#include "lib/clock/clock_page.h"
#include "lib/redis/hiredis_connection.h"

namespace doublehold {
namespace {

std::vector<int> AllowedCores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  CHECK(sched_getaffinity(0, sizeof allowed, &allowed) == 0);
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &allowed)) cores.push_back(core);
  }
  CHECK(!cores.empty());
  return cores;
}

}  // namespace

void PinTo(Place place, pid_t thread) {
  // As they were before the first pin.
  static const std::vector<int> cores = AllowedCores();
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(place == Place::kOneCore ? cores.front() : cores.back(), &only);
  CHECK(sched_setaffinity(thread, sizeof only, &only) == 0);
}

BenchServers::BenchServers(const std::string& redis_server, int count)
    : scratch_(std::move(*Scratch::Create())), clock_(std::move(*SharedRun::Create(1, 1))) {
  const Result<ServerProgram> program = FindServer(redis_server);
  const Result<std::filesystem::path> shim = FindClockShim();
  if (!program || !shim) {
    fmt::print(stderr, "{}\n", (!program ? program.error() : shim.error()).message);
    _exit(static_cast<int>(ExitCode::kEnvironment));
  }
  for (int number = 0; number < count; ++number) Start(*program, *shim, number);
}

BenchServers::~BenchServers() {
  for (const pid_t pid : pids_) kill(pid, SIGKILL);
  for (const pid_t pid : pids_) waitpid(pid, nullptr, 0);
}

void BenchServers::Pin(Place place) const {
  for (const pid_t pid : pids_) PinTo(place, pid);
}

std::string BenchServers::Socket(int number) const {
  return (scratch_.folder() / fmt::format("{}.sock", number)).string();
}

std::vector<NodeAddress> BenchServers::Addresses(int nodes) const {
  std::vector<NodeAddress> addresses{{.unix_path = Socket(0)}};
  for (int node = 0; node < nodes; ++node) addresses.push_back({.unix_path = Socket(node)});
  return addresses;
}

void BenchServers::Start(const ServerProgram& program, const std::filesystem::path& shim,
                         int number) {
  const ClockPage page(clock_.ClockPage(0));
  // Member by member: of an initialiser GCC 12 takes what it leaves out for uninitialised here.
  ServerRequest request;
  request.program = program;
  request.socket = Socket(number);
  request.folder = scratch_.folder();
  request.log = scratch_.folder() / fmt::format("{}.log", number);
  request.shim = shim;
  request.clock_fd = clock_.fd();
  request.clock_offset = clock_.ClockPageOffset(0);
  const Result<pid_t> pid = StartServer(request);
  CHECK(pid.has_value());
  pids_.push_back(*pid);
  const MonoTime give_up = RealMono() + 10s;
  while (!AnswersPing(Socket(number), RealMono() + 1s)) {
    CHECK(RealMono() < give_up);
    usleep(2000);
  }
}

}  // namespace doublehold
