#include "lib/clock/time_speed.h"

#include <algorithm>
#include <cstdlib>

#include "lib/base/check.h"
#include "lib/clock/clock_page.h"
#include "lib/clock/fast_time.h"

namespace doublehold {

static_assert(kMostSpeed == DOUBLEHOLD_MOST_SPEED);

int TimeSpeed() {
  static const int kSpeed = [] {
    const char* value = std::getenv(DOUBLEHOLD_SPEED_VARIABLE);
    return value == nullptr ? 1 : std::max(1, std::atoi(value));
  }();
  return kSpeed;
}

Duration OfRealTime(Duration real) { return real * TimeSpeed(); }

std::string SpeedFromNow(int speed) {
  CHECK(TimeSpeed() == 1);
  const auto now = ReadMachineClocks().mono.time_since_epoch();
  return DOUBLEHOLD_SPEED_VARIABLE "=" + std::to_string(speed) + ":" +
         std::to_string(std::chrono::nanoseconds(now).count());
}

}  // namespace doublehold
