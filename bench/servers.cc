#include "bench/servers.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include "compose/cluster/clock_shim.h"
#include "compose/cluster/redis/server.h"
#include "lib/base/check.h"
#include "lib/clock/clock_page.h"

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
  // Reads the cores before the first pin.
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
  const ClockPage page(clock_.ClockPage(0));
  testing::ServerOptions options;
  options.environment = ShimEnvironment(*shim, clock_.fd(), clock_.ClockPageOffset(0));
  options.descriptors = {clock_.fd()};
  options.program = program->path;
  for (int number = 0; number < count; ++number)
    servers_.push_back(std::make_unique<testing::Server>(Socket(number), options));
}

void BenchServers::Pin(Place place) const {
  for (const auto& server : servers_) PinTo(place, server->pid());
}

std::string BenchServers::Socket(int number) const {
  return (scratch_.folder() / fmt::format("{}.sock", number)).string();
}

std::vector<NodeAddress> BenchServers::Addresses(int nodes) const {
  std::vector<NodeAddress> addresses{{.unix_path = Socket(0)}};
  for (int node = 0; node < nodes; ++node) addresses.push_back({.unix_path = Socket(node)});
  return addresses;
}

}  // namespace doublehold
