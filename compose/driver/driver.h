// Starts drivers: queries one before a run, and runs one for each client's lock.
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
    std::chrono::seconds(20);  // timeout of each answer of a driver that starts
constexpr Duration kDriverStart = kDriverPatience * 2;  // timeout of hello and setup together
// Timeout of a driver's end after bye.
constexpr Duration kByePatience = std::chrono::milliseconds(500);

// How the driver ended, for example "broke the protocol: ...", and the end of its log.
std::string Describe(const DriverEnd& end, const std::filesystem::path& log);

using DriverOptions = std::map<std::string, std::string>;

// Sends hello and returns the answer. The text of an error follows "the driver ": "did not answer
// hello within 20s". If the driver refuses hello, it does not know an option: bad input.
Result<DriverHello> SayHello(DriverChannel& driver, const DriverOptions& options,
                             const std::filesystem::path& log);

// The setup request of a client that connects to these nodes.
struct DriverSetup {
  int client = 0;
  int sessions = 1;
  std::span<const NodeAddress> nodes;
  Lease lease{};
  uint64_t seed = 0;
};
Result<void> SetUp(DriverChannel& driver, const DriverSetup& setup,
                   const std::filesystem::path& log);

// Starts the driver, queries it and ends it. Returns what a plan says of it. An error names the
// command.
Result<DriverPlan> MeetDriver(const std::string& command, DriverOptions options);
// Like BuildPlan in compose/plan/plan_builder.h; queries the driver if there is one.
Result<Plan> BuildPlan(Settings settings);

// The driver of a client, or of the referee (0), of a run in this folder. It is in the caller's
// process group. If the driver breaks the protocol or ends by itself, this process logs one line
// and exits.
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
