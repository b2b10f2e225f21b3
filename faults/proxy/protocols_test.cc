// Tests the proxy with rules that name requests of each protocol. A scripted server answers.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "faults/proxy/proxy_fixture.h"
#include "faults/proxy/scripted_server.h"
#include "faults/proxy/wire/conversation.h"

namespace doublehold {
namespace {

std::string Zeros(size_t bytes) { return std::string(bytes, '\0'); }

struct ProtocolCase {
  std::string name;
  Protocol protocol;
  std::vector<Exchange> script;
  size_t chosen;        // the exchange on which the rules act
  std::string command;  // its name in rules
};
void PrintTo(const ProtocolCase& c, std::ostream* out) { *out << c.name; }

const ProtocolCase kProtocolCases[] = {
    {.name = "Redis",
     .protocol = Protocol::kRedis,
     .script = {{"*2\r\n$3\r\nGET\r\n$1\r\nk\r\n", "$-1\r\n"},
                {"*2\r\n$4\r\nINCR\r\n$1\r\nk\r\n", ":1\r\n"},
                {"*2\r\n$3\r\nGET\r\n$1\r\nk\r\n", "$1\r\n1\r\n"}},
     .chosen = 1,
     .command = "INCR"},
    {.name = "ZooKeeper",
     .protocol = Protocol::kZooKeeper,
     .script = {{FromHex("0000002c") + Zeros(44), FromHex("00000025") + Zeros(37)},
                {FromHex("0000000f 00000001 00000003 00000002 '/a' 01"),
                 FromHex("00000010 00000001") + Zeros(12)},
                {FromHex("0000000e 00000002 00000002 00000002 '/a'"),
                 FromHex("00000010 00000002") + Zeros(12)},
                {FromHex("00000008 fffffffe 0000000b"), FromHex("00000010 fffffffe") + Zeros(12)}},
     .chosen = 2,
     .command = "DELETE"},
    {.name = "Postgres",
     .protocol = Protocol::kPostgres,
     .script = {{FromHex("00000017 00030000 'user' 00 'postgres' 00 00"),
                 FromHex("'R' 00000008 00000000 'Z' 00000005 'I'")},
                {FromHex("'Q' 0000000a 'BEGIN' 00"),
                 FromHex("'C' 0000000a 'BEGIN' 00 'Z' 00000005 'T'")},
                {FromHex("'P' 00000010 00 'DELETE 1' 000000 'B' 00000006 0000 'S' 00000004"),
                 FromHex("'1' 00000004 '2' 00000004 'Z' 00000005 'T'")},
                {FromHex("'Q' 0000000b 'COMMIT' 00"),
                 FromHex("'C' 0000000b 'COMMIT' 00 'Z' 00000005 'I'")}},
     .chosen = 2,
     .command = "DELETE"},
    {.name = "MySql",
     .protocol = Protocol::kMySql,
     .script = {{"", FromHex("070000 00 0a '10.11' 00")},
                {FromHex("280000 01") + Zeros(40), FromHex("070000 02 00 00 00 0200 0000")},
                {FromHex("070000 00 03 'delete'"), FromHex("070000 01 00 01 00 0200 0000")},
                {FromHex("010000 00 0e"), FromHex("070000 01 00 00 00 0200 0000")}},
     .chosen = 2,
     .command = "DELETE"},
    {.name = "Http",
     .protocol = Protocol::kHttp,
     .script = {{"GET /version HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"},
                {"POST /v3/kv/txn HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}",
                 "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"},
                {"GET /version HTTP/1.1\r\n\r\n", "HTTP/1.1 204 Done\r\n\r\n"}},
     .chosen = 1,
     .command = "/V3/KV/TXN"},
};

class ProtocolsTest : public ProxyTest, public ::testing::WithParamInterface<ProtocolCase> {
 protected:
  ProtocolsTest() {
    port_ = OnLoop(
        [this] { return *proxy_->AddLink(kScripted, upstream_.address(), GetParam().protocol); });
  }

  RuleId SetOnScripted(const LinkRule& rule) {
    return OnLoop([&] { return proxy_->SetLink(kScripted, rule); });
  }
  // Sends the request of an exchange, and waits for as many bytes as its reply has.
  static std::string Exchanged(ByteClient& client, const Exchange& exchange) {
    EXPECT_TRUE(client.Send(exchange.request));
    std::string received;
    testing::Eventually([&] {
      received += client.ReceiveNow();
      return received.size() >= exchange.reply.size();
    });
    return received;
  }

  static constexpr LinkId kScripted{.client = 2, .node = 1};
  ScriptedServer upstream_{GetParam().script};
};

TEST_P(ProtocolsTest, ARuleDropsTheReplyToANamedRequest) {
  const RuleId rule = SetOnScripted(
      {.direction = Direction::kReply, .action = Action::kDrop, .command = GetParam().command});
  ByteClient client = Client();
  for (size_t i = 0; i < GetParam().script.size(); ++i) {
    Exchange exchange = GetParam().script[i];
    if (i == GetParam().chosen) exchange.reply.clear();
    EXPECT_EQ(Exchanged(client, exchange), exchange.reply) << i;
    const int64_t dropped = i < GetParam().chosen ? 0 : 1;
    EXPECT_TRUE(ActedOn(rule, dropped)) << i;
  }
}

TEST_P(ProtocolsTest, ARuleHoldsANamedRequestUntilItIsRemoved) {
  const RuleId rule = SetOnScripted({.action = Action::kHold, .command = GetParam().command});
  ByteClient client = Client();
  const size_t chosen = GetParam().chosen;
  for (size_t i = 0; i < chosen; ++i) {
    EXPECT_EQ(Exchanged(client, GetParam().script[i]), GetParam().script[i].reply) << i;
  }
  const Exchange held = GetParam().script[chosen];
  EXPECT_TRUE(client.Send(held.request));
  EXPECT_TRUE(ActedOn(rule, 1));
  EXPECT_EQ(upstream_.answered(), chosen);
  Clear(rule);
  EXPECT_EQ(Exchanged(client, {"", held.reply}), held.reply);
}

INSTANTIATE_TEST_SUITE_P(Each, ProtocolsTest, ::testing::ValuesIn(kProtocolCases),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace doublehold
