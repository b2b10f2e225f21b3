#include "faults/proxy/http/http_wire.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "faults/proxy/queue_fixture.h"
#include "faults/proxy/wire/conversation.h"

namespace doublehold {
namespace {

using HttpFrames = std::vector<std::string>;

std::string Post(const std::string& path, const std::string& body = "{}") {
  return "POST " + path + " HTTP/1.1\r\nHost: a\r\ncontent-length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}
std::string Ok(const std::string& body = "{}") {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}
const std::string kChunkedHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n";
const std::string kTwoChunks = "2\r\n{}\r\nA;x=y\r\n0123456789\r\n";
const std::string kHttp2Settings("\0\0\6\4\0\0\0\0\0\0\5\0\0\100\0", 15);
const std::string kLastChunk = "0\r\nTrailer: a\r\n\r\n";

struct HttpCase {
  std::string_view what;
  Conversation conversation;
  HttpFrames frames;
};

std::vector<HttpCase> MakeHttpCases() {
  const auto ask = Direction::kRequest;
  const auto answer = Direction::kReply;
  return {
      {"requests at once, replies with a length or in chunks",
       {{ask, Post("/v3/kv/txn") + Post("/v3/kv/put?x=/y", "")},
        {answer, Ok() + kChunkedHead + kTwoChunks + kLastChunk}},
       {"> /V3/KV/TXN 58", "> /V3/KV/PUT 61", "< /V3/KV/TXN 40", "< /V3/KV/PUT 90"}},
      {"replies without a body",
       {{ask, "HEAD /a HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\n\r\nGET /c HTTP/1.1\r\n\r\n"},
        {answer, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nHTTP/1.1 304 Same\r\n\r\n" + Ok()}},
       {"> /A 20", "> /B 19", "> /C 19", "< /A 38", "< /B 21", "< /C 40"}},
      {"a watch, whose chunks are frames",
       {{ask, Post("/v3/watch")},
        {answer, kChunkedHead + kTwoChunks + kLastChunk},
        {ask, Post("/v3/kv/put")},
        {answer, Ok()}},
       {"> /V3/WATCH 57", "< /V3/WATCH 47", "< /V3/WATCH 7", "< /V3/WATCH 19", "< /V3/WATCH 17",
        "> /V3/KV/PUT 58", "< /V3/KV/PUT 40"}},
      {"a chunked request, whose body the server asks for",
       {{ask, "POST /k HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n"},
        {answer, "HTTP/1.1 100 Continue\r\n\r\n"},
        {ask, kTwoChunks + kLastChunk},
        {answer, kChunkedHead + kLastChunk}},
       {"< CONTINUE 25", "> /K 91", "< /K 47", "< /K 17"}},
      {"after an upgrade, nothing has a name",
       {{ask, "GET /w HTTP/1.1\r\n\r\n"},
        {answer, "HTTP/1.1 101 Switching\r\n\r\nframes"},
        {ask, "frames"}},
       {"> /W 19", "< CONTINUE 26", "<  6", ">  6"}},
      {"a body that ends with its connection",
       {{ask, "GET /w HTTP/1.0\r\n\r\n"}, {answer, "HTTP/1.0 200 OK\r\n\r\nall of it"}},
       {"> /W 19"}},
      {"HTTP/2, whose server may begin",
       {{answer, kHttp2Settings}, {ask, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"}},
       {"<  15", ">  24"}},
      {"TLS, whose first message has no line end", {{ask, "\x16\x03\x01"}}, {">  3"}},
      {"a length that is no number",
       {{ask, "GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n"}, {answer, "oops\r\n"}},
       {">  37", "<  6"}},
  };
}

TEST(HttpWire, NamesRequestsByTheirPathAndRepliesInTheirOrder) {
  for (const HttpCase& c : MakeHttpCases()) {
    for (const size_t chunk_bytes : {SIZE_MAX, size_t{1}, size_t{7}}) {
      HttpWire wire;
      EXPECT_EQ(FramesIn(wire, c.conversation, chunk_bytes), c.frames) << c.what;
    }
  }
}

TEST(HttpWire, FindsTheSameFramesHoweverTheBytesAreCut) {
  for (const HttpCase& c : MakeHttpCases()) {
    SCOPED_TRACE(c.what);
    ExpectCutsDoNotMatter([] { return std::make_unique<HttpWire>(); }, c.conversation);
  }
}

TEST_F(FrameQueueTest, ARequestOfHttpSentTwiceIsAnsweredOnceAndAWatchIsSentOnce) {
  HttpWire wire;
  FrameQueue requests(Direction::kRequest, rules_, wire);
  FrameQueue replies(Direction::kReply, rules_, wire);
  Set({.action = LinkRule::Action::kDuplicate});
  requests.Add(Post("/v3/kv/put") + Post("/v3/watch"), At(0ms));
  EXPECT_EQ(Take(requests, At(0ms)), Post("/v3/kv/put") + Post("/v3/kv/put") + Post("/v3/watch"));
  replies.Add(Ok("first") + Ok("second") + kChunkedHead + kTwoChunks, At(0ms));
  EXPECT_EQ(Take(replies, At(0ms)), Ok("first") + kChunkedHead + kTwoChunks);
}

// Both directions of a connection that speaks HTTP/2.
class Http2Queues : public FrameQueueTest {
 protected:
  HttpWire http_;
  FrameQueue asked_{Direction::kRequest, rules_, http_};
  FrameQueue answers_{Direction::kReply, rules_, http_};
};

TEST_F(Http2Queues, NoRuleKeepsTheBeginOfAConnectionWhoseProtocolIsUnknown) {
  Set({.direction = Direction::kReply, .action = LinkRule::Action::kReset, .command = "/K"});
  answers_.Add(kHttp2Settings, At(0ms));
  EXPECT_EQ(Take(answers_, At(0ms)), kHttp2Settings);
  Set({.action = LinkRule::Action::kReset, .command = "/K"});
  asked_.Add("\x16\x03\x01", At(0ms));
  EXPECT_EQ(Take(asked_, At(0ms)), "\x16\x03\x01");
}

TEST_F(Http2Queues, ADroppedChunkResetsTheConnection) {
  Set({.direction = Direction::kReply, .action = LinkRule::Action::kDrop, .limit = 1});
  answers_.Add(kHttp2Settings, At(0ms));
  EXPECT_EQ(Take(answers_, At(0ms)), "");
  EXPECT_TRUE(answers_.ResetDue(At(0ms)));
  answers_.Discard();
  EXPECT_EQ(limits_reached(), 1);
}

TEST_F(Http2Queues, ACutLosesAllBytesAndItsEndResetsTheConnection) {
  const auto cut = Set({.direction = Direction::kReply, .action = LinkRule::Action::kDrop});
  for (const std::string& chunk : {kHttp2Settings, std::string("more")}) {
    answers_.Add(chunk, At(1ms));
    EXPECT_EQ(Take(answers_, At(1ms)), "");
    EXPECT_FALSE(answers_.ResetDue(At(1ms))) << "the connection stays open until the cut ends";
  }
  cut->Clear();
  rules_.Remove(*cut);
  answers_.Release(*cut, At(2ms));
  EXPECT_TRUE(answers_.ResetDue(At(2ms)));
}

TEST_F(Http2Queues, ACutThatLostNothingLeavesTheConnectionOpen) {
  const auto cut = Set({.direction = Direction::kReply, .action = LinkRule::Action::kDrop});
  cut->Clear();
  rules_.Remove(*cut);
  answers_.Release(*cut, At(2ms));
  EXPECT_FALSE(answers_.ResetDue(At(2ms)));
  EXPECT_TRUE(answers_.idle());
}

TEST_F(FrameQueueTest, ARuleDropsSingleMessagesOfAWatch) {
  HttpWire wire;
  FrameQueue requests(Direction::kRequest, rules_, wire);
  FrameQueue replies(Direction::kReply, rules_, wire);
  requests.Pass(Post("/v3/watch"));
  replies.Pass(kChunkedHead);
  Set({.direction = Direction::kReply,
       .action = LinkRule::Action::kDrop,
       .command = "/V3/WATCH",
       .limit = 1});
  replies.Add(kTwoChunks, At(0ms));
  EXPECT_EQ(Take(replies, At(0ms)), kTwoChunks.substr(7));
}

}  // namespace
}  // namespace doublehold
