// Drivers as processes: small shell scripts, some of which misbehave.
#include "lib/driver/channel.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace doublehold {
namespace {

namespace fs = std::filesystem;

constexpr Duration kChannelPatience = 60s;  // far longer than any successful operation takes
constexpr const char* kChannelHello =
    R"(read hello; echo "$hello" >&2; echo '{"id":1,"ok":{"protocol":1,"name":"sh","version":"1","can":["lost"]}}';)";

MonoTime After(Duration span) {
  return MonoTime(std::chrono::steady_clock::now().time_since_epoch()) + span;
}

class Channel : public ::testing::Test {
 protected:
  Channel()
      : log_(fs::temp_directory_path() / fmt::format("doublehold-channel-{}.log", getpid())) {}
  ~Channel() override { fs::remove(log_); }

  std::unique_ptr<DriverChannel> Started(const std::string& command, DriverHooks hooks = {}) {
    auto started = DriverChannel::Start({.command = command, .log = log_, .own_group = true},
                                        std::move(hooks));
    EXPECT_TRUE(started.has_value()) << started.error().message;
    return std::move(*started);
  }
  static std::optional<DriverAnswer> Hello(DriverChannel& driver) {
    return driver.Ask(DriverOp::kHello, {{"protocol", 1}}, After(kChannelPatience));
  }
  // Returns why the channel has ended, once it has.
  static DriverEnd EndOf(DriverChannel& driver) {
    EXPECT_FALSE(
        driver.Ask(DriverOp::kHello, {{"protocol", 1}}, After(kChannelPatience)).has_value());
    const auto end = driver.end();
    EXPECT_TRUE(end.has_value()) << "it is not over";
    return end.value_or(DriverEnd{});
  }
  [[nodiscard]] std::string Log() const {
    std::stringstream text;
    text << std::ifstream(log_).rdbuf();
    return text.str();
  }

 private:
  fs::path log_;
};

TEST_F(Channel, RequestsGoToStandardInputAndRepliesComeFromStandardOutput) {
  const auto driver =
      Started(std::string(kChannelHello) + R"(read line; echo '{"id":2,"no":{}}'; read line)");
  const auto hello = Hello(*driver);
  ASSERT_TRUE(hello.has_value());
  EXPECT_EQ(hello->hello.name, "sh");
  EXPECT_EQ(Log(), "{\"id\":1,\"op\":\"hello\",\"protocol\":1}\n");
  const auto answer =
      driver->Ask(DriverOp::kRelease, {{"session", 0}, {"grant", "a"}}, After(kChannelPatience));
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->kind, DriverAnswer::Kind::kNo);
  EXPECT_TRUE(driver->Close(kChannelPatience));
  EXPECT_FALSE(driver->end().has_value());
}

TEST_F(Channel, RepliesMayComeInAnyOrder) {
  const auto driver = Started(
      std::string(kChannelHello) +
      R"(read a; read b; echo '{"id":3,"no":{}}'; echo '{"id":2,"ok":{"grant":"g"}}'; read d)");
  ASSERT_TRUE(Hello(*driver).has_value());
  const uint64_t first = driver->Send(DriverOp::kAcquire, nlohmann::json::object());
  EXPECT_FALSE(driver->Await(first, After(50ms)).has_value());
  const uint64_t second = driver->Send(DriverOp::kRelease, nlohmann::json::object());
  const auto granted = driver->Await(first, After(kChannelPatience));
  ASSERT_TRUE(granted.has_value());
  EXPECT_EQ(granted->grant, "g");
  EXPECT_TRUE(driver->Await(second, After(kChannelPatience)).has_value());
  EXPECT_FALSE(driver->Await(second, After(0ms)).has_value()) << "an answer was given out twice";
}

