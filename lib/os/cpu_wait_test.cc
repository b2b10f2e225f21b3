// Tests that waiting for a processor is told from waiting for anything else.
#include "lib/os/cpu_wait.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <thread>

#include "lib/os/spawn.h"

namespace doublehold {
namespace {

// Returns how long a shell and its children waited for a processor while the script ran.
Duration WaitedBy(const std::string& script) {
  SpawnRequest request;
  request.argv = {"sh", "-c", script};
  request.own_group = true;
  const Result<pid_t> pid = Spawn(request);
  EXPECT_TRUE(pid.has_value());
  std::this_thread::sleep_for(500ms);
  const Duration waited = WaitedForCpu(*pid);
  kill(-*pid, SIGKILL);
  AwaitEnd(*pid);
  return waited;
}

TEST(CpuWait, BusyProcessesOnOneProcessorWaitForEachOther) {
  // Each of the three waits for about two thirds of the time.
  const Duration waited = WaitedBy(
      "taskset -pc 0 $$ >/dev/null; for i in 1 2; do (while :; do :; done) & done; while :; do :; "
      "done");
  EXPECT_GT(waited, 300ms) << "the children count too";
}

TEST(CpuWait, ASleeperWaitsForNoProcessor) {
  EXPECT_LT(WaitedBy("sleep 5 & sleep 5"), 300ms);
  EXPECT_EQ(WaitedForCpu(0x7ffffff0), 0ms) << "no such process";
}

}  // namespace
}  // namespace doublehold
