#include "compose/os/process_tree.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <fstream>
#include <map>
#include <string>
#include <utility>

#include "lib/os/spawn.h"
#include "lib/testing/servers.h"

namespace doublehold {
namespace {

namespace fs = std::filesystem;
using States = std::map<char, int>;  // number of processes by state: S sleeps, T is stopped

// Processes that work in a folder of their own: a shell that leads a group, and what it starts.
class ProcessTreeTest : public ::testing::Test {
 protected:
  ~ProcessTreeTest() override {
    KillProcessesIn(folder_.path());
    if (shell_ > 0) AwaitEnd(shell_);
  }

  void Start(const std::string& script) {
    const Result<pid_t> pid =
        Spawn({.argv = {"sh", "-c", "cd " + folder_.path().string() + "; " + script}});
    ASSERT_TRUE(pid.has_value());
    shell_ = *pid;
  }
  void Reap() { AwaitEnd(std::exchange(shell_, 0)); }

  // Counts the processes in the folder that have not ended.
  [[nodiscard]] States CountStates() const {
    States states;
    for (const auto& entry : fs::directory_iterator("/proc")) {
      std::error_code code;
      if (fs::read_symlink(entry.path() / "cwd", code) != folder_.path() || code) continue;
      std::string stat;
      std::getline(std::ifstream(entry.path() / "stat"), stat);
      const size_t state = stat.rfind(')') + 2;
      if (state < stat.size() && stat[state] != 'Z') ++states[stat[state]];
    }
    return states;
  }
  [[nodiscard]] bool Reaches(const States& expected) const {
    return testing::Eventually([&] { return CountStates() == expected; });
  }

  testing::TempFolder folder_;
  pid_t shell_ = 0;
};

// A child, a grandchild in a session of its own, and a child of the grandchild in another one.
constexpr const char* kSessions = "sleep 1000 & setsid sh -c 'setsid sleep 1000 & wait' & wait";

TEST_F(ProcessTreeTest, StopsAndContinuesDescendantsInOtherSessions) {
  Start(kSessions);
  EXPECT_TRUE(Reaches({{'S', 4}}));
  SignalTree(shell_, SIGSTOP);
  EXPECT_TRUE(Reaches({{'T', 4}}));
  SignalTree(shell_, SIGCONT);
  EXPECT_TRUE(Reaches({{'S', 4}}));
}

TEST_F(ProcessTreeTest, DescendantsHaveEndedWhenAKilledProcessIsReaped) {
  for (const int before : {0, SIGSTOP}) {
    Start(kSessions);
    EXPECT_TRUE(Reaches({{'S', 4}}));
    if (before != 0) SignalTree(shell_, before);
    SignalTree(shell_, SIGKILL);
    Reap();
    EXPECT_EQ(CountStates(), States{});
  }
}

TEST_F(ProcessTreeTest, ReachesWhatADescendantStartsMeanwhile) {
  Start("while true; do setsid sleep 1000 & done");
  EXPECT_TRUE(testing::Eventually([&] { return CountStates()['S'] > 20; }));
  SignalTree(shell_, SIGKILL);
  Reap();
  EXPECT_EQ(CountStates(), States{});
}

TEST_F(ProcessTreeTest, KillsWhatWorksInAFolder) {
  Start(kSessions);
  EXPECT_TRUE(Reaches({{'S', 4}}));
  SignalTree(shell_, SIGSTOP);
  KillProcessesIn(folder_.path());
  EXPECT_TRUE(Reaches({}));
}

}  // namespace
}  // namespace doublehold