TEST_F(Channel, ADriverThatDoesNotReadBlocksNoCaller) {
  const auto driver = Started("sleep 1000");
  const std::string much(100'000, 'x');
  for (int i = 0; i < 10; ++i)
    EXPECT_FALSE(driver->Ask(DriverOp::kAcquire, {{"key", much}}, After(1ms)).has_value());
  EXPECT_FALSE(driver->Close(1ms));
}

TEST_F(Channel, AnExitOrABrokenLineIsReportedOnce) {
  const struct {
    const char* command;
    const char* why;
    std::optional<int> exit_status;
  } cases[] = {
      {"sh -c 'exit 3'", "ended by itself", 3},
      {"printf half; exit 3", "ended by itself in the middle of a line: half", 3},
      {"no-such-program-anywhere", "ended by itself", 127},
      {"STATUS=5 sh -c 'exit $STATUS'", "ended by itself", 5},
      {"exec sh -c 'exit 8'", "ended by itself", 8},
      {" STATUS=9 sh -c 'exit $STATUS'", "ended by itself", 9},
      {"exit 10", "ended by itself", 10},
      {"cd / && sh -c 'exit 6'", "ended by itself", 6},
      {"exec perl -e 'close STDOUT; sleep 1000'", "closed its standard output", std::nullopt},
      {"exec >&-; sleep 1000", "closed its standard output", std::nullopt},
      {"echo hello; sleep 1000", "broke the protocol: not valid JSON: hello", std::nullopt},
      {"yes '{\"id\":5,\"no\":{}}'",
       "broke the protocol: no request has id 5: {\"id\":5,\"no\":{}}", std::nullopt},
      {"head -c 100000000 /dev/zero | tr '\\0' x",
       "wrote a line of more than 65536 bytes: xxxxxxxx", std::nullopt},
  };
  for (const auto& each : cases) {
    SCOPED_TRACE(each.command);
    std::atomic<int> told = 0;
    auto driver = Started(each.command, {.over = [&](const DriverEnd&) { ++told; }, .lost = {}});
    const DriverEnd end = EndOf(*driver);
    EXPECT_EQ(end.why.substr(0, std::string(each.why).size()), each.why);
    EXPECT_LT(end.why.size(), 300u);
    EXPECT_EQ(end.status.has_value(), each.exit_status.has_value());
    if (end.status && each.exit_status) {
      EXPECT_EQ(WEXITSTATUS(*end.status), *each.exit_status);
    }
    EXPECT_FALSE(driver->Close(1ms));
    driver.reset();  // waits for the thread that calls the hooks
    EXPECT_EQ(told, 1);
  }
}

// The runtime of a driver may close the output long before it exits.
TEST_F(Channel, ADriverThatExitsSlowlyAfterByeIsNotReported) {
  std::atomic<int> told = 0;
  auto driver = Started(std::string(kChannelHello) + "read bye; exec >&-; sleep 1000",
                        {.over = [&](const DriverEnd&) { ++told; }, .lost = {}});
  ASSERT_TRUE(Hello(*driver).has_value());
  EXPECT_FALSE(driver->Close(1s)) << "it ended";
  driver.reset();
  EXPECT_EQ(told, 0);
}

TEST_F(Channel, ALogThatGrowsTooLargeEndsItsDriver) {
  const auto driver = Started("exec head -c 300000000 /dev/zero >&2");
  const DriverEnd end = EndOf(*driver);
  ASSERT_TRUE(end.status.has_value());
  EXPECT_TRUE(WIFSIGNALED(*end.status) && WTERMSIG(*end.status) == SIGXFSZ) << *end.status;
}

TEST_F(Channel, StartsEvenIfTheProgramHasClosedItsStandardDescriptors) {
  std::array<int, 3> kept{};
  for (int fd = 0; fd < 3; ++fd) kept[static_cast<size_t>(fd)] = dup(fd);
  std::optional<DriverAnswer> hello;
  std::unique_ptr<DriverChannel> driver;
  for (int fd = 0; fd < 3; ++fd) close(fd);
  driver = Started(
      R"(read hello && echo '{"id":1,"ok":{"protocol":1,"name":"a","version":"1","can":[]}}' && read bye)");
  hello = Hello(*driver);
  const bool ended = driver->Close(kChannelPatience);
  driver.reset();
  for (int fd = 0; fd < 3; ++fd) {
    dup2(kept[static_cast<size_t>(fd)], fd);
    close(kept[static_cast<size_t>(fd)]);
  }
  EXPECT_TRUE(hello.has_value() && ended);
}

TEST_F(Channel, ALostLockIsReportedOnce) {
  std::vector<std::string> lost;
  {
    const auto driver =
        Started(std::string(kChannelHello) +
                    R"(lost='{"lost":{"grant":"g"}}'; read a; echo '{"id":2,"ok":{"grant":"g"}}';)"
                    R"(read b; echo "$lost"; echo "$lost"; echo '{"id":3,"no":{}}'; read c)",
                {.over = {}, .lost = [&](const std::string& grant) { lost.push_back(grant); }});
    ASSERT_TRUE(Hello(*driver).has_value());
    for (const DriverOp op : {DriverOp::kAcquire, DriverOp::kAcquire})
      EXPECT_TRUE(driver->Ask(op, nlohmann::json::object(), After(kChannelPatience)).has_value());
  }
  EXPECT_EQ(lost, std::vector<std::string>{"g"});
}

// A shell with a child; neither exits at the end of its input.
TEST_F(Channel, NoProcessOfADriverOutlivesItsChannel) {
  std::vector<pid_t> processes(2);
  {
    const auto driver =
        Started(std::string("sleep 1000 & echo $$ $! >&2;") + kChannelHello + "sleep 1000; true");
    ASSERT_TRUE(Hello(*driver).has_value());
    std::istringstream(Log()) >> processes[0] >> processes[1];
    for (const pid_t process : processes) ASSERT_EQ(kill(process, 0), 0);
  }
  EXPECT_EQ(kill(processes[0], 0), -1);
  // The child belongs to init now, which reaps it at some time.
  const MonoTime give_up = After(kChannelPatience);
  const auto is_over = [&] {
    std::stringstream stat;
    stat << std::ifstream(fmt::format("/proc/{}/stat", processes[1])).rdbuf();
    return stat.str().empty() || stat.str().find(") Z ") != std::string::npos;
  };
  while (!is_over() && After(0ms) < give_up) usleep(1000);
  EXPECT_TRUE(is_over());
}

}  // namespace
}  // namespace doublehold
