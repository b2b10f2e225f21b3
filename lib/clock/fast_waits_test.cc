// Time that runs fast, under a program that waits in each way (wait_probe.cc).
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "lib/base/paths.h"
#include "lib/clock/time_speed.h"
#include "lib/os/run_tool.h"

namespace doublehold {
namespace {

struct Wait {
  int64_t asked_ns = 0;
  int64_t own_ns = -1;     // by the program's clock
  int64_t kernel_ns = -1;  // by the kernel's
};

std::map<std::string, Wait> WaitAtSpeed(int speed) {
  const std::string libraries =
      BinaryDir() + "/libdoublehold_clock_shim.so:" + BinaryDir() + "/libdoublehold_fast_waits.so";
  const RunResult run =
      RunToEnd({"env", "LD_PRELOAD=" + libraries, "ASAN_OPTIONS=verify_asan_link_order=0",
                SpeedFromNow(speed), BinaryDir() + "/doublehold_wait_probe"})
          .value();
  EXPECT_TRUE(run.succeeded());
  std::map<std::string, Wait> waits;
  std::istringstream lines(run.output);
  Wait wait;
  for (std::string name; lines >> name >> wait.asked_ns >> wait.own_ns >> wait.kernel_ns;)
    waits.emplace(name, wait);
  return waits;
}

// Also of a timer that is set for the past: it fires. If it were stopped instead, every later timer
// of an event loop would wait with it.
TEST(FastWaits, EachWaitLastsItsTimeByTheProgramsClockAndLessByTheKernels) {
  const std::map<std::string, Wait> waits = WaitAtSpeed(50);
  EXPECT_EQ(waits.size(), 11U);
  for (const auto& [name, wait] : waits) {
    EXPECT_GE(wait.own_ns, wait.asked_ns) << name;
    EXPECT_LT(wait.kernel_ns * 2, wait.own_ns) << name;
  }
}

}  // namespace
}  // namespace doublehold
