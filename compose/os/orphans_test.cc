#include "compose/os/orphans.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace doublehold {
namespace {

// Forks a child that does `work` and ends.
template <typename Work>
pid_t ForkTo(const Work& work) {
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    work();
    _exit(0);
  }
  return child;
}

TEST(Orphans, AreKilledWithTheirDescendants) {
  Orphans orphans;
  const pid_t parent = ForkTo([] {
    if (fork() == 0) {
      setsid();
      if (fork() == 0) pause();
      pause();
    }
  });
  ASSERT_EQ(waitpid(parent, nullptr, 0), parent);
  // The processes have the name of this test's program.
  EXPECT_GE(orphans.End().size(), 1U);
  EXPECT_TRUE(orphans.End().empty());
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "nobody is left";
}

TEST(Orphans, EarlierChildrenAreNotKilled) {
  const pid_t child = ForkTo([] { pause(); });
  EXPECT_TRUE(Orphans().End().empty());
  EXPECT_EQ(kill(child, 0), 0);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace doublehold
