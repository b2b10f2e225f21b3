#include "lib/sim/redis/redis_model.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lib/sim/testing/testing_model.h"

namespace doublehold::sim {
namespace {

class Model : public ::testing::Test {
 protected:
  std::string Ask(std::string_view command, int64_t now_ms = 0, int connection = 0) {
    return testing::Ask(model_, command, now_ms, connection);
  }

  ScriptEngine engine_;
  RedisModel model_{engine_};
};

struct Exchange {
  int64_t now_ms = 0;
  const char* command = nullptr;
  const char* reply = nullptr;
};

struct Case {
  const char* name = nullptr;
  std::vector<Exchange> exchanges;
};

class ModelCases : public Model, public ::testing::WithParamInterface<Case> {};

TEST_P(ModelCases, Answers) {
  for (const Exchange& each : GetParam().exchanges)
    EXPECT_EQ(Ask(each.command, each.now_ms), each.reply)
        << each.command << " at " << each.now_ms << " ms";
}

const Case kCases[] = {
    {"AKeyIsAliveAtItsLastInstantAndGoneAfterIt",
     {{10, "SET k v PX 5", "status OK"},
      {15, "GET k", "string v"},
      {15, "PTTL k", "integer 0"},
      {15, "SET k w NX", "nil"},
      {16, "GET k", "nil"},
      {16, "PTTL k", "integer -2"},
      {16, "SET k w NX", "status OK"}}},
    {"AnExpiryAtThisVeryInstantDeletes",
     {{10, "SET k v", "status OK"},
      {10, "PEXPIRE k 0", "integer 1"},
      {10, "GET k", "nil"},
      {10, "SET k v", "status OK"},
      {10, "PEXPIRE k -1", "integer 1"},
      {10, "GET k", "nil"},
      {10, "PEXPIRE k 5", "integer 0"}}},
    {"AKeyThatNobodyLookedAtComesBackWithTheClock",
     {{10, "SET k v PX 5", "status OK"},
      {15, "GET k", "string v"},
      {20, "DBSIZE", "integer 1"},
      {12, "PTTL k", "integer 3"},
      {20, "GET k", "nil"},
      {12, "GET k", "nil"}}},
    {"WhatIsSetAnewNeverExpiresAndWhatIsCountedDoes",
     {{0, "SET k v PX 5", "status OK"},
      {0, "SET k w", "status OK"},
      {0, "PTTL k", "integer -1"},
      {0, "PEXPIRE k 5", "integer 1"},
      {0, "GETSET k x", "string w"},
      {0, "PTTL k", "integer -1"},
      {0, "SET k 1 PX 5", "status OK"},
      {0, "INCR k", "integer 2"},
      {0, "PTTL k", "integer 5"}}},
    {"NoExpiryIsZeroOrLess",
     {{0, "SET k v PX 0", "error ERR invalid expire time in 'set' command"},
      {0, "SET k v PX -1", "error ERR invalid expire time in 'set' command"},
      {0, "SET k v PX x", "error ERR value is not an integer or out of range"},
      {0, "SET k v PX", "error ERR syntax error"},
      {0, "SET k v NX XX", "error ERR syntax error"},
      {0, "EXISTS k", "integer 0"}}},
    {"OptionsThatItLacksAreErrors",
     {{0, "SET k v EX 1", "error ERR syntax error"},
      {0, "SET k v", "status OK"},
      {0, "SET k w GET", "error ERR syntax error"},
      {0, "PEXPIRE k 5 NX", "error ERR Unsupported option NX"},
      {0, "RPUSH l a", "integer 1"},
      {0, "LPOS l a COUNT 1", "error ERR syntax error"},
      {0, "ZADD z NX 1 a", "error ERR syntax error"},
      {0, "ZADD z NX CH 1 a", "error ERR value is not a valid float"},
      {0, "ZRANGE z 0 -1 REV", "error ERR syntax error"},
      {0, "GET k", "string v"},
      {0, "PTTL k", "integer -1"},
      {0, "EXISTS z", "integer 0"}}},
    {"WhatIsNoStringOrNoHashSaysSo",
     {{0, "HSET h a 1", "integer 1"},
      {0, "GET h", "error WRONGTYPE Operation against a key holding the wrong kind of value"},
      {0, "MGET h", "[nil]"},
      {0, "RPUSH h a", "error WRONGTYPE Operation against a key holding the wrong kind of value"},
      {0, "HINCRBY h a 9223372036854775807", "error ERR increment or decrement would overflow"},
      {0, "HSET h b x", "integer 1"},
      {0, "HINCRBY h b 1", "error ERR hash value is not an integer"},
      {0, "TYPE h", "status hash"},
      {0, "SET h v", "status OK"},
      {0, "TYPE h", "status string"},
      {0, "INCR h", "error ERR value is not an integer or out of range"}}},
    {"WhatHasNothingInItIsNotThere",
     {{0, "HSET h a 1 b 2", "integer 2"},
      {0, "HDEL h a b c", "integer 2"},
      {0, "RPUSH l a b", "integer 2"},
      {0, "LPOP l", "string a"},
      {0, "LREM l 0 b", "integer 1"},
      {0, "ZADD z 1 a", "integer 1"},
      {0, "ZREM z a", "integer 1"},
      {0, "EXISTS h l z", "integer 0"},
      {0, "DBSIZE", "integer 0"}}},
    {"HashesAndListsKeepTheirOrderAndSortedSetsAreSorted",
     {{0, "HSET h b 1 a 2", "integer 2"},
      {0, "HSET h b 3", "integer 0"},
      {0, "HGETALL h", "[string b, string 3, string a, string 2]"},
      {0, "RPUSH l a b a", "integer 3"},
      {0, "LPOS l a RANK -1", "integer 2"},
      {0, "LREM l -1 a", "integer 1"},
      {0, "LRANGE l 0 -1", "[string a, string b]"},
      {0, "LINDEX l -1", "string b"},
      {0, "ZADD z 2 b 2 a 0.1 c", "integer 3"},
      {0, "ZINCRBY z 5 c", "string 5.0999999999999996"},
      {0, "ZRANGE z 0 -1", "[string a, string b, string c]"},
      {0, "ZSCORE z a", "string 2"}}},
    {"WhatItDoesNotKnowItSaysInRedissWords",
     {{0, "nosuch a b", "error ERR unknown command 'nosuch', with args beginning with: 'a' 'b' "},
      {0, "GET", "error ERR wrong number of arguments for 'get' command"},
      {0, "gEt k", "nil"},
      {0, "EXEC", "error ERR EXEC without MULTI"}}},
    {"NoReplicaHasAnything", {{0, "WAIT 1 100", "integer 0"}}},
};

INSTANTIATE_TEST_SUITE_P(All, ModelCases, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

struct WatchCase {
  const char* name = nullptr;
  const char* between = nullptr;  // a command of another connection between WATCH and EXEC
  int64_t exec_ms = 0;
  const char* reply = nullptr;
};

class Watched : public Model, public ::testing::WithParamInterface<WatchCase> {};

TEST_P(Watched, TransactionIsExecutedUnlessAWatchedKeyChanged) {
  ASSERT_EQ(Ask("SET k v PX 5"), "status OK");
  ASSERT_EQ(Ask("WATCH k other"), "status OK");
  EXPECT_EQ(Ask(GetParam().between, 0, 1).find("error"), std::string::npos);
  EXPECT_EQ(Ask("MULTI"), "status OK");
  EXPECT_EQ(Ask("SET n 1", GetParam().exec_ms), "status QUEUED");
  EXPECT_EQ(Ask("GET k", GetParam().exec_ms), "status QUEUED");
  EXPECT_EQ(Ask("EXEC", GetParam().exec_ms), GetParam().reply);
}

const WatchCase kWatchCases[] = {
    {"Read", "GET k", 5, "[status OK, string v]"},
    {"Expired", "GET k", 6, "nil"},
    {"SetToTheSame", "SET k v", 0, "nil"},
    {"MadeToLiveLonger", "PEXPIRE k 100", 0, "nil"},
    {"Created", "RPUSH other a", 0, "nil"},
    {"DeletedThoughNotThere", "DEL other", 0, "[status OK, string v]"},
};
INSTANTIATE_TEST_SUITE_P(All, Watched, ::testing::ValuesIn(kWatchCases),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_F(Model, UnwatchExecAndCloseConnectionEndAWatch) {
  const auto change_and_exec = [&] {
    EXPECT_EQ(Ask("SET k w", 0, 1), "status OK");
    EXPECT_EQ(Ask("MULTI"), "status OK");
    return Ask("EXEC");
  };
  EXPECT_EQ(Ask("WATCH k"), "status OK");
  EXPECT_EQ(change_and_exec(), "nil");
  EXPECT_EQ(change_and_exec(), "[]") << "after an EXEC";
  EXPECT_EQ(Ask("WATCH k"), "status OK");
  EXPECT_EQ(Ask("UNWATCH"), "status OK");
  EXPECT_EQ(change_and_exec(), "[]") << "after UNWATCH";
  EXPECT_EQ(Ask("WATCH k"), "status OK");
  EXPECT_EQ(Ask("MULTI"), "status OK");
  model_.CloseConnection(0);
  EXPECT_EQ(Ask("EXEC"), "error ERR EXEC without MULTI");
  EXPECT_EQ(change_and_exec(), "[]") << "after the connection";
}

TEST_F(Model, ACommandThatCannotBeQueuedAbortsTheTransaction) {
  EXPECT_EQ(Ask("MULTI"), "status OK");
  EXPECT_EQ(Ask("GET"), "error ERR wrong number of arguments for 'get' command");
  EXPECT_EQ(Ask("EXEC"), "error EXECABORT Transaction discarded because of previous errors.");
  EXPECT_EQ(Ask("MULTI"), "status OK");
  EXPECT_EQ(Ask("MULTI"), "error ERR MULTI calls can not be nested");
  EXPECT_EQ(Ask("WATCH k"), "error ERR WATCH inside MULTI is not allowed");
  EXPECT_EQ(Ask("HSET k a 1"), "status QUEUED");
  EXPECT_EQ(Ask("GET k"), "status QUEUED");
  EXPECT_EQ(Ask("DEL k", 0, 1), "integer 0") << "another connection is in no transaction";
  EXPECT_EQ(
      Ask("EXEC"),
      "[integer 1, status WRONGTYPE Operation against a key holding the wrong kind of value]");
}

TEST_F(Model, PublishedMessagesAreTakenOnceAndInOrder) {
  model_.SetSubscribers("c", 2);
  EXPECT_EQ(Ask("PUBLISH c a"), "integer 2");
  EXPECT_EQ(Ask("PUBLISH d b"), "integer 0");
  const std::vector<Published> published = model_.TakePublished();
  ASSERT_EQ(published.size(), 2u);
  EXPECT_EQ(published[0].channel + published[0].text + published[1].channel + published[1].text,
            "cadb");
  EXPECT_TRUE(model_.TakePublished().empty());
}

TEST_F(Model, ACopyIsASeparateServer) {
  EXPECT_EQ(Ask("SET k v"), "status OK");
  RedisModel copy = model_;
  EXPECT_EQ(testing::Ask(copy, "SET k w"), "status OK");
  EXPECT_EQ(Ask("GET k"), "string v");
}

TEST_F(Model, OnlyRestartWithDataKeepsTheData) {
  const Script script("return 1");
  model_.LoadScript(script);
  EXPECT_EQ(Ask("SET k v PX 5"), "status OK");
  EXPECT_EQ(Ask("WATCH k"), "status OK");
  EXPECT_EQ(Ask("MULTI", 0, 1), "status OK");
  model_.RestartWithData();
  EXPECT_EQ(Ask("PTTL k"), "integer 5");
  EXPECT_EQ(Ask("EXEC", 0, 1), "error ERR EXEC without MULTI");
  EXPECT_EQ(testing::Show(model_.Eval(0, script, {}, {}, 0)),
            "error NOSCRIPT No matching script. Please use EVAL.");
  model_.RestartEmpty();
  EXPECT_EQ(Ask("DBSIZE"), "integer 0");
}

}  // namespace
}  // namespace doublehold::sim
