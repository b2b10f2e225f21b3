// Tests commands that an event loop sends to a real server.
#include <gtest/gtest.h>

#include <optional>

#include "compose/cluster/redis/redis_question.h"
#include "lib/testing/servers.h"

namespace doublehold {
namespace {

using testing::Server;
using testing::TempFolder;

class OperatorCall : public ::testing::Test {
 protected:
  CallResult Call(const std::vector<std::string>& command, Duration timeout = testing::kPatience) {
    std::optional<CallResult> result;
    CallAsOperator(io_, {.unix_path = socket_.string()}, command, timeout,
                   [&](CallResult answer) { result = std::move(answer); });
    EXPECT_FALSE(result) << "answered from inside the call";
    io_.restart();
    io_.run();
    return result.value();
  }

  TempFolder folder_;
  std::filesystem::path socket_ = folder_.path() / "s.sock";
  boost::asio::io_context io_;
};

TEST_F(OperatorCall, ReturnsTheReply) {
  const Server server(socket_);
  EXPECT_EQ(Call({"PING"})->text, "PONG");
  const std::string large(300'000, 'x');  // more than a socket accepts at once
  EXPECT_EQ(Call({"SET", "k", large})->text, "OK");
  EXPECT_EQ(Call({"GET", "k"})->text, large);
  const CallResult wrong = Call({"INCR", "k"});
  ASSERT_FALSE(wrong);
  EXPECT_TRUE(wrong.error().definite);
}

TEST_F(OperatorCall, FailsIfNobodyListens) {
  const CallResult nobody = Call({"PING"});
  ASSERT_FALSE(nobody);
  EXPECT_TRUE(nobody.error().definite);
}

TEST_F(OperatorCall, ATimeoutAtAStoppedServerIsIndefinite) {
  Server server(socket_);
  server.Stop();
  const CallResult late = Call({"SET", "k", "v"}, 20ms);
  ASSERT_FALSE(late);
  EXPECT_FALSE(late.error().definite);
  server.Continue();
}

}  // namespace
}  // namespace doublehold
