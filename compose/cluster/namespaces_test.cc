// Tests runs with network namespaces, and links that the kernel cuts between them. Skipped if the
// machine cannot create namespaces.
#include "compose/cluster/namespaces.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <set>

#include "compose/cluster/iptables_partition.h"
#include "compose/os/run_folder.h"
#include "compose/testing/program.h"
#include "lib/base/paths.h"
#include "lib/redis/hiredis_connection.h"
#include "lib/redis/socket.h"
#include "lib/testing/case_name.h"
#include "lib/testing/trials.h"

namespace doublehold {
namespace {

namespace fs = std::filesystem;

constexpr ProcessRef kClient{ProcessRef::Kind::kClient, 1};
constexpr LinkId kLink{.client = 1, .node = 1};
constexpr ProcessRef kServer{ProcessRef::Kind::kNode, 1};
constexpr ProcessRef kPeer{ProcessRef::Kind::kNode, 2};
constexpr LinkId kDirectLink{.client = 0, .node = kServer.number, .peer = kPeer.number};

// Returns the network devices of the machine itself.
std::set<std::string> HostLinks() {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator("/sys/class/net"))
    names.insert(entry.path().filename());
  return names;
}

// Returns the name of a process's network namespace, such as "net:[4026531840]".
std::string ReadNetworkName(const std::string& process) {
  std::error_code code;
  return fs::read_symlink("/proc/" + process + "/ns/net", code);
}

// Returns the number of processes in any of these namespaces.
size_t CountProcessesIn(const std::set<std::string>& networks) {
  size_t found = 0;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    if (networks.contains(ReadNetworkName(entry.path().filename()))) ++found;
  }
  return found;
}

class NamespacesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (Result<void> ok = TryNamespaces(); !ok) GTEST_SKIP() << ok.error().message;
  }
};

// A listener in place of the proxy, and a client in its namespace, all on this thread.
class PacketCutsTest : public NamespacesTest {
 protected:
  void SetUp() override {
    NamespacesTest::SetUp();
    if (IsSkipped()) return;
    Result<std::unique_ptr<Namespaces>> made = Namespaces::Create({kClient, kServer, kPeer});
    ASSERT_TRUE(made.has_value()) << made.error().message;
    network_ = std::move(*made);
    own_ = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
    cuts_ =
        std::make_unique<PacketCuts>(*network_, [](const Error& why) { FAIL() << why.message; });
    Listen(network_->own_address());
    cuts_->AddLink(kLink, port_);
  }

  // Listens in the current namespace, and no longer elsewhere.
  void Listen(const std::string& host) {
    if (listener_ >= 0) close(listener_);
    host_ = host;
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    inet_pton(AF_INET, host.c_str(), &address.sin_addr);
    auto* any = reinterpret_cast<sockaddr*>(&address);
    socklen_t bytes = sizeof(address);
    ASSERT_EQ(bind(listener_, any, bytes), 0);
    ASSERT_EQ(listen(listener_, 8), 0);
    ASSERT_EQ(getsockname(listener_, any, &bytes), 0);
    port_ = ntohs(address.sin_port);
  }

  void TearDown() override {
    for (const int fd : {listener_, accepted_, own_}) {
      if (fd >= 0) close(fd);
    }
  }

  // Connects from the namespace of `from`.
  std::string Connect(Socket& socket, Duration patience, ProcessRef from = kClient) {
    EXPECT_EQ(setns(network_->Of(from), CLONE_NEWNET), 0);
    std::string error =
        socket.Connect({.unix_path = {}, .host = host_, .port = port_}, RealMono() + patience);
    EXPECT_EQ(setns(own_, CLONE_NEWNET), 0);
    return error;
  }

  void ConnectAndAccept(ProcessRef from = kClient) {
    ASSERT_EQ(Connect(client_, 10s, from), "");
    accepted_ = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    ASSERT_GE(accepted_, 0);
  }

  void ClientSends(std::string_view text) {
    ASSERT_EQ(client_.SendAll(text, RealMono() + 10s), "");
  }
  // Returns the data that the other end received within `patience`, or an empty text.
  std::string Received(Duration patience) const {
    pollfd waiting{.fd = accepted_, .events = POLLIN, .revents = 0};
    if (poll(&waiting, 1, static_cast<int>(ToMs(patience))) != 1) return {};
    std::array<char, 64> buffer{};
    const ssize_t bytes = recv(accepted_, buffer.data(), buffer.size(), 0);
    return {buffer.data(), static_cast<size_t>(std::max<ssize_t>(bytes, 0))};
  }
  std::string ClientReceived(Duration patience) {
    std::array<char, 64> buffer{};
    const Socket::Received got = client_.Receive(buffer, RealMono() + patience);
    return {buffer.data(), got.bytes};
  }

