#include "faults/proxy/reply_names.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace doublehold {
namespace {

// The names of the replies in a stream.
std::vector<std::string> Names(ReplyNames& names, std::string_view replies) {
  RespFramer framer(RespFramer::Side::kReplies);
  std::vector<std::string> taken;
  while (!replies.empty()) {
    const RespFramer::Piece piece = framer.Next(replies);
    replies.remove_prefix(piece.bytes);
    if (piece.ends) taken.emplace_back(names.Take(framer));
  }
  return taken;
}

std::string Pushed(const std::string& word, char type = '*') {
  return fmt::format("{}3\r\n${}\r\n{}\r\n$1\r\na\r\n:1\r\n", type, word.size(), word);
}

using Words = std::vector<std::string>;

TEST(ReplyNames, AreThoseOfTheCommandsInOrder) {
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

TEST(ReplyNames, OneSubscribeIsAnsweredOncePerChannel) {
  ReplyNames names;
  names.Sent("SUBSCRIBE", 3);
  names.Sent("PING", 1);
  EXPECT_EQ(Names(names, Pushed("subscribe") + Pushed("message") + Pushed("subscribe") +
                             Pushed("message") + "*2\r\n$4\r\npong\r\n$0\r\n\r\n"),
            (Words{"SUBSCRIBE", "MESSAGE", "SUBSCRIBE", "MESSAGE", "PING"}));
}

TEST(ReplyNames, UnsubscribingFromEverythingIsAnsweredAsOftenAsItTakes) {
  ReplyNames names;
  names.Sent("SUBSCRIBE", 3);
  names.Sent("UNSUBSCRIBE", 1);
  names.Sent("GET", 2);
  EXPECT_EQ(Names(names, Pushed("subscribe") + Pushed("subscribe") + Pushed("unsubscribe") +
                             Pushed("unsubscribe") + "$-1\r\n"),
            (Words{"SUBSCRIBE", "SUBSCRIBE", "UNSUBSCRIBE", "UNSUBSCRIBE", "GET"}));
}

TEST(ReplyNames, ARefusedSubscribeIsAnsweredOnce) {
  ReplyNames names;
  names.Sent("SUBSCRIBE", 4);
  names.Sent("GET", 2);
  EXPECT_EQ(Names(names, "-NOAUTH no\r\n-NOAUTH no\r\n"), (Words{"SUBSCRIBE", "GET"}));
}

TEST(ReplyNames, AListThatBeginsWithMessageIsNoMessageWithoutASubscription) {
  ReplyNames names;
  names.Sent("LRANGE", 4);
  EXPECT_EQ(Names(names, Pushed("message")), Words{"LRANGE"});
}

TEST(ReplyNames, PushesAreNobodysReply) {
  ReplyNames names;
  names.Sent("GET", 2);
  EXPECT_EQ(Names(names, Pushed("invalidate", '>') + Pushed("message", '>') +
                             Pushed("sunsubscribe", '>') + "$-1\r\n"),
            (Words{"MESSAGE", "MESSAGE", "SUNSUBSCRIBE", "GET"}));
}

}  // namespace
}  // namespace doublehold
