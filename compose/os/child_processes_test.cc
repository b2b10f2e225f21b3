// Tests that stopped and ended child processes are reported, and that their process groups are
// killed.
#include "compose/os/child_processes.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>

#include "compose/testing/program.h"
#include "lib/base/wait_status.h"
#include "lib/os/spawn.h"

namespace doublehold {
namespace {

// Starts a process in its own group. This process starts a second process that never ends by
// itself, reports the second pid, and ends.
struct Parted {
  pid_t first = 0;
  pid_t second = 0;
};
Parted StartTwo() {
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe(ends.data()), 0);
  const pid_t first = fork();
  if (first == 0) {
    setpgid(0, 0);
    const pid_t second = fork();
    if (second == 0) {
      for (const int fd : {0, 1, 2})
        close(fd);  // a reader of the test's output must not wait for this process
      while (true) pause();
    }
    [[maybe_unused]] const ssize_t written = write(ends[1], &second, sizeof second);
    _exit(0);
  }
  setpgid(first, first);
  Parted parted{.first = first};
  EXPECT_EQ(read(ends[0], &parted.second, sizeof parted.second), ssize_t{sizeof parted.second});
  for (const int end : ends) close(end);
  return parted;
}

Child NamedChildren(pid_t pid) {
  return {.ref = {ProcessRef::Kind::kClient, 1},
          .name = "client 1",
          .pid = pid,
          .log = {},
          .ended = {}};
}

// Polls without a pause, so that the process may end at any point between two polls.
TEST(Children, TheGroupOfAnEndedProcessIsKilled) {
  constexpr int kTimes = 300;
  for (int i = 0; i < kTimes; ++i) {
    const Parted parted = StartTwo();
    Children children;
    children.Add(NamedChildren(parted.first));
    std::optional<int> ended;
    while (!ended) {
      children.Poll([](const Child&) { ADD_FAILURE() << "it was not stopped"; },
                    [&](const Child& child) { ended = child.ended; });
    }
    EXPECT_EQ(DescribeEnd(*ended), "exited with status 0");
    const bool is_over =
        Eventually([&] { return IsOver(parted.second); }, std::chrono::seconds(10));
    if (!is_over) kill(parted.second, SIGKILL);
    ASSERT_TRUE(is_over) << "round " << i;
  }
}

TEST(Children, AStopAndAnEndAreReportedOnce) {
  Children children;
  const Result<pid_t> pid = Spawn({.argv = {"sleep", "1000"}});
  ASSERT_TRUE(pid.has_value());
  children.Add(NamedChildren(*pid));
  int stops = 0;
  int ends = 0;
  const auto poll = [&] {
    children.Poll([&](const Child&) { ++stops; }, [&](const Child&) { ++ends; });
  };
  kill(*pid, SIGSTOP);
  EXPECT_TRUE(Eventually([&] { return poll(), stops > 0; }));
  poll();
  EXPECT_EQ(stops, 1);
  EXPECT_FALSE(children.HaveEnded(ProcessRef::Kind::kClient, 1));
  kill(*pid, SIGKILL);
  EXPECT_TRUE(Eventually([&] { return poll(), ends > 0; }));
  poll();
  EXPECT_EQ(ends, 1);
  EXPECT_EQ(stops, 1);
  EXPECT_EQ(DescribeEnd(children.all()[0].ended.value_or(0)), "was killed by signal 9");
}

}  // namespace
}  // namespace doublehold
