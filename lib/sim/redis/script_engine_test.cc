#include "lib/sim/redis/script_engine.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "lib/sim/redis/redis_model.h"
#include "lib/sim/redis/replies.h"
#include "lib/sim/testing/testing_model.h"

namespace doublehold::sim {
namespace {

class Scripts : public ::testing::Test {
 protected:
  std::string Run(std::string_view text, std::string_view key = "k", std::string_view arg = "a",
                  int64_t now_ms = 0) {
    const Script script(text);
    if (const auto compiled = engine_.Compile(script); !compiled)
      return "error " + compiled.error().text;
    model_.LoadScript(script);
    const std::array<std::string_view, 1> keys{key};
    const std::array<std::string_view, 1> args{arg};
    std::string reply = testing::Show(model_.Eval(0, script, keys, args, now_ms));
    // Removes the location of the error and the script's digest from the reply.
    const size_t place = reply.find(" script: ");
    return place == std::string::npos ? reply : reply.substr(0, place) + reply.substr(place + 49);
  }

  ScriptEngine engine_;
  RedisModel model_{engine_};
};

struct ScriptCase {
  const char* text = nullptr;
  const char* reply = nullptr;
};

TEST_F(Scripts, ReturnValuesAreConvertedAsByRedis) {
  const ScriptCase cases[] = {
      {"return {KEYS[1], ARGV[1], #KEYS, #ARGV}", "[string k, string a, integer 1, integer 1]"},
      {"return 3.99", "integer 3"},
      {"return -3.99", "integer -3"},
      {"return '3.99'", "string 3.99"},
      {"return true", "integer 1"},
      {"return false", "nil"},
      {"return", "nil"},
      {"return {1, nil, 3}", "[integer 1]"},
      {"return {1, false, {2}}", "[integer 1, nil, [integer 2]]"},
      {"return {ok = 'fine'}", "status fine"},
      {"return {err = 'BAD luck'}", "error BAD luck"},
      {"return redis.error_reply('luck')", "error ERR luck"},
      {"return redis.status_reply('fine')", "status fine"},
      {"return redis.call('get', KEYS[1]) == false", "integer 1"},
      {"return redis.call('set', KEYS[1], 1700000000005)", "status OK"},
      {"return redis.call('get', KEYS[1])", "string 1700000000005"},
      {"return redis.call('set', KEYS[1], 0.1) and redis.call('get', KEYS[1])",
       "string 0.10000000000000001"},
      {"return redis.call('type', KEYS[1]).ok", "string string"},
  };
  for (const ScriptCase& each : cases) EXPECT_EQ(Run(each.text), each.reply) << each.text;
}

TEST_F(Scripts, ErrorTextsAreThoseOfRedis) {
  const ScriptCase cases[] = {
      {"return redis.call('incr', KEYS[1])",
       "error ERR value is not an integer or out of range, on @user_script:1."},
      {"\nreturn redis.call('hget', KEYS[1], 'a')",
       "error WRONGTYPE Operation against a key holding the wrong kind of value, on "
       "@user_script:2."},
      {"return redis.pcall('incr', KEYS[1])", "error ERR value is not an integer or out of range"},
      {"return redis.call('nosuch')",
       "error ERR Unknown Redis command called from script, on @user_script:1."},
      {"return redis.call('get')",
       "error ERR Wrong number of args calling Redis command from script, on @user_script:1."},
      {"return redis.call('multi')",
       "error ERR This Redis command is not allowed from script, on @user_script:1."},
      {"return nosuch",
       "error ERR user_script:1: Script attempted to access nonexistent global variable 'nosuch', "
       "on @user_script:1."},
      {"local a = nil return a.b",
       "error ERR user_script:1: attempt to index local 'a' (a nil value), on @user_script:1."},
      {"return (",
       "error ERR Error compiling script (new function): user_script:1: unexpected symbol near "
       "'<eof>'"},
      {"return {pcall(error, 'x')}", "[nil, string x]"},
      {"local ok, text = pcall(function() return nil + 1 end) return text",
       "string user_script:1: attempt to perform arithmetic on a nil value"},
      {"local ok, text = pcall(redis.call, 'incr', KEYS[1]) return text",
       "string ERR value is not an integer or out of range"},
  };
  EXPECT_EQ(Run("return redis.call('set', KEYS[1], 'x')"), "status OK");
  for (const ScriptCase& each : cases) EXPECT_EQ(Run(each.text), each.reply) << each.text;
}

TEST_F(Scripts, AScriptLeavesNoStateForTheNextScript) {
  for (const char* text : {"x = 1", "redis.x = 1", "redis = 1", "KEYS = 1", "math.floor = 1"})
    EXPECT_EQ(Run(text),
              "error ERR user_script:1: Attempt to modify a readonly table, on @user_script:1.")
        << text;
  EXPECT_EQ(Run("KEYS[2] = 'x' KEYS.z = 1 ARGV[1] = 'y' ARGV[-1] = 7 return 1"), "integer 1");
  EXPECT_EQ(Run("return {#KEYS, ARGV[1], KEYS.z == nil, ARGV[-1] == nil}"),
            "[integer 1, string a, integer 1, integer 1]");
  EXPECT_EQ(Run("setmetatable(KEYS, {__index = {9, 9, 9}}) return KEYS[2]"), "integer 9");
  EXPECT_EQ(Run("return KEYS[2]"), "nil");
  for (const char* name : {"rawset", "load", "loadstring", "os", "io", "print", "debug", "_G"})
    EXPECT_NE(Run(fmt::format("return {}", name)).find("nonexistent global"), std::string::npos)
        << name;
  EXPECT_EQ(Run("return math.random"), "nil");
  EXPECT_EQ(Run("return getmetatable('')"), "nil");
  EXPECT_EQ(Run("return getmetatable(redis)"), "nil");
}

TEST_F(Scripts, TheTimeIsFixedDuringAScript) {
  EXPECT_EQ(Run("redis.call('set', KEYS[1], 'v', 'px', 5) return redis.call('pttl', KEYS[1])", "k",
                "a", 100),
            "integer 5");
  EXPECT_EQ(Run("return redis.call('get', KEYS[1])", "k", "a", 105), "string v");
  EXPECT_EQ(Run("return redis.call('get', KEYS[1])", "k", "a", 106), "nil");
}

TEST_F(Scripts, AServerForgetsScriptsAndEvalLoadsThem) {
  const Script script("return 7");
  EXPECT_EQ(testing::Ask(model_, "EVALSHA " + script.sha1 + " 0"),
            "error NOSCRIPT No matching script. Please use EVAL.");
  EXPECT_EQ(testing::Ask(model_, "EVAL 'return 7' 0"), "integer 7");
  EXPECT_EQ(testing::Ask(model_, "EVALSHA " + script.sha1 + " 0"), "integer 7");
  RedisModel other(engine_);
  EXPECT_EQ(testing::Ask(other, "EVALSHA " + script.sha1 + " 0"),
            "error NOSCRIPT No matching script. Please use EVAL.")
      << "another server knows its own scripts";
  model_.ForgetScripts();
  EXPECT_EQ(testing::Ask(model_, "EVALSHA " + script.sha1 + " 0"),
            "error NOSCRIPT No matching script. Please use EVAL.");
}

TEST_F(Scripts, AScriptIsQueuedAfterMulti) {
  const Script script("return redis.call('incr', KEYS[1])");
  model_.LoadScript(script);
  const std::array<std::string_view, 1> keys{"n"};
  EXPECT_EQ(testing::Ask(model_, "MULTI"), "status OK");
  EXPECT_EQ(testing::Show(model_.Eval(0, script, keys, {}, 0)), "status QUEUED");
  EXPECT_EQ(testing::Ask(model_, "GET n", 0, 1), "nil");
  EXPECT_EQ(testing::Ask(model_, "EXEC"), "[integer 1]");
}

TEST_F(Scripts, ANativeScriptRunsInsteadOfTheText) {
  const Script script("return 1");
  engine_.UseNativeScript(
      script, [](const ServerCall& call, Argv keys, Argv args) -> std::optional<ServerReply> {
        return Integer(call.now_ms + static_cast<int64_t>(keys.size() + args.size()));
      });
  model_.LoadScript(script);
  EXPECT_EQ(Run("return 1", "k", "a", 40), "integer 42");
}

}  // namespace
}  // namespace doublehold::sim
