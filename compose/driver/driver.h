// Drivers as the program uses them: asked what they are before a run, and serving a client's lock
// in it.
#ifndef DOUBLEHOLD_COMPOSE_DRIVER_DRIVER_H_
#define DOUBLEHOLD_COMPOSE_DRIVER_DRIVER_H_

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "lib/base/result.h"
#include "lib/driver/channel.h"
#include "lib/locks/registry.h"
#include "lib/plan/plan.h"
#include "lib/plan/settings.h"
#include "lib/redis/address.h"

namespace doublehold {

constexpr Duration kDriverPatience =
    std::chrono::seconds(20);                           // with each answer of one that starts
constexpr Duration kDriverStart = kDriverPatience * 2;  // until it answers hello and setup
constexpr Duration kByePatience = std::chrono::milliseconds(500);  // with one that is to end

// "broke the protocol: ...", how it ended, and the end of its log.
std::string Describe(const DriverEnd& end, const std::filesystem::path& log);

using DriverOptions = std::map<std::string, std::string>;

// What a driver answers to its first request. What went wrong follows "the driver ": "did not
// answer hello within 20s". One that refuses it was given options that it does not know: bad input.
Result<DriverHello> SayHello(DriverChannel& driver, const DriverOptions& options,
                             const std::filesystem::path& log);

// Of the setup of a client that connects to these nodes.
struct DriverSetup {
  int client = 0;
  int sessions = 1;
  std::span<const NodeAddress> nodes;
  Lease lease{};
  uint64_t seed = 0;
};
Result<void> SetUp(DriverChannel& driver, const DriverSetup& setup,
                   const std::filesystem::path& log);

// Starts it, asks, and ends it: what a plan says of it. An error names the command.
Result<DriverPlan> MeetDriver(const std::string& command, DriverOptions options);
// As that of compose/plan/plan_builder.h; the driver, if there is one, is met.
Result<Plan> BuildPlan(Settings settings);

// The driver of a client, or of the referee (0), of a run in this folder; in the caller's group of
// processes. Should the driver break the protocol or end by itself, the process ends with one line
// in its log.
struct ClientDriver {
  DriverHello hello;
  std::unique_ptr<DriverChannel> channel;

  [[nodiscard]] std::unique_ptr<Lock> MakeLock(const LockContext& context) const;
};
Result<ClientDriver> StartClientDriver(const Plan& plan, int client,
                                       std::span<const NodeAddress> nodes,
                                       const std::filesystem::path& folder, int clock_fd);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_DRIVER_DRIVER_H_
