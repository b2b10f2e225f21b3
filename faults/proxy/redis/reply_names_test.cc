#include "faults/proxy/redis/reply_names.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace doublehold {
namespace {

// Returns the names of the replies in a stream.
std::vector<std::string> Names(ReplyNames& names, std::string_view replies) {
  RespFramer framer(RespFramer::Side::kReplies);
  std::vector<std::string> taken;
  while (!replies.empty()) {
    const RespFramer::Piece piece = framer.Next(replies);
    replies.remove_prefix(piece.bytes);
    if (piece.ends) taken.emplace_back(names.Take(framer).name);
  }
  return taken;
}

std::string Pushed(const std::string& word, char type = '*') {
  return fmt::format("{}3\r\n${}\r\n{}\r\n$1\r\na\r\n:1\r\n", type, word.size(), word);
}

using Words = std::vector<std::string>;

TEST(ReplyNames, FollowTheOrderOfTheCommands) {
  ReplyNames names;
  names.Sent("SET", 3);
  names.Sent("GET", 2);
  EXPECT_EQ(Names(names, "+OK\r\n$-1\r\n:1\r\n"), (Words{"SET", "GET", ""}));
  names.Sent("EVALSHA", 4);
  EXPECT_EQ(Names(names, ":1\r\n"), Words{"EVALSHA"});
}

TEST(ReplyNames, StayInOrderWhenManyAreOutstanding) {
  ReplyNames names;
  for (int i = 0; i < 5000; ++i) names.Sent(fmt::format("C{}", i), 1);
  for (int i = 0; i < 5000; ++i) {
    ASSERT_EQ(Names(names, "+OK\r\n"), Words{fmt::format("C{}", i)});
    if (i % 3 == 0) names.Sent("LATE", 1);
  }
  EXPECT_EQ(names.outstanding(), 1667u);
}

TEST(ReplyNames, AreFullAtTheirLimit) {
  ReplyNames names;
  for (size_t i = 0; i < ReplyNames::kMaxOutstanding; ++i) {
    EXPECT_FALSE(names.full());
    names.Sent("GET", 2);
  }
  EXPECT_TRUE(names.full());
  Names(names, "+OK\r\n");
  EXPECT_FALSE(names.full());
}

TEST(ReplyNames, SubscribeHasOneReplyPerChannel) {
  ReplyNames names;
  names.Sent("SUBSCRIBE", 3);
  names.Sent("PING", 1);
  EXPECT_EQ(Names(names, Pushed("subscribe") + Pushed("message") + Pushed("subscribe") +
                             Pushed("message") + "*2\r\n$4\r\npong\r\n$0\r\n\r\n"),
            (Words{"SUBSCRIBE", "MESSAGE", "SUBSCRIBE", "MESSAGE", "PING"}));
}

TEST(ReplyNames, UnsubscribeFromAllHasOneReplyPerSubscription) {
  ReplyNames names;
  names.Sent("SUBSCRIBE", 3);
  names.Sent("UNSUBSCRIBE", 1);
  names.Sent("GET", 2);
  EXPECT_EQ(Names(names, Pushed("subscribe") + Pushed("subscribe") + Pushed("unsubscribe") +
                             Pushed("unsubscribe") + "$-1\r\n"),
            (Words{"SUBSCRIBE", "SUBSCRIBE", "UNSUBSCRIBE", "UNSUBSCRIBE", "GET"}));
}

TEST(ReplyNames, ARefusedSubscribeHasOneReply) {
  ReplyNames names;
  names.Sent("SUBSCRIBE", 4);
  names.Sent("GET", 2);
  EXPECT_EQ(Names(names, "-NOAUTH no\r\n-NOAUTH no\r\n"), (Words{"SUBSCRIBE", "GET"}));
}

TEST(ReplyNames, AListThatBeginsWithMessageIsAReplyWithoutASubscription) {
  ReplyNames names;
  names.Sent("LRANGE", 4);
  EXPECT_EQ(Names(names, Pushed("message")), Words{"LRANGE"});
}

TEST(ReplyNames, PushesBelongToNoCommand) {
  ReplyNames names;
  names.Sent("GET", 2);
  EXPECT_EQ(Names(names, Pushed("invalidate", '>') + Pushed("message", '>') +
                             Pushed("sunsubscribe", '>') + "$-1\r\n"),
            (Words{"MESSAGE", "MESSAGE", "SUNSUBSCRIBE", "GET"}));
}

FrameName TakeOne(ReplyNames& names, std::string_view reply) {
  RespFramer framer(RespFramer::Side::kReplies);
  framer.Next(reply);
  return names.Take(framer);
}

TEST(ReplyNames, HaveTheKeyOfTheCommandAndMarkSurplusReplies) {
  ReplyNames names;
  names.Sent("INCR", 2, KeyMark::Of("k"));
  names.Sent("INCR", 2, KeyMark::Of("k"), /*surplus=*/true);
  EXPECT_EQ(names.surplus(), 1u);
  const FrameName first = TakeOne(names, ":1\r\n");
  EXPECT_TRUE(first.name == "INCR" && first.key == KeyMark::Of("k") && !first.surplus);
  EXPECT_EQ(names.surplus(), 1u);
  EXPECT_TRUE(TakeOne(names, ":2\r\n").surplus);
  EXPECT_EQ(names.surplus(), 0u);
}

TEST(ReplyNames, EndWhenRepliesCannotBeMatchedAnyMore) {
  for (const std::string command : {"CLIENT", "MONITOR", "PSYNC"}) {
    ReplyNames names;
    names.Sent("GET", 2);
    names.Sent(command, 3, command == "CLIENT" ? KeyMark::Of("REPLY") : KeyMark());
    EXPECT_FALSE(names.Repeatable("INCR"));
    for (int i = 0; i < 10; ++i) names.Sent("SET", 3);
    EXPECT_EQ(names.outstanding(), command == "CLIENT" ? 1u : 2u);
    EXPECT_EQ(TakeOne(names, "$-1\r\n").name, "GET");
    EXPECT_EQ(TakeOne(names, "+OK\r\n").name, command == "CLIENT" ? "" : command);
    EXPECT_EQ(TakeOne(names, "+OK\r\n").name, "");
  }
  ReplyNames named;
  named.Sent("CLIENT", 3, KeyMark::Of("SETNAME"));
  named.Sent("SET", 3);
  EXPECT_EQ(named.outstanding(), 2u);
}

TEST(ReplyNames, KnowWhichCommandsCanBeDuplicated) {
  ReplyNames names;
  for (const char* command : {"SET", "INCR", "EVALSHA", "EXEC", "GET"}) {
    EXPECT_TRUE(names.Repeatable(command)) << command;
  }
  for (const char* command : {"SUBSCRIBE", "UNSUBSCRIBE", "CLIENT", "MONITOR", "MULTI", ""}) {
    EXPECT_FALSE(names.Repeatable(command)) << command;
  }
  names.Sent("MULTI", 1);
  EXPECT_FALSE(names.Repeatable("INCR"));
  EXPECT_TRUE(names.Repeatable("EXEC"));
  names.Sent("EXEC", 1);
  EXPECT_TRUE(names.Repeatable("INCR"));
}

}  // namespace
}  // namespace doublehold
