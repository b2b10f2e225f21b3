// Whether the time of this process runs fast (fast_time.h).
#ifndef DOUBLEHOLD_LIB_CLOCK_TIME_SPEED_H_
#define DOUBLEHOLD_LIB_CLOCK_TIME_SPEED_H_

#include <string>

#include "lib/base/time.h"

namespace doublehold {

constexpr int kMostSpeed = 100;

// Returns how many times as fast as real time the clocks of this process run: 1 in real time. Safe
// to call from any thread.
int TimeSpeed();
// Converts a time that does not depend on the speed, such as that of starting a program, to the
// clocks of this process.
Duration OfRealTime(Duration real);

// Returns the entry "DOUBLEHOLD_SPEED=..." of the environment of processes whose time runs fast
// from now on. Requires that this process's own time does not.
std::string SpeedFromNow(int speed);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_CLOCK_TIME_SPEED_H_
