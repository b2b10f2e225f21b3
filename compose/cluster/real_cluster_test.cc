// Tests IsAlive with real processes that are stopped, killed, ended or reaped.
#include "compose/cluster/real_cluster.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace doublehold {
namespace {

pid_t StartWaiting() {
  const pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);
    while (true) pause();
  }
  setpgid(child, child);
  return child;
}

class IsAliveTest : public ::testing::Test {
 protected:
  IsAliveTest() { cluster_.AddClient(1, /*clock_page=*/0); }
  ~IsAliveTest() override {
    if (pid_ == 0 || waitpid(pid_, nullptr, WNOHANG) != 0) return;
    kill(-pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  void Start() {
    pid_ = StartWaiting();
    cluster_.SetPid(client_, pid_);
  }
  // Waits until the kernel reports the state, but does not reap the child.
  void Await(int what) const {
    siginfo_t seen{};
    ASSERT_EQ(waitid(P_PID, static_cast<id_t>(pid_), &seen, what | WNOWAIT), 0);
  }

  const ProcessRef client_{ProcessRef::Kind::kClient, 1};
  boost::asio::io_context io_;
  SharedRun shared_ = SharedRun::Create(/*processes=*/2, /*clock_pages=*/1, /*threads=*/1).value();
  Proxy proxy_{io_, Prng(1, "proxy")};
  RealCluster cluster_{io_, shared_, proxy_, [](int /*client*/) {}};
  pid_t pid_ = 0;
};

TEST_F(IsAliveTest, ARunningOrStoppedProcessIsAlive) {
  Start();
  EXPECT_TRUE(cluster_.IsAlive(client_));
  cluster_.Pause(client_);
  Await(WSTOPPED);
  EXPECT_TRUE(cluster_.IsAlive(client_));
  cluster_.Resume(client_);
  EXPECT_TRUE(cluster_.IsAlive(client_));
}

TEST_F(IsAliveTest, AnEndedProcessIsNotAliveWhetherOrNotItWasReaped) {
  Start();
  kill(pid_, SIGTERM);
  Await(WEXITED);
  EXPECT_FALSE(cluster_.IsAlive(client_));
  EXPECT_FALSE(cluster_.IsAlive(client_)) << "asking takes nothing away";
  ASSERT_EQ(waitpid(pid_, nullptr, 0), pid_);
  EXPECT_FALSE(cluster_.IsAlive(client_));
}

TEST_F(IsAliveTest, AKilledProcessIsNotAliveUntilItIsStartedAgain) {
  Start();
  cluster_.Kill(client_);
  EXPECT_FALSE(cluster_.IsAlive(client_));
  ASSERT_EQ(waitpid(pid_, nullptr, 0), pid_);
  Start();
  EXPECT_TRUE(cluster_.IsAlive(client_));
}

}  // namespace
}  // namespace doublehold
