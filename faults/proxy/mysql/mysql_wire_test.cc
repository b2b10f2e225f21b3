#include "faults/proxy/mysql/mysql_wire.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "faults/proxy/queue_fixture.h"
#include "faults/proxy/wire/conversation.h"

namespace doublehold {
namespace {

using MySqlFrames = std::vector<std::string>;

std::string Packet(int number, const std::string& body) {
  std::string bytes;
  for (int shift = 0; shift < 24; shift += 8) bytes += static_cast<char>(body.size() >> shift);
  return bytes + static_cast<char>(number) + body;
}
std::string Command(const std::string& hex) { return Packet(0, FromHex(hex)); }
// Each packet of an answer in hexadecimal numbers.
std::string Packets(const std::vector<std::string>& bodies) {
  std::string bytes;
  int number = 0;
  for (const std::string& body : bodies) bytes += Packet(++number, FromHex(body));
  return bytes;
}

constexpr std::string_view kOkPacket = "00 00 00 0200 0000";
constexpr std::string_view kMoreResultsPacket = "00 00 00 0a00 0000";
constexpr std::string_view kErrPacket = "ff 1504 '#28000no'";
constexpr std::string_view kEofPacket = "fe 0000 0200";
constexpr std::string_view kEofAndMorePacket = "fe 0000 0a00";
constexpr std::string_view kOkAtEndPacket = "fe 00 00 0200 0000";
constexpr std::string_view kDefinition = "03 'def'";
constexpr std::string_view kMySqlRow = "01 '1'";

template <typename... Hex>
std::string AnswerOf(Hex... packets) {
  return Packets({std::string(packets)...});
}

const std::string kGreeting = Packet(0, FromHex("0a '10.11' 00"));

// Logs in with these capabilities, in hexadecimal numbers.
Conversation LoggedInThen(std::string_view capabilities, const Conversation& rest) {
  Conversation all{{Direction::kReply, kGreeting},
                   {Direction::kRequest, Packet(1, FromHex(capabilities) + std::string(40, 'u'))},
                   {Direction::kReply, Packet(2, FromHex(kOkPacket))}};
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}
MySqlFrames AfterLogin(const MySqlFrames& rest) {
  MySqlFrames all{"< GREETING 11", "> CONNECT 48", "< CONNECT 11"};
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

struct MySqlCase {
  std::string_view what;
  Conversation conversation;
  MySqlFrames frames;
};

constexpr std::string_view kPlain = "00000000";
constexpr std::string_view kByOk = "00000001";
constexpr std::string_view kAttributes = "00000008";

std::vector<MySqlCase> MakeLoginCases() {
  const auto ask = Direction::kRequest;
  const auto answer = Direction::kReply;
  const std::string login = Packet(1, FromHex(kPlain) + std::string(40, 'u'));
  return {
      {"a login with another way to send the password",
       {{answer, kGreeting},
        {ask, login},
        {answer, Packet(2, FromHex("fe 'native' 00"))},
        {ask, Packet(3, "secret")},
        {answer, Packet(4, FromHex(kOkPacket))}},
       {"< GREETING 11", "> CONNECT 48", "> DATA 10", "< CONNECT 23"}},
      {"a refused login",
       {{answer, kGreeting}, {ask, login}, {answer, Packet(2, FromHex(kErrPacket))}},
       {"< GREETING 11", "> CONNECT 48", "< CONNECT 15"}},
      {"after a switch to TLS, nothing has a name",
       {{answer, kGreeting},
        {ask, Packet(1, FromHex("00080000") + std::string(28, '\0'))},
        {ask, login},
        {answer, kGreeting}},
       {"< GREETING 11", "> SSLREQUEST 36", ">  48", "<  11"}},
      {"after a switch to compression, nothing has a name",
       LoggedInThen("20000000", {{ask, Command("0e")}, {answer, AnswerOf(kOkPacket)}}),
       AfterLogin({">  5", "<  11"})},
  };
}

std::vector<MySqlCase> MakeCommandCases() {
  const auto ask = Direction::kRequest;
  const auto answer = Direction::kReply;
  const std::string select = Command("03 'select 1'");
  return {
      {"a result, an error and a statement without rows",
       LoggedInThen(kPlain,
                    {{ask, select},
                     {answer, AnswerOf("01", kDefinition, kEofPacket, kMySqlRow, kEofPacket)},
                     {ask, Command("03 'update'")},
                     {answer, AnswerOf(kErrPacket)},
                     {ask, Command("03 'BEGIN'")},
                     {answer, AnswerOf(kOkPacket)}}),
       AfterLogin({"> SELECT 13", "< SELECT 37", "> UPDATE 11", "< UPDATE 15", "> BEGIN 10",
                   "< BEGIN 11"})},
      {"results that end with an OK packet",
       LoggedInThen(kByOk, {{ask, select},
                            {answer, AnswerOf("02", kDefinition, kDefinition, kMySqlRow, kMySqlRow,
                                              kOkAtEndPacket)},
                            {ask, Command("0e") + Command("01")},
                            {answer, AnswerOf(kOkPacket)}}),
       AfterLogin({"> SELECT 13", "< SELECT 44", "> PING 5", "> QUIT 5", "< PING 11"})},
      {"several results",
       LoggedInThen(kPlain, {{ask, Command("03 'call p'")},
                             {answer, AnswerOf("01", kDefinition, kEofPacket, kEofAndMorePacket,
                                               kMoreResultsPacket, kOkPacket)}}),
       AfterLogin({"> CALL 11", "< CALL 53"})},
      {"an error between rows, after a report of progress",
       LoggedInThen(kPlain, {{ask, select},
                             {answer, AnswerOf("ff ffff 01", "01", kDefinition, kEofPacket,
                                               kMySqlRow, kErrPacket)}}),
       AfterLogin({"> SELECT 13", "< SELECT 51"})},
      {"a prepared statement with one parameter and two columns",
       LoggedInThen(kPlain, {{ask, Command("16 'select ?, 2'")},
                             {answer, AnswerOf("00 01000000 0200 0100 00 0000", kDefinition,
                                               kEofPacket, kDefinition, kDefinition, kEofPacket)},
                             {ask, Command("17 01000000")},
                             {answer, AnswerOf("02", kDefinition, kDefinition, kEofPacket,
                                               "00 00 0131 0132", kEofPacket)},
                             {ask, Command("19 01000000")}}),
       AfterLogin({"> PREPARE 16", "< PREPARE 58", "> EXECUTE 9", "< EXECUTE 49", "> CLOSE 9"})},
      {"a cursor, whose rows are fetched",
       LoggedInThen(kPlain, {{ask, Command("17 01000000")},
                             {answer, AnswerOf("01", kDefinition, "fe 0000 4200")},
                             {ask, Command("1c 01000000")},
                             {answer, AnswerOf("00 00 0131", kEofPacket)}}),
       AfterLogin({"> EXECUTE 9", "< EXECUTE 22", "> FETCH 9", "< FETCH 17"})},
      {"a statement with attributes",
       LoggedInThen(kAttributes, {{ask, Command("03 00 01 'select'")},
                                  {answer, AnswerOf(kOkPacket)},
                                  {ask, Command("03 01 01 'select'")},
                                  {answer, AnswerOf(kOkPacket)}}),
       AfterLogin({"> SELECT 13", "< SELECT 11", ">  13", "<  11"})},
      {"after a request for a file, nothing has a name",
       LoggedInThen(kPlain, {{ask, Command("03 'load'")},
                             {answer, AnswerOf("fb 'file'")},
                             {ask, Packet(2, "row")},
                             {answer, AnswerOf(kOkPacket)}}),
       AfterLogin({"> LOAD 9", "< LOAD 9", ">  7", "<  11"})},
  };
}

TEST(MySqlWire, NamesCommandsAndFindsTheEndsOfAnswers) {
  for (const auto& cases : {MakeLoginCases(), MakeCommandCases()}) {
    for (const MySqlCase& c : cases) {
      for (const size_t chunk_bytes : {SIZE_MAX, size_t{1}, size_t{7}}) {
        MySqlWire wire;
        EXPECT_EQ(FramesIn(wire, c.conversation, chunk_bytes), c.frames) << c.what;
      }
    }
  }
}

TEST(MySqlWire, FindsTheSameFramesHoweverTheBytesAreCut) {
  for (const auto& cases : {MakeLoginCases(), MakeCommandCases()}) {
    for (const MySqlCase& c : cases) {
      SCOPED_TRACE(c.what);
      ExpectCutsDoNotMatter([] { return std::make_unique<MySqlWire>(); }, c.conversation);
    }
  }
}

TEST(MySqlWire, APacketOfTheGreatestLengthContinuesInTheNext) {
  const std::string row(0xFFFFFF, 'x');
  MySqlWire wire;
  EXPECT_EQ(
      FramesIn(wire,
               LoggedInThen(kPlain, {{Direction::kRequest, Packet(0, "\3select " + row.substr(8)) +
                                                               Packet(1, "end") + Command("0e")},
                                     {Direction::kReply,
                                      AnswerOf("01", kDefinition, kEofPacket) + Packet(4, row) +
                                          Packet(5, FromHex(kEofPacket)) +
                                          Packet(6, FromHex(kEofPacket)) + AnswerOf(kOkPacket)}}),
               SIZE_MAX),
      AfterLogin({"> SELECT 16777226", "> PING 5", "< SELECT 16777259", "< PING 11"}));
}

TEST_F(FrameQueueTest, ADuplicatedStatementOfMySqlIsAnsweredOnce) {
  MySqlWire wire;
  FrameQueue requests(Direction::kRequest, rules_, wire);
  FrameQueue replies(Direction::kReply, rules_, wire);
  const auto rule = Set({.action = LinkRule::Action::kDuplicate});
  const std::string login = Packet(1, std::string(40, '\0'));
  const std::string update = Command("03 'update'");
  requests.Add(login + update + Command("0e"), At(0ms));
  EXPECT_EQ(Take(requests, At(0ms)), login + update + update + Command("0e"));
  EXPECT_EQ(rule->report().frames, 1);
  const std::string before = kGreeting + Packet(2, FromHex(kOkPacket)) + AnswerOf(kOkPacket);
  replies.Add(before + AnswerOf(kErrPacket) + AnswerOf(kOkPacket), At(0ms));
  EXPECT_EQ(Take(replies, At(0ms)), before + AnswerOf(kOkPacket));
}

}  // namespace
}  // namespace doublehold
