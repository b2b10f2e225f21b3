// Checks that the two sides of the protocol agree on requests and replies.
#include "lib/driver/requests.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace doublehold {
namespace {

using nlohmann::json;
using RequestsKind = DriverAnswer::Kind;

constexpr MonoTime kRequestsAsked{std::chrono::hours(1)};
constexpr MonoTime kRequestsNow = kRequestsAsked + 100ms;

// Returns the serving side's parse of a request from the asking side.
DriverRequest Taken(DriverOp op, const json& members) {
  std::string line = RequestLine(7, op, members);
  EXPECT_EQ(line.back(), '\n');
  line.pop_back();
  const auto parsed = ParseRequest(line);
  const auto* request = std::get_if<DriverRequest>(&parsed);
  if (request == nullptr) {
    ADD_FAILURE() << line << ": " << std::get<BrokenLine>(parsed).why;
    return {};
  }
  EXPECT_EQ(request->id, 7u);
  EXPECT_EQ(request->op, op);
  return *request;
}

std::string WhyBrokenRequests(const std::string& line) {
  const auto parsed = ParseRequest(line);
  const auto* broken = std::get_if<BrokenLine>(&parsed);
  return broken == nullptr ? "nothing is wrong" : broken->why;
}

TEST(DriverRequests, EachRequestIsParsedAsItWasSent) {
  const DriverRequest hello =
      Taken(DriverOp::kHello, {{"protocol", 1}, {"options", {{"resend", "true"}}}});
  EXPECT_EQ(hello.protocol, 1);
  EXPECT_EQ(hello.options, (std::map<std::string, std::string>{{"resend", "true"}}));

  const json node{{"host", "127.0.0.1"}, {"port", 6379}};
  const DriverRequest setup = Taken(DriverOp::kSetup, {{"client", 3},
                                                       {"sessions", 2},
                                                       {"nodes", json::array({node, node})},
                                                       {"lease_ms", 500},
                                                       {"seed", 42}});
  EXPECT_EQ(setup.client, 3);
  EXPECT_EQ(setup.sessions, 2);
  EXPECT_EQ(setup.nodes, std::vector<DriverNode>(2, {.host = "127.0.0.1", .port = 6379}));
  EXPECT_EQ(setup.lease, 500ms);
  EXPECT_EQ(setup.seed, 42u);

  const DriverRequest acquire =
      Taken(DriverOp::kAcquire, {{"session", 1}, {"key", "k"}, {"lease_ms", 300}, {"wait_ms", 0}});
  EXPECT_EQ(acquire.session, 1);
  EXPECT_EQ(acquire.key, "k");
  EXPECT_EQ(acquire.lease, 300ms);
  EXPECT_EQ(acquire.wait, 0ms);
  EXPECT_FALSE(acquire.reads);
  EXPECT_TRUE(
      Taken(DriverOp::kAcquire,
            {{"session", 1}, {"key", "k"}, {"lease_ms", 300}, {"wait_ms", 0}, {"mode", "read"}})
          .reads);

  const DriverRequest extend =
      Taken(DriverOp::kExtend, {{"session", 1}, {"grant", "g"}, {"lease_ms", 300}});
  EXPECT_EQ(extend.grant, "g");
  EXPECT_EQ(extend.lease, 300ms);
  EXPECT_EQ(Taken(DriverOp::kRelease, {{"session", 0}, {"grant", "g"}}).grant, "g");
  (void)Taken(DriverOp::kBye, json::object());
}

TEST(DriverRequests, AnyOtherLineIsBroken) {
  const struct {
    const char* line;
    const char* why;
  } cases[] = {
      {"nonsense", "not valid JSON"},
      {"[]", "not a JSON object"},
      {R"({"op":"bye"})", "field 'id' is missing"},
      {R"({"id":1})", "field 'op' is missing"},
      {R"({"id":1,"op":"steal"})",
       "field 'op' is 'steal', which is unknown (one of: acquire, bye, extend, hello, release, "
       "setup)"},
      {R"({"id":1,"op":"bye","now":true})", "field 'now' is unknown (did you mean 'op'?)"},
      {R"({"id":1,"op":"hello","protocol":1,"options":[]})", "field 'options' is not an object"},
      {R"({"id":1,"op":"hello","protocol":1,"options":{"a":1}})",
       "field 'options.a' is not a string"},
      {R"({"id":1,"op":"release","session":-1,"grant":"g"})",
       "field 'session' is -1, outside 0 to 255"},
      {R"({"id":1,"op":"release","session":0,"grant":""})", "field 'grant' is empty"},
      {R"({"id":1,"op":"acquire","session":0,"key":"k","lease_ms":0,"wait_ms":0})",
       "field 'lease_ms' is 0, outside 1 to 31622400000"},
      {R"({"id":1,"op":"acquire","session":0,"key":"k","lease_ms":9,"wait_ms":0,"mode":"w"})",
       "field 'mode' is 'w', which is unknown (one of: read)"},
      {R"({"id":1,"op":"acquire","session":0,"key":"k","lease_ms":9})",
       "field 'wait_ms' is missing"},
      {R"({"id":1,"op":"setup","client":1,"sessions":1,"nodes":{},"lease_ms":9,"seed":1})",
       "field 'nodes' is not a list"},
      {R"({"id":1,"op":"setup","client":1,"sessions":1,"nodes":[{"host":"h","port":0}]})",
       "field 'nodes[0].port' is 0, outside 1 to 65535"},
      {R"({"id":1,"op":"setup","client":1,"sessions":0,"nodes":[]})",
       "field 'sessions' is 0, outside 1 to 255"},
  };
  for (const auto& each : cases) EXPECT_EQ(WhyBrokenRequests(each.line), each.why) << each.line;
}

// Returns the asking side's parse of a reply from the serving side, for a library with tokens.
DriverAnswer Read(DriverOp op, const DriverAnswer& answer) {
  DriverAnswers asking;
  const DriverAnswer hello{.hello = {.name = "a", .version = "1", .can = {"token"}}};
  const uint64_t first = asking.Ask(DriverOp::kHello, kRequestsAsked);
  (void)asking.Take(AnswerLine(first, DriverOp::kHello, hello), kRequestsNow);
  const uint64_t id = asking.Ask(op, kRequestsAsked);
  const std::string line = AnswerLine(id, op, answer);
  const auto read = asking.Take(line, kRequestsNow);
  if (const auto* reply = std::get_if<DriverReply>(&read)) return reply->answer;
  ADD_FAILURE() << line << ": " << std::get<BrokenLine>(read).why;
  return {};
}

TEST(DriverRequests, EachReplyIsParsedAsItWasSent) {
  const DriverHello hello{.name = "set-nx-px", .version = "1.2", .can = {"extend", "lease"}};
  EXPECT_EQ(Read(DriverOp::kHello, {.hello = hello}).hello, hello);
  EXPECT_EQ(Read(DriverOp::kSetup, {}).kind, RequestsKind::kOk);
  EXPECT_EQ(Read(DriverOp::kBye, {}).kind, RequestsKind::kOk);

  const DriverAnswer granted =
      Read(DriverOp::kAcquire,
           {.grant = "g", .token = 34, .validity = 290ms, .from = kRequestsAsked + 3us});
  EXPECT_EQ(granted.kind, RequestsKind::kOk);
  EXPECT_EQ(granted.grant, "g");
  EXPECT_EQ(granted.token, 34);
  EXPECT_EQ(granted.validity, 290ms);
  EXPECT_EQ(granted.from, kRequestsAsked + 3us);
  const DriverAnswer extended = Read(DriverOp::kExtend, {});
  EXPECT_EQ(extended.kind, RequestsKind::kOk);
  EXPECT_FALSE(extended.validity || extended.from);

  EXPECT_EQ(Read(DriverOp::kRelease, {.kind = RequestsKind::kNo}).kind, RequestsKind::kNo);
  EXPECT_EQ(Read(DriverOp::kAcquire, {.kind = RequestsKind::kNo, .taken = 40ms}).taken, 40ms);
  EXPECT_EQ(Read(DriverOp::kAcquire, {.kind = RequestsKind::kNo, .taken = 40us}).taken, 0ms);
  for (const bool definite : {false, true}) {
    const DriverAnswer error = Read(
        DriverOp::kAcquire, {.kind = RequestsKind::kError, .definite = definite, .text = "reset"});
    EXPECT_EQ(error.kind, RequestsKind::kError);
    EXPECT_EQ(error.definite, definite);
    EXPECT_EQ(error.text, "reset");
  }
}

}  // namespace
}  // namespace doublehold
