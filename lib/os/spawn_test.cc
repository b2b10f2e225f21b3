#include "lib/os/spawn.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "lib/os/run_tool.h"
#include "lib/testing/temp_file.h"

namespace doublehold {
namespace {

using testing::TempFile;

// Runs `script` in a shell that is spawned by `request`, and returns its log.
std::string LogOf(const std::string& script, SpawnRequest request = {}) {
  const TempFile log("spawn");
  request.argv = {"sh", "-c", script};
  request.log = log.path();
  const Result<pid_t> pid = Spawn(request);
  if (!pid) return pid.error().message;
  AwaitEnd(*pid);
  std::ostringstream text;
  text << std::ifstream(log.path()).rdbuf();
  return text.str();
}

TEST(Spawn, OutputAndErrorsGoToTheLogAndTheInputIsEmpty) {
  EXPECT_EQ(LogOf("cat; echo out; echo error >&2"), "out\nerror\n");
}

TEST(Spawn, AVariableReplacesTheCallersOwn) {
  setenv("DOUBLEHOLD_SPAWN_A", "ours", 1);
  setenv("DOUBLEHOLD_SPAWN_B", "ours", 1);
  SpawnRequest request;
  request.environment = {"DOUBLEHOLD_SPAWN_A=given"};
  EXPECT_EQ(LogOf("env | grep DOUBLEHOLD_SPAWN_ | sort", request),
            "DOUBLEHOLD_SPAWN_A=given\nDOUBLEHOLD_SPAWN_B=ours\n");
}

TEST(Spawn, AChildHasOnlyTheDescriptorsPassedToIt) {
  const int given = memfd_create("given", 0);
  const int other = memfd_create("other", 0);
  const std::string script = fmt::format(
      "for fd in {} {}; do test -e /proc/$$/fd/$fd && echo has $fd; done", given, other);
  SpawnRequest request;
  request.descriptors = {given};
  EXPECT_EQ(LogOf(script, request), fmt::format("has {}\n", given));
  close(given);
  close(other);
}

TEST(Spawn, AChildHasItsOwnProcessGroupOrTheCallers) {
  for (const bool own_group : {true, false}) {
    SpawnRequest request;
    request.argv = {"sleep", "1000"};
    request.own_group = own_group;
    const Result<pid_t> pid = Spawn(request);
    ASSERT_TRUE(pid.has_value());
    EXPECT_EQ(getpgid(*pid), own_group ? *pid : getpgrp());
    kill(*pid, SIGKILL);
    EXPECT_EQ(WTERMSIG(AwaitEnd(*pid)), SIGKILL);
  }
}

TEST(Spawn, PrepareRunsInTheChildBeforeExec) {
  SpawnRequest request;
  request.prepare = [] { umask(0123); };
  EXPECT_EQ(LogOf("umask", request), "0123\n");
}

TEST(Spawn, AChildEndsWithTheThreadThatStartedIt) {
  Result<pid_t> pid = 0;
  std::thread([&pid] { pid = Spawn({.argv = {"sleep", "1000"}}); }).join();
  ASSERT_TRUE(pid.has_value());
  EXPECT_EQ(WTERMSIG(AwaitEnd(*pid)), SIGKILL);
}

TEST(Spawn, AProgramThatMustNotBeRootIsAnotherUserThatOwnsTheSameFiles) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  if (RunToEnd({"unshare", "--user", "true"})->status != 0)
    GTEST_SKIP() << "there are no user namespaces";
  const TempFile file("never-root");
  const std::string touch = fmt::format("id -u; touch {0} && stat -c %u {0}", file.path().string());
  const Result<RunResult> run = RunToEnd({"sh", "-c", touch}, {.never_root = true});
  EXPECT_EQ(run->output, "1000\n1000\n");
  struct stat seen {};
  EXPECT_EQ(stat(file.path().c_str(), &seen), 0);
  EXPECT_EQ(seen.st_uid, 0u);
}

TEST(Spawn, AProgramThatCannotBeExecutedIsAnError) {
  const Result<pid_t> none = Spawn({.argv = {"no-such-program"}});
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().message, "cannot run no-such-program: No such file or directory");
  const Result<pid_t> folder = Spawn({.argv = {"/"}, .if_missing = ": not found"});
  ASSERT_FALSE(folder.has_value());
  EXPECT_EQ(folder.error().message, "cannot run /: Permission denied");
}

TEST(RunToEnd, ReturnsTheOutputAndTheStatus) {
  const std::vector<std::string> fails{"sh", "-c", "echo out; echo error >&2; exit 3"};
  const Result<RunResult> run = RunToEnd(fails);
  ASSERT_TRUE(run.has_value());
  EXPECT_EQ(run->output, "out\n");
  EXPECT_EQ(WEXITSTATUS(run->status), 3);
  EXPECT_FALSE(run->succeeded());
  EXPECT_EQ(RunToEnd(fails, {.with_errors = true})->output, "out\nerror\n");
}

TEST(RunToEnd, PassesMoreInputThanAPipeHolds) {
  const std::string large(1'000'000, 'x');
  EXPECT_EQ(RunToEnd({"cat"}, {.input = large})->output, large);
}

TEST(RunTool, ReportsWhyAToolFailed) {
  EXPECT_EQ(RunTool({"sh", "-c", "echo done"}).value(), "done\n");
  EXPECT_EQ(RunTool({"sh", "-c", "echo why >&2; echo more >&2; exit 1"}).error().message,
            "sh: why");
  EXPECT_EQ(RunTool({"false"}).error().message, "false: it failed");
  EXPECT_EQ(RunTool({"no-such-program"}).error().message,
            "no-such-program: not found; install its Debian package (./setup.sh)");
}

TEST(LogTail, JoinsTheLastLinesToOne) {
  const TempFile log("log-tail");
  const auto tail = [&](const std::string& text) {
    std::ofstream(log.path()) << text;
    return LogTail(log.path());
  };
  EXPECT_EQ(LogTail("/none"), "");
  EXPECT_EQ(tail(""), "");
  EXPECT_EQ(tail("one\n\ntwo"), "one | two");
  EXPECT_EQ(tail("1\n2\n3\n4\n5\n6\n"), "2 | 3 | 4 | 5 | 6");
  EXPECT_EQ(tail("\x1b[31m\xff\n"), "\\x1b[31m\\xff");
  EXPECT_EQ(tail(std::string(1'000'000, 'x') + "\nlast\n").substr(580),
            std::string(16, 'x') + " | last");
}

}  // namespace
}  // namespace doublehold
