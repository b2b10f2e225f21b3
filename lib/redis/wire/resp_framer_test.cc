#include "lib/redis/wire/resp_framer.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "lib/testing/case_name.h"

namespace doublehold {

void PrintTo(RespFramer::Side side, std::ostream* out) {
  *out << (side == RespFramer::Side::kCommands ? "commands" : "replies");
}

namespace {

using Side = RespFramer::Side;

struct Frame {
  std::string bytes;
  std::string word;
  int64_t elements = 0;
  char type = 0;
  bool operator==(const Frame&) const = default;
};

void PrintTo(const Frame& frame, std::ostream* out) {
  *out << ::testing::PrintToString(frame.bytes) << " word " << frame.word << ", elements "
       << frame.elements << ", type " << static_cast<int>(frame.type);
}

// Returns the complete frames of a stream that arrives in these chunks. An unfinished frame comes
// last, with type 'r'.
std::vector<Frame> Split(Side side, const std::vector<std::string_view>& chunks) {
  RespFramer framer(side);
  std::vector<Frame> frames;
  std::string open;
  for (std::string_view chunk : chunks) {
    while (!chunk.empty()) {
      const RespFramer::Piece piece = framer.Next(chunk);
      EXPECT_GE(piece.bytes, 1u);
      EXPECT_LE(piece.bytes, chunk.size());
      open += chunk.substr(0, piece.bytes);
      chunk.remove_prefix(piece.bytes);
      if (!piece.ends) continue;
      EXPECT_TRUE(framer.named());
      frames.push_back({open, std::string(framer.word()), framer.elements(), framer.type()});
      open.clear();
    }
  }
  if (!open.empty()) frames.push_back({open, "", 0, 'r'});
  return frames;
}

const std::vector<Frame>& Commands() {
  static const std::vector<Frame> frames{
      {"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n", "SET", 3, '*'},
      {"*1\r\n$4\r\nping\r\n", "PING", 1, '*'},
      {"PING\r\n", "PING", 1, 'P'},
      {"  set  key  value \r\n", "SET", 3, ' '},
      {"get k\n", "GET", 2, 'g'},
      {"\r\n", "", 0, '\r'},
      {"\n", "", 0, '\n'},
      {"*0\r\n", "", 0, '*'},
      {"*-1\r\n", "", 0, '*'},
      {"*2\r\n$4\r\nECHO\r\n$10\r\n*1\r\n$4\r\nPI\r\n", "ECHO", 2, '*'},
      {"*2\r\n$4\r\nECHO\r\n$0\r\n\r\n", "ECHO", 2, '*'},
      {"*4\r\n$7\r\nEvalSha\r\n$2\r\nab\r\n$1\r\n1\r\n$1\r\nk\r\n", "EVALSHA", 4, '*'},
      {"*1\r\n$33\r\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\n", "", 1, '*'},
      {"*1\r\n$0\r\n\r\n", "", 1, '*'},
      {"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA b\r\n", "", 2, 'A'},
  };
  return frames;
}

const std::vector<Frame>& Replies() {
  static const std::vector<Frame> frames{
      {"+OK\r\n", "", 0, '+'},
      {"-ERR no\r\n", "", 0, '-'},
      {":-42\r\n", "", 0, ':'},
      {"$-1\r\n", "", 0, '$'},
      {"$0\r\n\r\n", "", 0, '$'},
      {"$7\r\na\r\nb\r\nc\r\n", "", 0, '$'},
      {"*-1\r\n", "", 0, '*'},
      {"*0\r\n", "", 0, '*'},
      {"*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$2\r\nhi\r\n", "MESSAGE", 3, '*'},
      {"*2\r\n*2\r\n:1\r\n*1\r\n+x\r\n*0\r\n", "", 2, '*'},
      {"*2\r\n$-1\r\n$3\r\nabc\r\n", "", 2, '*'},
      {"*1\r\n$17\r\n12345678901234567\r\n", "", 1, '*'},
      {"%2\r\n$1\r\na\r\n:1\r\n$1\r\nb\r\n*1\r\n_\r\n", "A", 2, '%'},
      {"~1\r\n#t\r\n", "", 1, '~'},
      {">3\r\n$7\r\nmessage\r\n$1\r\na\r\n$1\r\nx\r\n", "MESSAGE", 3, '>'},
      {"|1\r\n+key\r\n,1.5\r\n*1\r\n(12345678901234567890\r\n", "", 1, '|'},
      {"=7\r\ntxt:abc\r\n", "", 0, '='},
      {"!5\r\nERR a\r\n", "", 0, '!'},
  };
  return frames;
}

std::string Joined(const std::vector<Frame>& frames) {
  std::string stream;
  for (const Frame& frame : frames) stream += frame.bytes;
  return stream;
}

class Splitting : public ::testing::TestWithParam<Side> {
 protected:
  const std::vector<Frame>& frames() {
    return GetParam() == Side::kCommands ? Commands() : Replies();
  }
};
INSTANTIATE_TEST_SUITE_P(RespFramer, Splitting, ::testing::Values(Side::kCommands, Side::kReplies),
                         testing::CaseName());

TEST_P(Splitting, FindsEveryFrameOfAStream) {
  EXPECT_EQ(Split(GetParam(), {Joined(frames())}), frames());
}

TEST_P(Splitting, FindsTheSameFramesForEveryCutIntoTwoChunks) {
  const std::string stream = Joined(frames());
  const std::string_view view = stream;
  for (size_t cut = 0; cut <= stream.size(); ++cut) {
    ASSERT_EQ(Split(GetParam(), {view.substr(0, cut), view.substr(cut)}), frames()) << cut;
  }
}

TEST_P(Splitting, FindsTheSameFramesByteByByte) {
  const std::string stream = Joined(frames());
  std::vector<std::string_view> bytes;
  for (const char& byte : stream) bytes.emplace_back(&byte, 1);
  EXPECT_EQ(Split(GetParam(), bytes), frames());
}

TEST_P(Splitting, KeepsAnUnfinishedFrameOpen) {
  for (const Frame& frame : frames()) {
    for (size_t cut = 1; cut < frame.bytes.size(); ++cut) {
      const std::vector<Frame> rest{{frame.bytes.substr(0, cut), "", 0, 'r'}};
      ASSERT_EQ(Split(GetParam(), {std::string_view(frame.bytes).substr(0, cut)}), rest);
    }
  }
}

// None of these streams is RESP. All bytes pass, and later chunks are frames without a name.
TEST(RespFramer, PassesBytesThatAreNotRespUnchanged) {
  const std::vector<std::pair<Side, std::string>> streams{
      {Side::kCommands, "*1\r\nPING\r\n"},
      {Side::kCommands, "*1\r\n$-1\r\n"},
      {Side::kCommands, "*x\r\n"},
      {Side::kCommands, "*\r\n"},
      {Side::kCommands, "*1\rx"},
      {Side::kCommands, "*-2\r\n"},
      {Side::kCommands, "*1\r\n$99999999999999999999\r\n"},
      {Side::kCommands, "*1\r\n$1099511627777\r\n"},
      {Side::kCommands, std::string(RespFramer::kMaxLineBytes + 1, 'a')},
      {Side::kReplies, "HTTP/1.1 200 OK\r\n"},
      {Side::kReplies, "$?\r\n"},
      {Side::kReplies, "*1\r\nHTTP"},
      {Side::kReplies, "+" + std::string(RespFramer::kMaxLineBytes + 1, 'a')},
  };
  for (const auto& [side, stream] : streams) {
    RespFramer framer(side);
    std::string_view rest = stream;
    while (!framer.lost() && !rest.empty()) rest.remove_prefix(framer.Next(rest).bytes);
    EXPECT_TRUE(framer.lost()) << stream.substr(0, 40);
    EXPECT_TRUE(rest.empty());
    const RespFramer::Piece after = framer.Next("*1\r\n$4\r\nPING\r\n");
    EXPECT_EQ(after.bytes, 14u);
    EXPECT_TRUE(after.ends && framer.named());
    EXPECT_EQ(framer.word(), "");
  }
}

TEST(RespFramer, AStreamIsLostBeyondTheDeepestNesting) {
  std::string deepest;
  for (size_t i = 0; i < RespFramer::kMaxDepth; ++i) deepest += "*1\r\n";
  EXPECT_EQ(Split(Side::kReplies, {deepest + ":1\r\n", "+OK\r\n"}).size(), 2u);
  RespFramer framer(Side::kReplies);
  const std::string deeper = deepest + "*1\r\n:1\r\n";
  framer.Next(deeper);
  EXPECT_TRUE(framer.lost());
}

TEST(RespFramer, NamesACommandBeforeItsArgumentsArrive) {
  RespFramer framer(Side::kCommands);
  framer.Next("*3\r\n$3\r\nSE");
  EXPECT_FALSE(framer.named());
  framer.Next("T");
  EXPECT_TRUE(framer.named());
  EXPECT_EQ(framer.word(), "SET");
  EXPECT_EQ(framer.elements(), 3);
}

struct Keyed {
  std::string bytes;
  std::optional<std::string> key;
};

TEST(RespFramer, KnowsTheFirstKeyOfACommandForEveryCut) {
  const Keyed cases[] = {
      {"*3\r\n$3\r\nSET\r\n$3\r\na:b\r\n$1\r\nv\r\n", "a:b"},
      {"*2\r\n$3\r\nget\r\n$0\r\n\r\n", ""},
      {"*4\r\n$4\r\nMGET\r\n$1\r\na\r\n$1\r\nb\r\n$1\r\nc\r\n", "a"},
      {"*5\r\n$4\r\nEVAL\r\n$8\r\nreturn 1\r\n$1\r\n1\r\n$3\r\nkey\r\n$1\r\nx\r\n", "key"},
      {"*5\r\n$7\r\nevalsha\r\n$2\r\nab\r\n$2\r\n10\r\n$3\r\nkey\r\n$1\r\nx\r\n", "key"},
      {"*4\r\n$4\r\nEVAL\r\n$8\r\nreturn 1\r\n$1\r\n0\r\n$3\r\narg\r\n", std::nullopt},
      {"*3\r\n$5\r\nFCALL\r\n$1\r\nf\r\n$1\r\n1\r\n", std::nullopt},
      {"*1\r\n$4\r\nPING\r\n", std::nullopt},
      {"*2\r\n$4\r\nPING\r\n$1\r\nk\r\n", std::nullopt},
      {"*3\r\n$7\r\nPUBLISH\r\n$1\r\nk\r\n$1\r\nm\r\n", std::nullopt},
      {"*3\r\n$6\r\nOBJECT\r\n$4\r\nFREQ\r\n$1\r\nk\r\n", "k"},
      {"*3\r\n$6\r\nclient\r\n$5\r\nreply\r\n$3\r\noff\r\n", "REPLY"},
      {"set key value\r\n", "key"},
      {"  evalsha ab 1 key x\n", "key"},
      {"evalsha ab 0 arg\n", std::nullopt},
      {"get\r\n", std::nullopt},
      {"\r\n", std::nullopt},
      {"*0\r\n", std::nullopt},
  };
  for (const Keyed& c : cases) {
    const KeyMark want = c.key ? KeyMark::Of(*c.key) : KeyMark();
    for (size_t cut = 1; cut <= c.bytes.size(); ++cut) {
      RespFramer framer(Side::kCommands);
      framer.Next("*2\r\n$3\r\nGET\r\n$5\r\nother\r\n");  // must not affect the next frame
      const std::string_view first = std::string_view(c.bytes).substr(0, cut);
      ASSERT_EQ(framer.Next(first).bytes, cut);
      if (cut < c.bytes.size()) {
        ASSERT_FALSE(framer.keyed() && !framer.named());
        ASSERT_TRUE(framer.Next(std::string_view(c.bytes).substr(cut)).ends) << c.bytes;
      }
      ASSERT_TRUE(framer.keyed());
      ASSERT_EQ(framer.key(), want) << c.bytes << " at " << cut;
    }
  }
}

TEST(RespFramer, KnowsAKeyBeforeTheValueArrives) {
  RespFramer framer(Side::kCommands);
  framer.Next("*3\r\n$3\r\nSET\r\n$1\r\n");
  EXPECT_TRUE(framer.named());
  EXPECT_FALSE(framer.keyed());
  framer.Next("k");
  EXPECT_TRUE(framer.keyed());
}

TEST(RespFramer, CountsDownAHugeBulkWithoutKeepingIt) {
  RespFramer framer(Side::kReplies);
  framer.Next("$1099511627776\r\n");
  const std::string chunk(1 << 20, 'x');
  for (int i = 0; i < 64; ++i) {
    const RespFramer::Piece piece = framer.Next(chunk);
    ASSERT_EQ(piece.bytes, chunk.size());
    ASSERT_FALSE(piece.ends);
  }
  EXPECT_FALSE(framer.lost());
}

}  // namespace
}  // namespace doublehold
