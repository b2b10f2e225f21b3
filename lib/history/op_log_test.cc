#include "lib/history/op_log.h"

#include <gtest/gtest.h>

namespace doublehold {
namespace {

TEST(OpLog, ReadsJsonLinesAndLeavesOutWhoIsNoClient) {
  const Result<OpLog> log = ParseOpLog(
      "{\"process\":1,\"type\":\"invoke\",\"f\":\"acquire\",\"time\":5,\"key\":\"k\"}\n\n"
      "{\"process\":\"nemesis\",\"type\":\"info\",\"f\":\"kill\",\"time\":6}\n"
      "{\"process\":1,\"type\":\"ok\",\"f\":\"acquire\",\"time\":7,\"value\":3}\n",
      "h.jsonl", false);
  ASSERT_TRUE(log) << log.error().message;
  ASSERT_EQ(log->events.size(), 2U);
  EXPECT_FALSE(log->ours);
  EXPECT_EQ(log->events[0].line, 1);
  EXPECT_EQ(log->events[0].at, 5);
  EXPECT_EQ(log->events[0].key, "k");
  EXPECT_EQ(log->events[1].line, 4);
  EXPECT_EQ(log->events[1].type, EventType::kOk);
  EXPECT_EQ(log->events[1].value, 3);
}

TEST(OpLog, SessionsOfOneOfOurClientsAreProcessesOfTheirOwn) {
  const Result<OpLog> log =
      ParseOpLog(R"({"process":"supervisor","type":"info","f":"start","time":0,"value":{}})"
                 "\n"
                 R"({"process":2,"thread":1,"type":"invoke","f":"acquire","time":1})"
                 "\n"
                 R"({"process":2,"type":"invoke","f":"acquire","time":1})"
                 "\n"
                 R"({"process":2,"task":"watchdog","type":"invoke","f":"extend","time":1})",
                 "h.jsonl", false);
  ASSERT_TRUE(log) << log.error().message;
  EXPECT_TRUE(log->ours);
  ASSERT_EQ(log->events.size(), 2U);
  EXPECT_NE(log->events[0].process, log->events[1].process);
}

TEST(OpLog, RefusesWhatItCannotTrust) {
  struct {
    std::string_view text;
    std::string_view message;
  } const cases[] = {
      {"", "h: no operation of any client"},
      {"{\"process\":1", "h:1: not JSON"},
      {"[1]", "h:1: not a map"},
      {"{\"process\":1,\"f\":\"a\"}", "h:1: no 'type'"},
      {"{\"process\":1,\"type\":\"okay\",\"f\":\"a\"}",
       "h:1: its type is none of invoke, ok, fail, info"},
      {"{\"process\":1,\"type\":\"ok\",\"f\":7}", "h:1: its 'f' is not a word"},
      {"{\"process\":-1,\"type\":\"ok\",\"f\":\"a\"}", "h:1: no such process can be"},
      {"{\"process\":1,\"type\":\"invoke\",\"f\":\"a\",\"time\":9}\n"
       "{\"process\":1,\"type\":\"ok\",\"f\":\"a\",\"time\":8}",
       "h:2: its time 8 is before that of line 1"},
  };
  for (const auto& c : cases) {
    const Result<OpLog> log = ParseOpLog(c.text, "h", false);
    ASSERT_FALSE(log) << c.text;
    EXPECT_EQ(log.error().message, c.message);
  }
}

}  // namespace
}  // namespace doublehold
