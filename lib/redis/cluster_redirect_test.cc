// A client of a real cluster while a slot migrates from one server to another.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>
#include <vector>

#include "lib/redis/hiredis_connection.h"
#include "lib/redis/route.h"
#include "lib/testing/servers.h"

namespace doublehold {
namespace {

using testing::Ask;
using testing::Call;
using testing::Eventually;
using testing::kPatience;
using testing::Server;
using testing::TempFolder;

// Returns two free ports.
std::array<std::string, 2> FreePorts() {
  std::array<std::string, 2> ports;
  std::array<int, 2> sockets{};
  for (size_t i = 0; i < ports.size(); ++i) {
    sockets[i] = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof(address);
    auto* any = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(bind(sockets[i], any, bytes), 0);
    EXPECT_EQ(getsockname(sockets[i], any, &bytes), 0);
    ports[i] = std::to_string(ntohs(address.sin_port));
  }
  for (const int fd : sockets) close(fd);
  return ports;
}

// The first server owns all slots; the slot of {t} is migrating to the second one.
class MigratingSlot : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string last = std::to_string(16'383);
    ASSERT_EQ(Ask(from_.address(), {"CLUSTER", "ADDSLOTSRANGE", "0", last}), "OK");
    ASSERT_EQ(Ask(from_.address(), {"CLUSTER", "MEET", "127.0.0.1", "7002", buses_[1]}), "OK");
    for (const Server* server : {&from_, &to_}) {
      ASSERT_TRUE(Eventually([&] {
        const std::string info = Ask(server->address(), {"CLUSTER", "INFO"});
        return info.find("cluster_state:ok") != std::string::npos &&
               info.find("cluster_known_nodes:2") != std::string::npos;
      }));
    }
    ASSERT_EQ(Call(*client_, {"SET", "{t}old", "1"})->text, "OK");
    const std::string from = Ask(from_.address(), {"CLUSTER", "MYID"});
    const std::string to = Ask(to_.address(), {"CLUSTER", "MYID"});
    ASSERT_EQ(Ask(to_.address(), {"CLUSTER", "SETSLOT", slot_, "IMPORTING", from}), "OK");
    ASSERT_EQ(Ask(from_.address(), {"CLUSTER", "SETSLOT", slot_, "MIGRATING", to}), "OK");
  }

  Server Start(size_t index) const {
    return Server(
        folder_.path() / ("n" + std::to_string(index)),
        {.arguments = {"--bind", "127.0.0.1", "--cluster-enabled", "yes", "--cluster-config-file",
                       "nodes-" + std::to_string(index), "--cluster-port", buses_[index],
                       "--cluster-announce-ip", "127.0.0.1", "--cluster-announce-port",
                       std::to_string(7001 + index), "--cluster-announce-bus-port",
                       buses_[index]}});
  }
  std::string KeysIn(const Server& server) const {
    return Ask(server.address(), {"CLUSTER", "COUNTKEYSINSLOT", slot_});
  }

  TempFolder folder_;
  std::array<std::string, 2> buses_ = FreePorts();
  Server from_ = Start(0);
  Server to_ = Start(1);
  std::vector<NodeAddress> addresses_{{}, from_.address(), to_.address()};
  Roster roster_{.announced = {0, 7001, 7002}, .sentinels = {}};
  std::unique_ptr<Connection> client_ = MakeConnection(RouteToMaster(addresses_, roster_));
  std::string slot_ = Ask(from_.address(), {"CLUSTER", "KEYSLOT", "{t}"});
};

TEST_F(MigratingSlot, AMigratedKeyIsAskedForAtItsNewServer) {
  const CallResult set = Call(*client_, {"SET", "{t}new", "2"});
  ASSERT_TRUE(set.has_value()) << set.error().message;
  EXPECT_EQ(set->text, "OK");
  EXPECT_EQ(KeysIn(from_), "1");
  EXPECT_EQ(KeysIn(to_), "1");
  EXPECT_EQ(Call(*client_, {"GET", "{t}new"})->text, "2");
  EXPECT_EQ(Call(*client_, {"GET", "{t}old"})->text, "1") << "and nothing else is";
}

TEST_F(MigratingSlot, AScriptIsSentToTheNewServerInFull) {
  const Script script("return redis.call('SET', KEYS[1], ARGV[1])");
  const std::array<std::string_view, 1> keys{"{t}new"};
  const std::array<std::string_view, 1> args{"3"};
  for ([[maybe_unused]] const bool known : {false, true}) {
    const CallResult set = client_->Eval(script, keys, args, RealMono() + kPatience);
    ASSERT_TRUE(set.has_value()) << set.error().message;
  }
  EXPECT_EQ(KeysIn(to_), "1");
  EXPECT_EQ(Ask(to_.address(), {"SCRIPT", "EXISTS", script.sha1}), "[1]");
}

TEST_F(MigratingSlot, AScriptWithKeysOnBothServersHasCertainlyNotRun) {
  const Script script("return redis.call('SET', KEYS[2], '4')");
  const std::array<std::string_view, 2> keys{"{t}old", "{t}new"};
  const CallResult set = client_->Eval(script, keys, {}, RealMono() + kPatience);
  ASSERT_FALSE(set.has_value());
  EXPECT_TRUE(set.error().message.starts_with("TRYAGAIN")) << set.error().message;
  EXPECT_TRUE(set.error().definite);
  EXPECT_EQ(KeysIn(to_), "0");
}

TEST_F(MigratingSlot, APinnedConnectionStaysWithItsServer) {
  ASSERT_EQ(Call(*client_, {"WATCH", "{t}old"})->text, "OK");
  client_->Pin();
  const CallResult set = Call(*client_, {"SET", "{t}new", "5"});
  ASSERT_FALSE(set.has_value());
  EXPECT_TRUE(set.error().message.starts_with("ASK ")) << set.error().message;
  EXPECT_TRUE(set.error().definite);
}

}  // namespace
}  // namespace doublehold