  std::unique_ptr<Namespaces> network_;
  std::unique_ptr<PacketCuts> cuts_;
  Socket client_;
  int own_ = -1;
  std::string host_;
  int listener_ = -1;
  int accepted_ = -1;
  uint16_t port_ = 0;
};

TEST_F(PacketCutsTest, DroppedDataArrivesOnceTheLinkIsMended) {
  ConnectAndAccept();
  ClientSends("one");
  EXPECT_EQ(Received(10s), "one");
  const RuleId cut = cuts_->Cut(kLink, Direction::kRequest);
  cuts_->Commit();
  ClientSends("two");
  EXPECT_EQ(Received(500ms), "");
  EXPECT_GE(cuts_->Mend(cut).frames, 1);
  cuts_->Commit();
  EXPECT_EQ(Received(10s), "two");
}

TEST_F(PacketCutsTest, OneDirectionIsLostAndTheOtherArrives) {
  ConnectAndAccept();
  const RuleId cut = cuts_->Cut(kLink, Direction::kReply);
  cuts_->Commit();
  ClientSends("asked");
  EXPECT_EQ(Received(10s), "asked");
  ASSERT_EQ(send(accepted_, "told", 4, MSG_NOSIGNAL), 4);
  EXPECT_EQ(ClientReceived(500ms), "");
  EXPECT_GE(cuts_->Mend(cut).frames, 1);
  cuts_->Commit();
  EXPECT_EQ(ClientReceived(10s), "told");
}

// The client first connects once. Otherwise the kernel may still be resolving the address, and send
// no packet that a cut can drop.
TEST_F(PacketCutsTest, ACutLinkAcceptsNoConnection) {
  ConnectAndAccept();
  client_.Close();
  const RuleId cut = cuts_->Cut(kLink, Direction::kRequest);
  cuts_->Commit();
  EXPECT_EQ(Connect(client_, 1s), "no answer within the deadline");
  EXPECT_GE(cuts_->Mend(cut).frames, 1);
  cuts_->Commit();
  EXPECT_EQ(Connect(client_, 10s), "");
}

TEST_F(PacketCutsTest, OtherLinksOfTheSameClientAreNotCut) {
  const LinkId other{.client = 1, .node = 2};
  cuts_->AddLink(other, static_cast<uint16_t>(port_ + 1));
  ConnectAndAccept();
  const RuleId cut = cuts_->Cut(other, Direction::kRequest);
  cuts_->Commit();
  ClientSends("here");
  EXPECT_EQ(Received(10s), "here");
  EXPECT_EQ(cuts_->Mend(cut).frames, 0) << "nothing was sent over it";
  cuts_->Commit();
}

// The servers reach each other past the proxy, so that no port identifies the link.
TEST_F(PacketCutsTest, TwoServersAreCutOffInOneDirectionWhileOtherLinksWork) {
  ASSERT_EQ(setns(network_->Of(kServer), CLONE_NEWNET), 0);
  Listen(network_->AddressOf(kServer));
  ASSERT_EQ(setns(own_, CLONE_NEWNET), 0);
  ConnectAndAccept(kPeer);
  const RuleId cut = cuts_->Cut(kDirectLink, Direction::kReply);
  cuts_->Commit();
  ClientSends("asked");
  EXPECT_EQ(Received(10s), "asked");
  ASSERT_EQ(send(accepted_, "told", 4, MSG_NOSIGNAL), 4);
  EXPECT_EQ(ClientReceived(500ms), "");
  Socket operators;
  EXPECT_EQ(operators.Connect({.unix_path = {}, .host = host_, .port = port_}, RealMono() + 10s),
            "");
  EXPECT_GE(cuts_->Mend(cut).frames, 1);
  cuts_->Commit();
  EXPECT_EQ(ClientReceived(10s), "told");
}

// The first rule drops and counts the packets. Data passes only when both rules are removed.
TEST_F(PacketCutsTest, TwoCutsOfOneLinkAreRemovedSeparately) {
  ConnectAndAccept();
  const RuleId first = cuts_->Cut(kLink, Direction::kRequest);
  const RuleId second = cuts_->Cut(kLink, Direction::kRequest);
  cuts_->Commit();
  ClientSends("late");
  EXPECT_EQ(Received(300ms), "");
  EXPECT_GE(cuts_->Mend(first).frames, 1);
  cuts_->Commit();
  EXPECT_EQ(Received(300ms), "");
  cuts_->Mend(second);
  cuts_->Commit();
  EXPECT_EQ(Received(10s), "late");
}

