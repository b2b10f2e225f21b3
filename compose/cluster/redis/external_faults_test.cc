// Faults on servers that somebody else has started, and their failovers. The container engine is a
// script here; examples/docker-compose tests with Docker.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "compose/testing/program.h"
#include "lib/os/run_tool.h"
#include "lib/os/spawn.h"
#include "lib/testing/servers.h"

namespace doublehold {
namespace {

using testing::Ask;
using testing::Eventually;
using testing::FindFreePort;

// Does to a process what an engine does to a container, which has the name of a folder. Writes down
// what it was told.
constexpr const char* kEngine = R"sh(#!/bin/sh
set -e
[ "$1" = --version ] && exec echo Docker
for name; do :; done
cd "$(dirname "$0")/$name"
echo "$1" >> told
case $1 in
  container) echo '{"state":{"Running":true,"Paused":false},"settings":'$(cat settings)'}' ;;
  pause) kill -STOP $(cat pid) ;;
  unpause) kill -CONT $(cat pid) ;;
  kill) kill -KILL $(cat pid) ;;
  start) rm -f pid; touch start; until [ -s pid ]; do sleep 0.01; done ;;
esac
)sh";

std::string Read(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// What starts the servers, so that they are no children of a run.
constexpr const char* kDaemon = R"sh(
cd "$0"
while sleep 0.01; do
  rm start 2>/dev/null || continue
  redis-server --port $(cat port) --save '' --daemonize yes --pidfile "$PWD/pid" --dir "$PWD"
done
)sh";

class ExternalFaults : public ::testing::Test {
 protected:
  ExternalFaults() {
    WriteFile(File("docker"), kEngine);
    std::filesystem::permissions(File("docker"), std::filesystem::perms::owner_all);
    std::filesystem::create_directory(folder_.path() / kName);
    WriteFile(File("box/port"), std::to_string(port_));
    WriteFile(File("box/settings"), R"({"AutoRemove":false})");
    setenv("PATH", (folder_.path().string() + ":" + path_).c_str(), 1);
    const Result<pid_t> daemon = Spawn({.argv = {"/bin/sh", "-c", kDaemon, File(kName)}});
    EXPECT_TRUE(daemon);
    daemon_ = *daemon;
    EXPECT_TRUE(RunTool({File("docker"), "start", kName}));
    EXPECT_TRUE(Eventually([this] { return Say({"PING"}) == "PONG"; }));
    std::filesystem::remove(File("box/told"));
  }
  ~ExternalFaults() override {
    setenv("PATH", path_.c_str(), 1);
    kill(daemon_, SIGKILL);
    AwaitEnd(daemon_);
    if (const std::string pid = Read(File("box/pid")); !pid.empty()) kill(std::stoi(pid), SIGKILL);
  }

  std::string File(const std::string& name) { return (folder_.path() / name).string(); }
  std::string Say(std::initializer_list<std::string_view> command) {
    return Ask({.unix_path = {}, .host = "127.0.0.1", .port = port_}, command);
  }
  Finished Run(const std::string& fault, const std::string& lease = "500ms",
               const std::string& duration = "2s") {
    WriteFile(File("x.toml"), fmt::format("lock.name = \"set-nx-px\"\nlock.lease = \"{}\"\n"
                                          "workload.clients = 2\nworkload.duration = \"{}\"\n"
                                          "topology.endpoints = \"redis://127.0.0.1:{}\"\n"
                                          "topology.containers = \"{}\"\n{}",
                                          lease, duration, port_, kName, fault));
    return RunProgram({"run", File("x.toml"), "--into", File("run"), "--replace", "--verbose"});
  }
  // What the engine was told in the run.
  std::string Told() {
    const std::string before = "container\npause\nunpause\n";
    const std::string told = Read(File("box/told"));
    EXPECT_TRUE(told.starts_with(before)) << told;
    return told.substr(std::min(before.size(), told.size()));
  }

  static constexpr const char* kName = "box";
  const std::string path_ = std::getenv("PATH");
  const uint16_t port_ = FindFreePort();
  TestFolder folder_;
  pid_t daemon_ = 0;
};

