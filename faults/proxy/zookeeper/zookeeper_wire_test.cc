#include "faults/proxy/zookeeper/zookeeper_wire.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "faults/proxy/queue_fixture.h"
#include "faults/proxy/wire/conversation.h"

namespace doublehold {
namespace {

using FrameLines = std::vector<std::string>;

std::string Int32(int64_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift);
  return bytes;
}
std::string Jute(std::string_view text) {
  return Int32(static_cast<int64_t>(text.size())) + std::string(text);
}
std::string Framed(const std::string& bytes) { return Jute(bytes); }
std::string RequestOf(int xid, int opcode, const std::string& body = "") {
  return Framed(Int32(xid) + Int32(opcode) + body);
}
std::string ReplyTo(int xid, const std::string& body = "") {
  return Framed(Int32(xid) + std::string(8, '\0') + Int32(0) + body);
}
std::string ConnectRequest() { return Framed(std::string(45, '\0')); }
std::string ConnectReply() { return Framed(std::string(37, '\0')); }
std::string Create(int xid, const std::string& path) {
  return RequestOf(xid, 1, Jute(path) + Jute("owner") + Int32(0) + Int32(1));
}

Conversation ConnectedThen(const Conversation& rest) {
  Conversation all{{Direction::kRequest, ConnectRequest()}, {Direction::kReply, ConnectReply()}};
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

Conversation MakeZooKeeperConversation() {
  const std::string multi = Int32(13) + std::string(1, '\0') + Int32(-1) + Jute("/m") + Int32(1);
  return ConnectedThen(
      {{Direction::kRequest, Create(1, "/lock/a") + RequestOf(-2, 11)},
       {Direction::kReply, ReplyTo(1, Jute("/lock/a")) + ReplyTo(-2)},
       {Direction::kRequest, RequestOf(2, 12, Jute("/lock") + "\1") + RequestOf(3, 14, multi) +
                                 RequestOf(4, 4, Int32(-1))},
       {Direction::kReply, ReplyTo(-1, Int32(2) + Int32(3) + Jute("/lock/a"))},
       {Direction::kReply, ReplyTo(3) + ReplyTo(2, Int32(0)) + ReplyTo(4)},
       {Direction::kRequest, RequestOf(5, 99) + RequestOf(6, -11)},
       {Direction::kReply, ReplyTo(5) + ReplyTo(6)}});
}

TEST(ZooKeeperWire, NamesRequestsByOpcodeAndRepliesByXid) {
  const FrameLines expected{"> CONNECT 49",
                            "< CONNECT 41",
                            "> CREATE 40 /lock/a",
                            "> PING 12",
                            "< CREATE 31 /lock/a",
                            "< PING 20",
                            "> GETCHILDREN 22 /lock",
                            "> MULTI 31 /m",
                            "> GETDATA 16",
                            "< NOTIFICATION 39",
                            "< MULTI 20 /m",
                            "< GETCHILDREN 24 /lock",
                            "< GETDATA 20",
                            ">  12",
                            "> CLOSE 12",
                            "<  20",
                            "< CLOSE 20"};
  for (const size_t chunk_bytes : {SIZE_MAX, size_t{1}, size_t{7}}) {
    ZooKeeperWire wire;
    EXPECT_EQ(FramesIn(wire, MakeZooKeeperConversation(), chunk_bytes, {"/lock/a", "/lock", "/m"}),
              expected);
  }
}

TEST(ZooKeeperWire, FindsTheSameFramesHoweverTheBytesAreCut) {
  ExpectCutsDoNotMatter([] { return std::make_unique<ZooKeeperWire>(); },
                        MakeZooKeeperConversation());
}

TEST(ZooKeeperWire, FourLetterWordsAndOtherBytesPassWithoutNames) {
  struct Case {
    std::string_view what;
    Conversation conversation;
    FrameLines expected;
  };
  const Case cases[] = {
      {"a four-letter word",
       {{Direction::kRequest, "ruok"}, {Direction::kReply, "imok"}},
       {">  4", "<  4"}},
      {"a length below that of a header",
       ConnectedThen({{Direction::kRequest, Int32(7) + "1234567" + Create(1, "/a")}}),
       {"> CONNECT 49", "< CONNECT 41", ">  46"}},
      {"replies after a length that is too large",
       ConnectedThen({{Direction::kRequest, Create(1, "/a")},
                      {Direction::kReply, Int32(1 << 30) + std::string(16, '\0') + ReplyTo(1)}}),
       {"> CONNECT 49", "< CONNECT 41", "> CREATE 35", "<  40"}},
  };
  for (const Case& c : cases) {
    for (const size_t chunk_bytes : {SIZE_MAX, size_t{1}}) {
      ZooKeeperWire wire;
      EXPECT_EQ(FramesIn(wire, c.conversation, chunk_bytes), c.expected) << c.what;
    }
  }
}

TEST_F(FrameQueueTest, ARequestOfZooKeeperIsNeverSentTwice) {
  ZooKeeperWire wire;
  FrameQueue requests(Direction::kRequest, rules_, wire);
  const auto rule = Set({.action = LinkRule::Action::kDuplicate});
  requests.Add(ConnectRequest() + Create(1, "/a"), At(0ms));
  EXPECT_EQ(Take(requests, At(0ms)), ConnectRequest() + Create(1, "/a"));
  EXPECT_EQ(rule->report().frames, 0);
}

TEST_F(FrameQueueTest, ARuleMayNameTheOperationAndThePath) {
  ZooKeeperWire wire;
  FrameQueue requests(Direction::kRequest, rules_, wire);
  FrameQueue replies(Direction::kReply, rules_, wire);
  Set({.action = LinkRule::Action::kDrop, .command = "CREATE", .key = "/a"});
  Set({.direction = Direction::kReply, .action = LinkRule::Action::kDrop, .key = "/b"});
  const std::string others =
      ConnectRequest() + Create(2, "/b") + RequestOf(3, 3, Jute("/a") + "\1");
  for (const char c : ConnectRequest() + Create(1, "/a") + others.substr(49)) {
    requests.Add({&c, 1}, At(0ms));
  }
  EXPECT_EQ(Take(requests, At(0ms)), others);
  replies.Add(ConnectReply() + ReplyTo(2, Jute("/b")) + ReplyTo(3), At(0ms));
  EXPECT_EQ(Take(replies, At(0ms)), ConnectReply() + ReplyTo(3));
}

}  // namespace
}  // namespace doublehold
