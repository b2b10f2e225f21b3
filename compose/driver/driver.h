// Starts drivers: queries a driver before a run, and runs a driver for each client's lock.
#ifndef DOUBLEHOLD_COMPOSE_DRIVER_DRIVER_H_
#define DOUBLEHOLD_COMPOSE_DRIVER_DRIVER_H_

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "lib/base/address.h"
#include "lib/base/result.h"
#include "lib/driver/channel.h"
#include "lib/history/shared_run.h"
#include "lib/locks/registry.h"
#include "lib/plan/plan.h"
#include "lib/plan/settings.h"

namespace doublehold {

constexpr Duration kDriverPatience = std::chrono::seconds(20);  // of hello, setup and warm-up
constexpr Duration kDriverStart = kDriverPatience * 2;  // timeout of hello and setup together
// How long a driver may run after bye.
constexpr Duration kByePatience = std::chrono::milliseconds(500);

// Describes how the driver ended, with the end of its log: "broke the protocol: ...".
std::string Describe(const DriverEnd& end, const std::filesystem::path& log);

using DriverOptions = std::map<std::string, std::string>;

// Sends hello and returns the answer. The text of an error is to follow "the driver ": "did not
// answer hello within 20s". A driver refuses hello if it does not know an option, so this is bad
// input.
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

// Starts the driver, queries it and ends it. Returns the driver's part of a plan. An error names
// the command.
Result<DriverPlan> QueryDriverPlan(const std::string& command, DriverOptions options);
// Like BuildPlan in compose/plan/plan_builder.h, but resolves the lock's name (ResolveLockName),
// and queries the driver, if it is the name of one.
Result<Plan> BuildPlan(Settings settings);

// The running driver of a client or of the referee. The driver is in the caller's process group. If
// it breaks the protocol or ends by itself, this process logs one line and exits.
struct ClientDriver {
  DriverHello hello;
  std::unique_ptr<DriverChannel> channel;

  [[nodiscard]] std::unique_ptr<Lock> MakeLock(const LockContext& context) const;
};
// Starts the driver of a client, or of the referee (0). `folder` is the folder of the run. `errors`
// keeps the texts of its errors, and outlives it.
Result<ClientDriver> StartClientDriver(const Plan& plan, int client,
                                       std::span<const NodeAddress> nodes,
                                       const std::filesystem::path& folder, int clock_fd,
                                       ErrorTexts& errors);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_DRIVER_DRIVER_H_