TEST_F(NamespacesTest, RestoreTheNamespaceOfTheProcess) {
  const std::string before = ReadNetworkName("thread-self");
  const std::set<std::string> links = HostLinks();
  {
    const auto made = Namespaces::Create({kClient});
    ASSERT_TRUE(made.has_value()) << made.error().message;
    EXPECT_NE(ReadNetworkName("thread-self"), before);
  }
  EXPECT_EQ(ReadNetworkName("thread-self"), before);
  EXPECT_EQ(HostLinks(), links);
}

// The suite expects the same outcomes as through the proxy.
TEST_F(NamespacesTest, TheSuiteHasTheSameOutcomesAsThroughTheProxy) {
  if (!RunsAllTrials()) GTEST_SKIP() << kVariation;
  const TestFolder folder;
  std::vector<std::string> words{"suite",  SourceDir() + "/compose/suites/namespaces.toml",
                                 "--jobs", "1",
                                 "--out",  folder.path().string()};
  for (const char* row : {"set-nx-px/", "redisson/", "fenced/", "redlock/"})
    words.insert(words.end(), {"--only", row});
  const Finished finished = RunProgram(words);
  EXPECT_EQ(finished.exit_code, 0) << finished.out << finished.err;
}

class EnsemblesInNamespaces : public NamespacesTest,
                              public ::testing::WithParamInterface<const char*> {};

// Returns a cut of the leader from `from_s` on, until the lock is granted three seconds later or
// after that. By then the cut leader has stepped down, and it could commit no grant anyway.
std::string CutUntilGranted(const std::string& name, int from_s) {
  return fmt::format(
      "[[fault]]\nkind = \"partition\"\nname = \"{0}\"\nnodes = \"leader\"\n"
      "between = \"servers\"\nfrom = \"{1}s\"\nuntil = \"begin of {0}-granted\"\n"
      "[[fault]]\nkind = \"slow\"\nname = \"{0}-granted\"\non = \"any after-acquire\"\n"
      "from = \"{2}s\"\nfor = \"10ms\"\n",
      name, from_s, from_s + 3);
}

// During the second cut, the first leader and the third server elect a leader. So the second cut
// also shows that the first was healed.
TEST_P(EnsemblesInNamespaces, ALeaderThatIsCutOffIsReplacedAndFollowsOnceItIsHealed) {
  if (GetParam() != std::string("etcd") && !RunsAllTrials()) GTEST_SKIP() << kVariation;
  const TestFolder folder;
  const fs::path file = folder.path() / "x.toml";
  WriteFile(file, std::string("[lock]\nname = \"") + GetParam() +
                      "\"\nlease = \"1s\"\n[topology]\nname = \"ensemble\"\n"
                      "[workload]\nclients = " +
                      (RunsAllTrials() ? "4" : "2") + "\nduration = \"18s\"\n" +
                      CutUntilGranted("first", 1) + CutUntilGranted("second", 9));
  const fs::path run = folder.path() / "run";
  const Finished finished =
      RunProgram({"run", file.string(), "--net", "namespaces", "--into", run.string()});
  if (finished.exit_code == static_cast<int>(ExitCode::kEnvironment)) GTEST_SKIP() << finished.err;
  EXPECT_NE(finished.exit_code, static_cast<int>(ExitCode::kViolated))
      << finished.out << finished.err;
  const nlohmann::json faults = ReadJson(run / "verdict.json").at("faults");
  for (const nlohmann::json& fault : faults) EXPECT_EQ(fault.at("started"), 1) << fault;
  const auto leader = [&](int fault) { return faults.at(fault).at("episodes").at(0).at("node"); };
  EXPECT_NE(leader(0), leader(2)) << faults;
}

INSTANTIATE_TEST_SUITE_P(Each, EnsemblesInNamespaces, ::testing::Values("zookeeper", "etcd"),
                         testing::CaseName());

TEST_F(NamespacesTest, APartitionIsMeasuredFromTheRuleToItsRemoval) {
  const TestFolder folder;
  const fs::path file = folder.path() / "x.toml";
  std::ofstream(file) << "[lock]\nname = \"redlock\"\nlease = \"1s\"\n[topology]\nnodes = 5\n"
                         "[workload]\nclients = 2\nduration = \"3s\"\n[[fault]]\n"
                         "kind = \"partition\"\nnodes = [3]\nfrom = \"500ms\"\nfor = \"600ms\"\n";
  const fs::path run = folder.path() / "run";
  const Finished finished =
      RunProgram({"run", file.string(), "--net", "namespaces", "--into", run.string()});
  EXPECT_EQ(finished.exit_code, 0) << finished.out << finished.err;
  EXPECT_EQ(ReadJson(run / "plan.json").at("net"), "namespaces");
  const nlohmann::json fault = ReadJson(run / "verdict.json").at("faults").at(0);
  EXPECT_EQ(fault.at("started"), 1) << fault;
  EXPECT_GE(fault.at("episodes").at(0).at("measured_ns"), 600'000'000) << fault;
}

