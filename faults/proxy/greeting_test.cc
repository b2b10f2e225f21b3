// The proxy authenticates in the client's place.
#include <gtest/gtest.h>

#include <cerrno>

#include "faults/proxy/proxy_fixture.h"

namespace doublehold {
namespace {

class ProxyGreeting : public ProxyTest {
 protected:
  ProxyGreeting() { testing::Ask(server_.address(), {"CONFIG", "SET", "requirepass", "hunter2"}); }

  testing::ByteClient Through(const Greeting& greeting) {
    const LinkId link{.client = 2, .node = 1};
    const uint16_t port = *OnLoop(
        [&] { return proxy_->AddLink(link, server_.address(), Protocol::kRedis, greeting); });
    return testing::ByteClient::ToPort(port);
  }
};

TEST_F(ProxyGreeting, TheClientNeedsNoPasswordAndSeesNoAnswerToTheGreeting) {
  ByteClient client = Through({.bytes = "AUTH hunter2\r\nSELECT 3\r\n", .commands = 2});
  EXPECT_EQ(client.Call({"SET", "key", "1"}), kOk);
  EXPECT_EQ(client.Call({"GET", "key"}), Bulk("1"));
  ByteClient direct = Direct();
  EXPECT_EQ(direct.Call({"AUTH", "hunter2"}), kOk);
  EXPECT_EQ(direct.Call({"GET", "key"}), "$-1\r\n");
  EXPECT_EQ(direct.Call({"SELECT", "3"}), kOk);
  EXPECT_EQ(direct.Call({"GET", "key"}), Bulk("1"));
}

TEST_F(ProxyGreeting, ARefusedGreetingResetsTheClient) {
  ByteClient client = Through({.bytes = "AUTH wrong\r\n", .commands = 1});
  // The client sends nothing: a send that meets the reset would take its error away.
  EXPECT_EQ(client.ReceiveEnd(), ECONNRESET);
}

}  // namespace
}  // namespace doublehold
