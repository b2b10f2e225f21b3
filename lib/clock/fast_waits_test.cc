// Tests fast time on a program that waits in each way that a program can (wait_probe.cc).
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
  int64_t kernel_ns = -1;  // by the kernel's clock
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

// One wait is for a timer that is set for the past, which must fire. A timer that is disarmed
// instead would also delay every later timer of its event loop.
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