TEST_F(ExternalFaults, APauseOfANodeIsLeftToTheContainerEngine) {
  const Finished finished =
      Run("[[fault]]\nkind = \"pause\"\nnodes = [1]\non = \"client 1 after-acquire\"\nfor = "
          "\"300ms\"\n");
  EXPECT_LE(finished.exit_code, 2) << finished.err;
  EXPECT_NE(finished.out.find("took effect once"), std::string::npos) << finished.out;
  EXPECT_EQ(Told(), "pause\nunpause\n");
  EXPECT_EQ(Say({"DBSIZE"}), "0");
}

// On a busy machine a container takes a second to start, and client 1 must be at work until then.
TEST_F(ExternalFaults, ARestartedContainerLosesALockThatItDoesNotKeep) {
  const Finished finished =
      Run("[[fault]]\nname = \"busy\"\nkind = \"slow\"\nclient = 1\n"
          "on = \"client 1 after-acquire\"\nfor = \"2500ms\"\n"
          "[[fault]]\nkind = \"restart\"\nnodes = [1]\non = \"client 1 after-acquire\"\n"
          "for = \"20ms\"\n",
          "3s", "3s");
  EXPECT_EQ(finished.exit_code, 1) << finished.out << finished.err;
  EXPECT_NE(finished.out.find("had been restarted at"), std::string::npos) << finished.out;
  EXPECT_EQ(Told(), "kill\nstart\n");
  EXPECT_EQ(Say({"DBSIZE"}), "0");
}

TEST_F(ExternalFaults, AContainerThatAFaultHasKilledRunsAgainAtTheEnd) {
  const Finished finished =
      Run("[[fault]]\nkind = \"crash\"\nnodes = [1]\non = \"client 1 after-acquire\"\n");
  EXPECT_LE(finished.exit_code, 2) << finished.err;
  EXPECT_EQ(Told(), "kill\nstart\n");
  EXPECT_EQ(Say({"PING"}), "PONG");
}

TEST_F(ExternalFaults, AContainerInWhichTheNodeIsNotIsRefused) {
  const std::string pid = Read(File("box/pid"));
  const Result<pid_t> other = Spawn({.argv = {"sleep", "600"}});
  ASSERT_TRUE(other);
  WriteFile(File("box/pid"), std::to_string(*other));
  const Finished refused = Run("");
  WriteFile(File("box/pid"), pid);
  kill(*other, SIGKILL);
  AwaitEnd(*other);
  EXPECT_EQ(refused.exit_code, 4) << refused.out;
  EXPECT_NE(refused.err.find("that container does not run it"), std::string::npos) << refused.err;
  EXPECT_EQ(Say({"DBSIZE"}), "0");
}

TEST_F(ExternalFaults, AContainerThatWouldNotBeTheSameAfterARestartIsRefused) {
  for (const auto& [settings, why] :
       {std::pair(R"({"AutoRemove":true})", "container 'box' is removed when it stops"),
        std::pair(R"({"PublishAllPorts":true})", "gets another host port"),
        std::pair(R"({"PortBindings":{"6379/tcp":[{"HostIp":"","HostPort":""}]}})",
                  "gets another host port")}) {
    WriteFile(File("box/settings"), settings);
    const Finished refused = Run("");
    EXPECT_EQ(refused.exit_code, 4) << refused.out;
    EXPECT_NE(refused.err.find(why), std::string::npos) << refused.err;
    EXPECT_EQ(Say({"DBSIZE"}), "0");
  }
}

// The run itself restarts the server before that.
TEST_F(ExternalFaults, ARestartByOthersLeavesNoVerdict) {
  WriteFile(File("x.toml"),
            fmt::format("lock.name = \"set-nx-px\"\nlock.lease = \"500ms\"\n"
                        "workload.duration = \"6s\"\n"
                        "topology.endpoints = \"redis://127.0.0.1:{}\"\n"
                        "topology.containers = \"{}\"\n[[fault]]\nkind = \"restart\"\n"
                        "nodes = [1]\non = \"client 1 after-acquire\"\nfor = \"20ms\"\n",
                        port_, kName));
  Program program({"run", File("x.toml"), "--into", File("run")});
  ASSERT_TRUE(Eventually([&] { return Read(File("box/told")).ends_with("start\n"); }))
      << program.Err();
  ASSERT_TRUE(Eventually([&] { return Say({"EXISTS", "dh:item:0"}) == "1"; }));
  ASSERT_TRUE(RunTool({File("docker"), "kill", kName}));
  ASSERT_TRUE(RunTool({File("docker"), "start", kName}));
  EXPECT_EQ(program.Wait(), 4) << program.Out();
  EXPECT_NE(program.Err().find("was restarted during the run"), std::string::npos) << program.Err();
}

