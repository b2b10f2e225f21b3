// Tests how connections through the proxy begin and end, and the proxy's limits.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>

#include <algorithm>
#include <string>
#include <vector>

#include "faults/proxy/proxy_fixture.h"

namespace doublehold {
namespace {

using testing::Encode;
using testing::Eventually;

TEST_F(ProxyTest, BytesThatAreNotRespReachTheServerUnchanged) {
  ByteClient client = Client();
  client.Send("*1\r\nnonsense\r\n");
  EXPECT_EQ(client.ReceiveReply(), "-ERR Protocol error: expected '$', got 'n'\r\n");
  EXPECT_EQ(client.ReceiveEnd(), 0);
}

TEST_F(ProxyTest, AClientThatClosesItsSideStillGetsItsReplies) {
  ByteClient client = Client();
  const RuleId rule = Set({.direction = Direction::kReply, .action = Action::kHold});
  client.Send(Encode({"SET", "k", "v"}) + Encode({"GET", "k"}));
  ByteClient direct = Direct();
  EXPECT_TRUE(Eventually([&] { return direct.Call({"EXISTS", "k"}) == ":1\r\n"; }));
  client.CloseWriting();
  // The server has closed its side when only this test's direct connection is left.
  EXPECT_TRUE(Eventually([&] {
    return direct.Call({"INFO", "clients"}).find("connected_clients:1\r\n") != std::string::npos;
  }));
  EXPECT_EQ(client.ReceiveNow(), "");
  Clear(rule);
  EXPECT_EQ(client.ReceiveReply(), kOk);
  EXPECT_EQ(client.ReceiveReply(), "$1\r\nv\r\n");
  EXPECT_EQ(client.ReceiveEnd(), 0);
  EXPECT_TRUE(Eventually([&] { return connections() == 0; }));
}

TEST_F(ProxyTest, TheClientNoticesTheDeathOfTheServer) {
  ByteClient client = Client();
  client.Call({"PING"});
  server_.Kill();
  EXPECT_EQ(client.ReceiveEnd(), 0);
  EXPECT_TRUE(Eventually([&] { return connections() == 0; }));
  // A dying server takes a while to close its listening socket.
  EXPECT_TRUE(Eventually([&] { return Client().ReceiveEnd() == ECONNRESET; }));
}

TEST_F(ProxyTest, AStoppedServerAnswersAfterItContinues) {
  server_.Stop();
  // More connections than the server's backlog holds.
  std::vector<ByteClient> clients;
  for (int i = 0; i < 600; ++i) {
    clients.push_back(Client());
    EXPECT_TRUE(clients.back().Send(Encode({"PING"})));
  }
  EXPECT_TRUE(Eventually([&] { return connections() == 600; }));
  server_.Continue();
  for (ByteClient& client : clients) EXPECT_EQ(client.ReceiveReply(), "+PONG\r\n");
}

TEST_F(ProxyTest, PendingBytesAreBounded) {
  ByteClient client = Client();
  const RuleId rule = Set({.action = Action::kHold});
  fcntl(client.fd(), F_SETFL, O_NONBLOCK);
  const std::string command = Encode({"SET", "k", std::string(100'000, 'x')});
  constexpr size_t kMost = size_t{256} << 20;  // far more than socket buffers hold
  size_t sent = 0;
  int refused = 0;
  while (sent < kMost && refused < 200) {
    const size_t begin = sent % command.size();
    const ssize_t taken =
        send(client.fd(), command.data() + begin, command.size() - begin, MSG_NOSIGNAL);
    if (taken > 0) {
      sent += static_cast<size_t>(taken);
      refused = 0;
      continue;
    }
    ++refused;
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_LT(sent, kMost);
  fcntl(client.fd(), F_SETFL, 0);
  Clear(rule);
  EXPECT_TRUE(client.Send(std::string_view(command).substr(sent % command.size())));
  for (size_t i = 0; i <= sent / command.size(); ++i) ASSERT_EQ(client.ReceiveReply(), kOk);
}

TEST_F(ProxyTest, ClosingWithPendingFramesReleasesEverything) {
  const RuleId rule = Set({.action = Action::kHold});
  ByteClient client = Client();
  client.Send(Encode({"PING"}));
  EXPECT_TRUE(ActedOn(rule, 1));
  OnLoop([&] { proxy_->Close(); });
  EXPECT_NE(client.ReceiveEnd(), -1);
  EXPECT_EQ(connections(), 0u);
  EXPECT_FALSE(Client().connected());
}

TEST_F(ProxyTest, ItsDescriptorsDoNotSurviveExec) {
  ByteClient client = Client();
  client.Call({"PING"});
  for (int fd = 3; fd < 200; ++fd) {
    int type = 0;
    socklen_t bytes = sizeof(type);
    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &bytes) != 0) continue;
    EXPECT_NE(fcntl(fd, F_GETFD) & FD_CLOEXEC, 0) << "descriptor " << fd;
  }
}

// The node of the second proxy link is the port of the first.
TEST_F(ProxyTest, ALinkMayLeadToATcpPort) {
  const LinkId beyond{2, 1};
  const Result<uint16_t> port =
      OnLoop([&] { return proxy_->AddLink(beyond, {.unix_path = {}, .port = port_}); });
  ASSERT_TRUE(port);
  ByteClient client = ByteClient::ToPort(*port);
  EXPECT_EQ(client.Call({"SET", "k", "v"}), kOk);
  EXPECT_EQ(client.Call({"GET", "k"}), "$1\r\nv\r\n");
  client.CloseWriting();
  EXPECT_EQ(client.ReceiveEnd(), 0);
}

TEST_F(ProxyTest, ALinkToAPortWhereNobodyListensIsReset) {
  const LinkId beyond{2, 1};
  // A port that is bound but not listened on cannot belong to another program.
  const int bound = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof(address);
  ASSERT_EQ(bind(bound, reinterpret_cast<sockaddr*>(&address), bytes), 0);
  ASSERT_EQ(getsockname(bound, reinterpret_cast<sockaddr*>(&address), &bytes), 0);
  const Result<uint16_t> port = OnLoop(
      [&] { return proxy_->AddLink(beyond, {.unix_path = {}, .port = ntohs(address.sin_port)}); });
  ASSERT_TRUE(port);
  EXPECT_EQ(ByteClient::ToPort(*port).ReceiveEnd(), ECONNRESET);
  EXPECT_TRUE(Eventually([&] { return connections() == 0; }));
  close(bound);
}

TEST_F(ProxyTest, ARedirectedLinkLeadsElsewhereFromTheNextConnectionOn) {
  ByteClient before = Client();
  EXPECT_EQ(before.Call({"PING"}), "+PONG\r\n");
  OnLoop([&] { proxy_->Redirect(kLink, {.unix_path = "/nowhere"}); });
  EXPECT_EQ(before.Call({"PING"}), "+PONG\r\n");
  EXPECT_EQ(Client().ReceiveEnd(), ECONNRESET);
  OnLoop([&] { proxy_->Redirect(kLink, server_.address()); });
  EXPECT_EQ(Client().Call({"PING"}), "+PONG\r\n");
}

TEST_F(ProxyTest, APathTooLongForASocketIsAnError) {
  const Result<uint16_t> port = OnLoop([&] {
    return proxy_->AddLink({2, 1}, {.unix_path = std::string(200, 'p')});
  });
  ASSERT_FALSE(port);
  EXPECT_NE(port.error().message.find("200 bytes"), std::string::npos);
}

// Sends ten thousand frames of random sizes in random chunks, with jitter in both directions.
TEST_F(ProxyTest, RandomFramesInRandomChunksArriveByteForByte) {
  Set({.action = Action::kDelay, .command = "ECHO", .delay = 100us, .jitter = 100us});
  Set({.direction = Direction::kReply, .action = Action::kDelay, .delay = 100us, .jitter = 100us});
  Prng random(1, "frames");
  std::vector<std::string> payloads;
  std::string stream;
  for (int i = 0; i < 10'000; ++i) {
    std::string payload(random.Below(i % 500 == 0 ? 300'000 : 200), '\0');
    for (char& c : payload) c = static_cast<char>(random.Below(256));
    stream += Encode({i % 2 == 0 ? "ECHO" : "echo", payload});
    payloads.push_back(std::move(payload));
  }
  ByteClient client = Client();
  std::thread writer([&] {
    Prng chunks(2, "chunks");
    std::string_view rest = stream;
    while (!rest.empty()) {
      const auto bytes = std::min<size_t>(rest.size(), 1 + chunks.Below(chunks.Below(4000) + 1));
      if (!client.Send(rest.substr(0, bytes))) return;
      rest.remove_prefix(bytes);
    }
  });
  for (const std::string& payload : payloads) {
    const std::string reply = client.ReceiveReply();
    const std::string want = Bulk(payload);
    if (reply == want) continue;
    ADD_FAILURE() << "a reply of " << reply.size() << " bytes, not " << want.size();
    break;
  }
  client.CloseWriting();
  writer.join();
}

}  // namespace
}  // namespace doublehold
