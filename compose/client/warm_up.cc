#include "compose/client/warm_up.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "compose/driver/driver.h"
#include "lib/clock/time_speed.h"
#include "lib/driver/driver_lock.h"
#include "lib/redis/hiredis_connection.h"

namespace doublehold {
namespace {

using nlohmann::json;

constexpr Duration kWarmUp = std::chrono::seconds(5);
constexpr Duration kPause = std::chrono::milliseconds(10);  // between refused acquires

}  // namespace

void WarmUp(DriverChannel& driver, const Plan& plan, int client) {
  const auto ask = [&driver](DriverOp op, const json& members) {
    return driver.Ask(op, members, RealMono() + OfRealTime(kDriverPatience));
  };
  const json acquire{{"session", 0},
                     {"key", fmt::format("dh:warm-up:{}", client)},
                     {"lease_ms", ToMs(plan.lease)},
                     {"wait_ms", ToMs(DriverLock::WaitOf(plan.call_timeout))}};
  const MonoTime give_up = RealMono() + OfRealTime(kWarmUp);
  while (const auto answer = ask(DriverOp::kAcquire, acquire)) {
    if (answer->kind == DriverAnswer::Kind::kOk) {
      (void)ask(DriverOp::kRelease, {{"session", 0}, {"grant", answer->grant}});
      return;
    }
    if (RealMono() >= give_up) return;
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace doublehold