TEST_F(NamespacesTest, KillingTheSupervisorLeavesNothingBehind) {
  const std::set<std::string> links = HostLinks();
  const TestFolder folder;
  const fs::path file = folder.path() / "x.toml";
  std::ofstream(file)
      << "[lock]\nname = \"set-nx-px\"\n[workload]\nclients = 3\nduration = \"60s\"\n"
         "[[fault]]\nkind = \"partition\"\nclient = 1\nnodes = [1]\n"
         "on = \"client 1 start\"\nfor = \"50s\"\n";
  Program program(
      {"run", file.string(), "--net", "namespaces", "--into", (folder.path() / "run").string()});
  // Returns the namespaces of the two servers and three clients. Other processes, such as iptables,
  // run in the supervisor's or the routing namespace.
  const auto homes = [&program] {
    std::vector<std::string> found;
    for (const char* name : {"redis-server", "dh-client-1", "dh-client-2", "dh-client-3"}) {
      for (const pid_t process : program.DescendantsNamed(name))
        found.push_back(ReadNetworkName(std::to_string(process)));
    }
    return found;
  };
  ASSERT_TRUE(Eventually([&] { return homes().size() == 5; })) << program.Err();
  EXPECT_EQ(HostLinks(), links);
  const std::vector<std::string> own = homes();
  EXPECT_EQ(std::set<std::string>(own.begin(), own.end()).size(), 5U);
  const std::vector<pid_t> started = program.Descendants();
  std::set<std::string> networks;
  for (const pid_t process : started) networks.insert(ReadNetworkName(std::to_string(process)));
  EXPECT_TRUE(std::ranges::all_of(own, [&](const auto& one) { return networks.contains(one); }));
  networks.erase(ReadNetworkName("self"));  // the janitor's namespace
  networks.erase("");                       // a tool that has ended has no namespace
  program.Signal(SIGKILL);
  EXPECT_EQ(program.Wait(), 128 + SIGKILL);
  EXPECT_TRUE(Eventually([&] { return std::ranges::all_of(started, IsOver); }));
  EXPECT_TRUE(Eventually([&] { return CountProcessesIn(networks) == 0; }));
  EXPECT_TRUE(Eventually([&] { return program.TemporaryFiles() == 0; }));
  EXPECT_EQ(HostLinks(), links);
}

// If the kernel cannot delay packets, the run fails before anything starts. Otherwise packets take
// the planned delay in each direction.
TEST_F(NamespacesTest, PacketsAreDelayedOrTheRunIsRefused) {
  const TestFolder folder;
  const fs::path run = folder.path() / "run";
  const Finished finished = RunProgram(
      {"run", "--lock", "set-nx-px", "--net", "namespaces", "--set", "topology.packet-delay=40ms",
       "--set", "lock.lease=2s", "--clients", "1", "--duration", "2s", "--into", run.string()});
  if (const Result<void> netem = TryNetem(); !netem) {
    EXPECT_EQ(finished.exit_code, 4) << finished.out;
    EXPECT_NE(finished.err.find("sch_netem"), std::string::npos) << finished.err;
    EXPECT_NE(finished.err.find("the fault 'delay'"), std::string::npos) << finished.err;
    EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
    EXPECT_FALSE(fs::exists(run));
    return;
  }
  EXPECT_EQ(finished.exit_code, 0) << finished.out << finished.err;
  // A sale takes at least four round trips: acquire, read, write, release.
  const Result<History> history = ReadHistory(run);
  ASSERT_TRUE(history.has_value()) << history.error().message;
  const auto grants = std::ranges::count_if(history->events, [](const Event& event) {
    return event.client == 1 && event.op == Op::kAcquire && event.type == EventType::kOk;
  });
  EXPECT_GE(grants, 1);
  EXPECT_LE(grants, 2'000 / (4 * 80) + 1);
}

TEST(Namespaces, WithoutRootARunIsRefusedBeforeAnythingStarts) {
  const TestFolder folder;
  const fs::path run = folder.path() / "run";
  const auto refused = [&] {
    prctl(PR_CAPBSET_DROP,
          21);  // CAP_SYS_ADMIN of programs executed from now on; no effect if the process lacks it
    const Finished finished =
        RunProgram({"run", "--lock", "none", "--net", "namespaces", "--into", run.string()});
    std::fputs(finished.err.c_str(), stderr);
    _exit(std::count(finished.err.begin(), finished.err.end(), '\n') == 1 ? finished.exit_code
                                                                          : 99);
  };
  EXPECT_EXIT(refused(), ::testing::ExitedWithCode(4), "it needs root .*net = \"proxy\"");
  EXPECT_FALSE(fs::exists(run));
}

}  // namespace
}  // namespace doublehold