// A sentinel that alone decides about a failover.
class Sentinel {
 public:
  Sentinel(const std::string& settings, uint16_t port, uint16_t primary) : port_(port) {
    WriteFile(settings, fmt::format("port {}\nbind 127.0.0.1\nsentinel monitor m 127.0.0.1 {} 1\n"
                                    "sentinel down-after-milliseconds m 500\n",
                                    port, primary));
    const Result<pid_t> pid = Spawn({.argv = {"redis-server", settings, "--sentinel"}});
    EXPECT_TRUE(pid);
    pid_ = *pid;
    EXPECT_TRUE(Eventually([this] { return Ask(address(), {"PING"}) == "PONG"; }));
  }
  ~Sentinel() {
    kill(pid_, SIGKILL);
    AwaitEnd(pid_);
  }
  Sentinel(const Sentinel&) = delete;
  Sentinel& operator=(const Sentinel&) = delete;

  [[nodiscard]] NodeAddress address() const {
    return {.unix_path = {}, .host = "127.0.0.1", .port = port_};
  }

 private:
  uint16_t port_;
  pid_t pid_ = 0;
};

TEST(ExternalSentinel, ARunFollowsAFailover) {
  TestFolder folder;
  const uint16_t first = FindFreePort();
  const uint16_t second = FindFreePort();
  const auto server = [&](uint16_t port, const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"--port", std::to_string(port), "--bind", "127.0.0.1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return std::make_unique<testing::Server>(folder.path() / fmt::format("{}.sock", port),
                                             testing::ServerOptions{.arguments = arguments});
  };
  const auto primary = server(first, {});
  const auto replica = server(second, {"--replicaof", "127.0.0.1", std::to_string(first)});
  const Sentinel sentinel((folder.path() / "sentinel.conf").string(), FindFreePort(), first);
  const auto told = [&] {
    return Ask(sentinel.address(), {"SENTINEL", "GET-MASTER-ADDR-BY-NAME", "m"});
  };
  ASSERT_TRUE(Eventually([&] {
    return Ask(sentinel.address(), {"INFO", "sentinel"}).find("slaves=1") != std::string::npos;
  }));
  const std::string into = (folder.path() / "run").string();
  Program program({"run", "--lock", "set-nx-px", "--clients", "2", "--duration", "8s", "--endpoint",
                   fmt::format("redis-sentinel://127.0.0.1:{}#m", sentinel.address().port),
                   "--into", into});
  ASSERT_TRUE(Eventually([&] { return Ask(replica->address(), {"EXISTS", "dh:run"}) == "1"; }));
  primary->Kill();
  ASSERT_TRUE(Eventually([&] { return told().find(std::to_string(second)) != std::string::npos; }));
  // Clients are granted the lock there. The first value may be a copy of an old grant.
  const auto holder = [&] { return Ask(replica->address(), {"GET", "dh:item:0"}); };
  const std::string first_holder = holder();
  EXPECT_TRUE(Eventually([&] {
    const std::string now = holder();
    return now != "(nil)" && now != first_holder;
  }));
  EXPECT_LE(program.Wait(), 2) << program.Err();
  const nlohmann::json verdict = ReadJson(folder.path() / "run" / "verdict.json");
  EXPECT_NE(verdict.at("environment").at("redis").get<std::string>().find("became the primary"),
            std::string::npos);
  const nlohmann::json& faults = verdict.at("faults");
  ASSERT_EQ(faults.size(), 1U) << faults;
  EXPECT_EQ(faults[0].at("what"), "another server took over from node 1, by no fault of the run");
  EXPECT_EQ(faults[0].at("episodes").size(), 1U) << faults;
  EXPECT_EQ(Ask(replica->address(), {"DBSIZE"}), "0");
}

}  // namespace
}  // namespace doublehold
