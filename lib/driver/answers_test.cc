#include "lib/driver/answers.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lib/base/words.h"

namespace doublehold {
namespace {

constexpr MonoTime kAnswersAsked{Duration(1'000'000)};
constexpr MonoTime kAnswersNow{Duration(2'000'000)};
const std::string kAnswersHello =
    R"({"id":1,"ok":{"protocol":1,"name":"mine","version":"1.2","can":["lost","lease"]}})";

// Returns the state after one request of each operation, with ids 1 to 6 and hello first. `hello`
// is the reply to hello. If `hello` is empty, all six requests are pending.
DriverAnswers Asked(const std::string& hello = kAnswersHello) {
  DriverAnswers answers;
  answers.Ask(DriverOp::kHello, kAnswersAsked);
  if (!hello.empty()) {
    EXPECT_TRUE(std::holds_alternative<DriverReply>(answers.Take(hello, kAnswersNow)));
  }
  for (const DriverOp op : {DriverOp::kSetup, DriverOp::kAcquire, DriverOp::kExtend,
                            DriverOp::kRelease, DriverOp::kBye}) {
    answers.Ask(op, kAnswersAsked);
  }
  return answers;
}

std::string WhyBrokenAnswers(const std::string& line, DriverAnswers answers = Asked()) {
  const auto taken = answers.Take(line, kAnswersNow);
  const auto* broken = std::get_if<BrokenLine>(&taken);
  return broken == nullptr ? "taken" : broken->why;
}

DriverAnswer Good(const std::string& line) {
  DriverAnswers answers = Asked();
  const auto taken = answers.Take(line, kAnswersNow);
  const auto* reply = std::get_if<DriverReply>(&taken);
  if (reply == nullptr) {
    ADD_FAILURE() << line << ": " << WhyBrokenAnswers(line);
    return {};
  }
  EXPECT_EQ(WhyBrokenAnswers(line, answers),
            "request " + std::to_string(reply->id) + " was already answered");
  return reply->answer;
}

TEST(DriverAnswers, HelloHasTheLibrarysNameVersionAndAbilities) {
  DriverAnswers answers;
  answers.Ask(DriverOp::kHello, kAnswersAsked);
  const auto taken = answers.Take(kAnswersHello, kAnswersNow);
  const DriverHello& hello = std::get<DriverReply>(taken).answer.hello;
  EXPECT_EQ(hello, (DriverHello{.name = "mine", .version = "1.2", .can = {"lease", "lost"}}));
  EXPECT_TRUE(hello.Can("lease"));
  EXPECT_FALSE(hello.Can("extend"));
}

TEST(DriverAnswers, AReplyIsOkNoOrAnError) {
  const DriverAnswer granted =
      Good(R"({"id":3,"ok":{"grant":"3f9c","validity_ms":400,"from_ns":1500000}})");
  EXPECT_EQ(granted.grant, "3f9c");
  EXPECT_EQ(granted.validity, Duration(400ms));
  EXPECT_EQ(granted.from, MonoTime(Duration(1'500'000)));
  EXPECT_EQ(Good(R"({"id":3,"ok":{"grant":"a"}})").validity, std::nullopt);
  EXPECT_EQ(Good(R"({"id":3,"no":{}})").kind, DriverAnswer::Kind::kNo);
  EXPECT_EQ(Good(R"({"id":3,"no":{}})").taken, 0ms);
  EXPECT_EQ(Good(R"({"id":3,"no":{"taken_ms":40}})").taken, 40ms);
  EXPECT_EQ(WhyBrokenAnswers(R"({"id":3,"no":{"taken_ms":0}})"),
            "answer to acquire: field 'no.taken_ms' is 0, outside 1 to 31622400000");
  const DriverAnswer error = Good(R"({"id":5,"error":{"text":"reset","definite":true}})");
  EXPECT_EQ(error.kind, DriverAnswer::Kind::kError);
  EXPECT_TRUE(error.definite);
  EXPECT_EQ(error.text, "reset");
  EXPECT_FALSE(Good(R"({"id":2,"error":{"text":"perhaps"}})").definite);
  EXPECT_EQ(Good(R"( {"ok":{},"id":6} )").kind, DriverAnswer::Kind::kOk);
}

TEST(DriverAnswers, EachGrantHasATokenIfTheLibraryHasTokens) {
  const std::string can =
      R"({"id":1,"ok":{"protocol":1,"name":"a","version":"1","can":["token"]}})";
  DriverAnswers answers = Asked(can);
  const auto taken = answers.Take(R"({"id":3,"ok":{"grant":"a","token":34}})", kAnswersNow);
  EXPECT_EQ(std::get<DriverReply>(taken).answer.token, 34);
  EXPECT_EQ(
      WhyBrokenAnswers(R"({"id":3,"ok":{"grant":"a"}})", Asked(can)),
      "answer to acquire: field 'ok' has no 'token', although its hello lists 'token' in 'can'");
  EXPECT_EQ(WhyBrokenAnswers(R"({"id":3,"ok":{"grant":"a","token":0}})", Asked(can)),
            "answer to acquire: field 'ok.token' is 0, outside 1 to 2305843009213693952");
  EXPECT_EQ(WhyBrokenAnswers(R"({"id":3,"ok":{"grant":"a","token":34}})"),
            "answer to acquire: field 'ok.token' is unknown (one of: grant, validity_ms, from_ns)");
}

TEST(DriverAnswers, ALibraryWithNotificationsReportsALostLockUnasked) {
  DriverAnswers answers = Asked();
  const auto taken = answers.Take(R"({"lost":{"grant":"3f9c"}})", kAnswersNow);
  EXPECT_EQ(std::get<LostNotification>(taken).grant, "3f9c");
  EXPECT_FALSE(std::get<LostNotification>(taken).is_news) << "it was never granted";
  EXPECT_EQ(WhyBrokenAnswers(R"({"lost":{}})"), "field 'lost.grant' is missing");
  const std::string cannot = R"({"id":1,"ok":{"protocol":1,"name":"a","version":"1","can":[]}})";
  EXPECT_EQ(WhyBrokenAnswers(R"({"lost":{"grant":"3f9c"}})", Asked(cannot)),
            "its hello does not list 'lost' in 'can'");
}

// A driver may report a loss repeatedly. Only the first report counts, and only for a held lock.
TEST(DriverAnswers, OnlyAHeldLockIsLostAndOnlyOnce) {
  DriverAnswers answers = Asked();
  const auto is_news = [&](const std::string& grant) {
    return std::get<LostNotification>(
               answers.Take(R"({"lost":{"grant":")" + grant + R"("}})", kAnswersNow))
        .is_news;
  };
  const auto take = [&](const std::string& line) {
    return answers.Take(line, kAnswersNow).index() == 0;
  };
  ASSERT_TRUE(take(R"({"id":3,"ok":{"grant":"a"}})"));
  EXPECT_FALSE(is_news("b"));
  EXPECT_EQ(answers.LostAt("a"), std::nullopt);
  EXPECT_TRUE(is_news("a"));
  EXPECT_FALSE(is_news("a"));
  EXPECT_EQ(answers.LostAt("a"), kAnswersNow);
  const std::string id = std::to_string(answers.Ask(DriverOp::kAcquire, kAnswersNow));
  ASSERT_TRUE(take("{\"id\":" + id + R"(,"ok":{"grant":"c"}})"));
  answers.Ask(DriverOp::kRelease, kAnswersNow, "c");
  EXPECT_FALSE(is_news("c")) << "it was given back";
}

TEST(DriverAnswers, ABrokenLineIsReportedWithItsReason) {
  const struct {
    const char* line;
    const char* why;
  } cases[] = {
      {"", "not valid JSON"},
      {"hello", "not valid JSON"},
      {"{\"id\":3", "not valid JSON"},
      {"{\"id\":3,\"no\":{}} {}", "not valid JSON"},
      {"{\"id\":5,\"error\":{\"text\":\"\xff\"}}", "not valid JSON"},
      {"[]", "not a JSON object"},
      {R"({"no":{}})", "field 'id' is missing"},
      {R"({"id":"3","no":{}})", "field 'id' is not a whole number"},
      {R"({"id":3.0,"no":{}})", "field 'id' is not a whole number"},
      {R"({"id":-3,"no":{}})", "field 'id' is -3, outside 0 to 9223372036854775807"},
      {R"({"id":18446744073709551615,"no":{}})",
       "field 'id' is 18446744073709551615, outside 0 to 9223372036854775807"},
      {R"({"id":7,"no":{}})", "no request has id 7"},
      {R"({"id":0,"no":{}})", "no request has id 0"},
      {R"({"id":1,"no":{}})", "request 1 was already answered"},
      {R"({"id":3})", "an answer must have exactly one of 'ok', 'no' and 'error'"},
      {R"({"id":3,"ok":{"grant":"a"},"no":{}})",
       "an answer must have exactly one of 'ok', 'no' and 'error'"},
      {R"({"id":3,"no":true})", "answer to acquire: field 'no' is not an object"},
      {R"({"id":3,"no":{"why":"taken"}})",
       "answer to acquire: field 'no.why' is unknown (one of: taken_ms)"},
      {R"({"id":3,"no":{},"op":"acquire"})",
       "answer to acquire: field 'op' is unknown (did you mean 'ok'?)"},
      {R"({"id":2,"no":{}})",
       "answer to setup: field 'no' is only for acquire, extend and release"},
      {R"({"id":3,"ok":true})", "answer to acquire: field 'ok' is not an object"},
      {R"({"id":3,"ok":{}})", "answer to acquire: field 'ok.grant' is missing"},
      {R"({"id":3,"ok":{"grant":7}})", "answer to acquire: field 'ok.grant' is not a string"},
      {R"({"id":3,"ok":{"grant":""}})", "answer to acquire: field 'ok.grant' is empty"},
      {R"({"id":3,"ok":{"grant":"a","validity":5}})",
       "answer to acquire: field 'ok.validity' is unknown (did you mean 'validity_ms'?)"},
      {R"({"id":3,"ok":{"grant":"a","validity_ms":-1}})",
       "answer to acquire: field 'ok.validity_ms' is -1, outside 0 to 31622400000"},
      {R"({"id":4,"ok":{"validity_ms":1e300}})",
       "answer to extend: field 'ok.validity_ms' is not a whole number"},
      {R"({"id":4,"ok":{"from_ns":999999}})",
       "answer to extend: field 'ok.from_ns' lies before the request or after the answer: it must "
       "be the CLOCK_MONOTONIC time at which the library asked for the lock"},
      {R"({"id":4,"ok":{"from_ns":2000001}})",
       "answer to extend: field 'ok.from_ns' lies before the request or after the answer: it must "
       "be the CLOCK_MONOTONIC time at which the library asked for the lock"},
      {R"({"id":5,"ok":{"grant":"a"}})", "answer to release: field 'ok.grant' is unknown"},
      {R"({"id":5,"error":{}})", "answer to release: field 'error.text' is missing"},
      {R"({"id":5,"error":{"text":"x","definite":"yes"}})",
       "answer to release: field 'error.definite' is not true or false"},
  };
  for (const auto& each : cases) EXPECT_EQ(WhyBrokenAnswers(each.line), each.why) << each.line;
}

std::string LongName(size_t bytes) {
  return R"({"protocol":1,"version":"1","can":[],"name":")" + std::string(bytes, 'a') + "\"}";
}

TEST(DriverAnswers, ABrokenHelloIsReportedWithItsReason) {
  const struct {
    std::string ok;
    const char* why;
  } cases[] = {
      {R"({"name":"a","version":"1","can":[]})", "answer to hello: field 'ok.protocol' is missing"},
      {R"({"protocol":2,"name":"a","version":"1","can":[]})",
       "answer to hello: field 'ok.protocol' is not 1"},
      {R"({"protocol":1,"version":"1","can":[]})", "answer to hello: field 'ok.name' is missing"},
      {R"({"protocol":1,"name":"a","version":3,"can":[]})",
       "answer to hello: field 'ok.version' is not a string"},
      {LongName(201), "answer to hello: field 'ok.name' is longer than 200 bytes"},
      {R"({"protocol":1,"name":"a","version":"1"})", "answer to hello: field 'ok.can' is missing"},
      {R"({"protocol":1,"name":"a","version":"1","can":"lease"})",
       "answer to hello: field 'ok.can' is not a list"},
      {R"({"protocol":1,"name":"a","version":"1","can":[1]})",
       "answer to hello: field 'ok.can[0]' is not a string"},
      {R"({"protocol":1,"name":"a","version":"1","can":["leese"]})",
       "answer to hello: field 'ok.can[0]' is 'leese', which is unknown (did you mean 'lease'?)"},
      {R"({"protocol":1,"name":"a","version":"1","can":["lease","lease"]})",
       "answer to hello: field 'ok.can' has a capability twice"},
  };
  for (const auto& each : cases) {
    EXPECT_EQ(WhyBrokenAnswers(std::string(R"({"id":1,"ok":)") + each.ok + "}", Asked("")),
              each.why)
        << each.ok;
  }
}

// The deepest nesting that fits into a line. Neither the parser nor the destructor may recurse that
// deeply.
TEST(DriverAnswers, ADeeplyNestedLineIsBroken) {
  const size_t depth = (kLongestDriverLine - 20) / 2;
  const std::string deep =
      R"({"id":3,"ok":)" + std::string(depth, '[') + std::string(depth, ']') + "}";
  ASSERT_LE(deep.size(), kLongestDriverLine);
  EXPECT_EQ(WhyBrokenAnswers(deep), "answer to acquire: field 'ok' is not an object");
  EXPECT_EQ(WhyBrokenAnswers(std::string(kLongestDriverLine, '[')), "not valid JSON");
}

TEST(DriverAnswers, ABrokenLineLeavesItsRequestPending) {
  DriverAnswers answers = Asked();
  EXPECT_TRUE(std::holds_alternative<BrokenLine>(answers.Take(R"({"id":3,"ok":{}})", kAnswersNow)));
  EXPECT_TRUE(
      std::holds_alternative<DriverReply>(answers.Take(R"({"id":3,"no":{}})", kAnswersNow)));
}

TEST(DriverAnswers, ARequestIsOneLine) {
  const std::string line = RequestLine(7, DriverOp::kRelease, {{"grant", "a\nb"}});
  EXPECT_EQ(line, "{\"grant\":\"a\\nb\",\"id\":7,\"op\":\"release\"}\n");
}

TEST(DriverLines, AreSplitHoweverTheBytesArrive) {
  DriverLines lines;
  std::vector<std::string> seen;
  const auto take = [&](std::string_view line) {
    seen.emplace_back(line);
    return true;
  };
  for (const char* bytes : {"on", "e\n\ntw", "o", "\n", "rest"})
    EXPECT_TRUE(lines.Feed(bytes, take));
  EXPECT_EQ(seen, (std::vector<std::string>{"one", "", "two"}));
  EXPECT_EQ(lines.rest(), "rest");
}

TEST(DriverLines, AnEndlessLineIsNotKept) {
  const auto take = [](std::string_view) { return true; };
  const std::string longest(kLongestDriverLine, 'x');
  EXPECT_TRUE(DriverLines().Feed(longest + "\n", take));
  EXPECT_FALSE(DriverLines().Feed(longest + "x\n", take));
  DriverLines lines;
  EXPECT_TRUE(lines.Feed(longest, take));
  EXPECT_FALSE(lines.Feed("x", take));
  EXPECT_EQ(lines.rest().size(), kLongestDriverLine);
  EXPECT_EQ(Shortened(lines.rest()), std::string(160, 'x') + "... (65536 bytes)");
}

}  // namespace
}  // namespace doublehold
