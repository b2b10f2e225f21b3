#include "faults/proxy/postgres/postgres_wire.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "faults/proxy/queue_fixture.h"
#include "faults/proxy/wire/conversation.h"

namespace doublehold {
namespace {

using PostgresFrames = std::vector<std::string>;

std::string Message(char type, const std::string& body = "") {
  std::string bytes = type == 0 ? "" : std::string(1, type);
  const size_t length = body.size() + 4;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(length >> shift);
  return bytes + body;
}
std::string Query(const std::string& text) { return Message('Q', text + '\0'); }
std::string Answer(const std::string& messages = "") { return messages + Message('Z', "I"); }
std::string Prepared(const std::string& text) {
  return Message('P', "st" + std::string(1, '\0') + text + '\0');
}

const std::string kSslRequestMessage = FromHex("00000008 04d2162f");
const std::string kStartup = FromHex("00000017 00030000 'user' 00 'postgres' 00 00");
const std::string kReady = Answer(Message('R', FromHex("00000000")) + Message('S', "a"));
const std::string kDone = Answer(Message('C', "SELECT 1"));

Conversation StartedThen(const Conversation& rest) {
  Conversation all{{Direction::kRequest, kStartup}, {Direction::kReply, kReady}};
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

struct PostgresCase {
  std::string_view what;
  Conversation conversation;
  PostgresFrames frames;
};

std::vector<PostgresCase> MakePostgresCases() {
  const auto ask = Direction::kRequest;
  const auto answer = Direction::kReply;
  const std::string executed = Message('B') + Message('E') + Message('S');
  return {
      {"a login with a password after a refused TLS",
       {{ask, kSslRequestMessage},
        {answer, "N"},
        {ask, kStartup},
        {answer, Message('R', FromHex("00000005 01020304"))},
        {ask, Message('p', "md5")},
        {answer, kReady}},
       {"> SSLREQUEST 8", "< SSLREQUEST 1", "> CONNECT 23", "> PASSWORD 8", "< CONNECT 34"}},
      {"after a switch to TLS, nothing has a name",
       {{ask, kSslRequestMessage}, {answer, "S"}, {ask, kStartup}, {answer, kReady}},
       {"> SSLREQUEST 8", "< SSLREQUEST 1", ">  23", "<  21"}},
      {"simple queries, also several at once",
       StartedThen({{ask, Query(" ( select 1)") + Query("BEGIN") + Query("/* c */ x")},
                    {answer, kDone + Answer() + Answer()}}),
       {"> CONNECT 23", "< CONNECT 21", "> SELECT 18", "> BEGIN 11", ">  15", "< SELECT 19",
        "< BEGIN 6", "<  6"}},
      {"extended queries end with Sync",
       StartedThen({{ask, Prepared("update l") + Message('D') + executed + executed},
                    {answer, Answer(Message('1') + Message('2')) + Answer()},
                    {ask, Message('S') + Message('X')},
                    {answer, Answer()}}),
       {"> CONNECT 23", "< CONNECT 21", "> UPDATE 37", "> BIND 15", "< UPDATE 16", "< BIND 6",
        "> SYNC 5", "> TERMINATE 5", "< SYNC 6"}},
      {"notifications between answers",
       StartedThen({{answer, Message('A', "n")}, {ask, Query("LISTEN x")}, {answer, kDone}}),
       {"> CONNECT 23", "< CONNECT 21", "< NOTIFICATION 6", "> LISTEN 14", "< LISTEN 19"}},
      {"COPY by an extended query, whose first Sync has no answer",
       StartedThen({{ask, Prepared("COPY l FROM STDIN") + executed},
                    {answer, Message('G')},
                    {ask, Message('d', "row") + Message('c') + Message('S')},
                    {answer, kDone},
                    {ask, Query("SELECT 1")},
                    {answer, kDone}}),
       {"> CONNECT 23", "< CONNECT 21", "> COPY 41", "> COPYDATA 8", "> COPYDONE 5", "> SYNC 5",
        "< COPY 24", "> SELECT 14", "< SELECT 19"}},
      {"a stream of replication, each of whose messages is a frame",
       StartedThen({{ask, Query("START_REPLICATION 0/1")},
                    {answer, Message('W', "b") + Message('d', "log")},
                    {ask, Message('d', "at")},
                    {answer, Message('d', "more") + Message('c')}}),
       {"> CONNECT 23", "< CONNECT 21", "> START_REPLICATION 27", "< START_REPLICATION 6",
        "< REPLICATION 8", "> COPYDATA 7", "< REPLICATION 9"}},
      {"another protocol", {{ask, "GET / HTTP/1.1"}, {answer, "HTTP/1.1 200"}}, {">  14", "<  12"}},
      {"a cancel request", {{ask, FromHex("00000010 04d2162e") + "12345678"}}, {"> CANCEL 16"}},
      {"a message of an unknown type",
       StartedThen({{ask, Query("SELECT 1") + "!" + Query("SELECT 2")}, {answer, kDone + kDone}}),
       {"> CONNECT 23", "< CONNECT 21", "> SELECT 14", ">  15", "< SELECT 19", "<  19"}},
  };
}

TEST(PostgresWire, NamesRequestsByTheirFirstKeywordAndAnswersByTheirRequest) {
  for (const PostgresCase& c : MakePostgresCases()) {
    for (const size_t chunk_bytes : {SIZE_MAX, size_t{1}, size_t{7}}) {
      PostgresWire wire;
      EXPECT_EQ(FramesIn(wire, c.conversation, chunk_bytes), c.frames) << c.what;
    }
  }
}

TEST(PostgresWire, FindsTheSameFramesHoweverTheBytesAreCut) {
  for (const PostgresCase& c : MakePostgresCases()) {
    SCOPED_TRACE(c.what);
    ExpectCutsDoNotMatter([] { return std::make_unique<PostgresWire>(); }, c.conversation);
  }
}

TEST_F(FrameQueueTest, AStatementSentTwiceIsAnsweredOnce) {
  PostgresWire wire;
  FrameQueue requests(Direction::kRequest, rules_, wire);
  FrameQueue replies(Direction::kReply, rules_, wire);
  const auto rule = Set({.action = LinkRule::Action::kDuplicate});
  const std::string update = Query("UPDATE l");
  const std::string copy = Query("COPY l");  // data follows, so it is sent once
  requests.Add(kStartup + update + copy, At(0ms));
  EXPECT_EQ(Take(requests, At(0ms)), kStartup + update + update + copy);
  EXPECT_EQ(rule->report().frames, 1);
  replies.Add(kReady + kDone + Answer() + Answer(Message('G')), At(0ms));
  EXPECT_EQ(Take(replies, At(0ms)), kReady + kDone + Answer(Message('G')));
}

}  // namespace
}  // namespace doublehold
