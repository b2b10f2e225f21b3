// Tests `driver serve` without a server or a run. served_locks_slow_test.cc tests served locks in
// runs.
#include "compose/driver/serve.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compose/driver/driver.h"
#include "lib/base/paths.h"
#include "lib/os/run_tool.h"

namespace doublehold {
namespace {

const std::string kDriverServeServe = BinaryDir() + "/doublehold driver serve ";

TEST(DriverServe, ServesALockWithTheSettingsOfAnEqualRun) {
  const Result<Plan> usual = ServedPlan(*FindLock("redlock"), {}, 300ms, 5);
  ASSERT_TRUE(usual.has_value()) << usual.error().message;
  EXPECT_EQ(usual->nodes, 5);
  EXPECT_EQ(usual->call_timeout, 300ms);
  EXPECT_EQ(usual->retry.interval, 6ms);
  const Result<Plan> told = ServedPlan(
      *FindLock("redlock"),
      {{"call-timeout", "2 lease"}, {"retry.interval", "40ms"}, {"node-timeout", "0.5 lease"}},
      300ms, 3);
  ASSERT_TRUE(told.has_value()) << told.error().message;
  EXPECT_EQ(told->nodes, 3);
  EXPECT_EQ(told->call_timeout, 600ms);
  EXPECT_EQ(told->retry.interval, 40ms);
  EXPECT_EQ(told->lock_options.at("node-timeout"), "150000000");
  const Result<Plan> spins = ServedPlan(*FindLock("redisson-spin"), {}, 300ms, 1);
  ASSERT_TRUE(spins.has_value()) << spins.error().message;
  EXPECT_EQ(spins->retry.growth, 2) << "as its source";
  EXPECT_TRUE(ServedPlan(*FindLock("set-nx-px"), {{"wait-replicas", "2"}}, 300ms, 1))
      << "how many replicas there are is nothing that a driver is told";
}

TEST(DriverServe, UnsupportedOptionsAreRefusedAtHello) {
  const struct {
    const char* lock;
    DriverOptions options;
    const char* why;
  } cases[] = {
      {"set-nx-px",
       {{"fair", "yes"}},
       "option 'fair' is unknown (one of: wait-replicas, wait-timeout, call-timeout, "
       "retry.interval, "
       "retry.growth, retry.longest, retry.jitter, retry.retries)"},
      {"redlock", {{"restart-delay", "2 lease"}}, "option 'restart-delay' is unknown ("},
      {"setnx-getset",
       {{"finally-releases", "yes"}},
       "lock.finally-releases: lock setnx-getset: option finally-releases: 'yes' is neither true "
       "nor false"},
      {"set-nx-px", {{"call-timeout", "0s"}}, "must be above 0"},
      {"set-nx-px-reentrant",
       {{"leaky-marker", "true"}},
       "the lock stays locked when a section throws, which the driver protocol cannot express"},
  };
  for (const auto& each : cases) {
    const Result<DriverPlan> met = QueryDriverPlan(kDriverServeServe + each.lock, each.options);
    ASSERT_FALSE(met.has_value()) << each.lock;
    EXPECT_EQ(met.error().code, ExitCode::kBadInput);
    EXPECT_NE(met.error().message.find(" refused hello: "), std::string::npos)
        << met.error().message;
    EXPECT_NE(met.error().message.find(each.why), std::string::npos) << met.error().message;
  }
}

TEST(DriverServe, HelloNamesTheLockAndItsCapabilities) {
  const Result<DriverPlan> met =
      QueryDriverPlan(kDriverServeServe + "redisson-fenced", {{"explicit-lease", "true"}});
  ASSERT_TRUE(met.has_value()) << met.error().message;
  EXPECT_EQ(met->name, "redisson-fenced");
  EXPECT_EQ(met->version, DOUBLEHOLD_VERSION);
  EXPECT_EQ(met->can, (std::vector<std::string>{"extend", "lease", "reentrant", "token"}));
}

// Returns the output of a shell command, followed by its exit status.
std::string Shell(const std::string& command) {
  return RunToEnd({"sh", "-c", command + " 2>&1; echo $?"})->output;
}

TEST(DriverServe, AnInvalidLineEndsTheDriverWithAMessage) {
  const std::string serve = " | " + kDriverServeServe + "set-nx-px";
  EXPECT_EQ(Shell("printf ''" + serve), "0\n") << "the end of its input is a bye";
  EXPECT_EQ(Shell("echo nonsense" + serve),
            "doublehold driver: broke the protocol: not valid JSON: nonsense\n4\n");
  EXPECT_EQ(Shell(R"(echo '{"id":1,"op":"release","session":0,"grant":"g"}')" + serve),
            "doublehold driver: broke the protocol: session 0 is out of range: setup opened 0 "
            "sessions, counted from 0\n4\n");
  const std::string hello = R"({"id":1,"op":"hello","protocol":1,"options":{}}\n)";
  const std::string setup =
      R"({"id":2,"op":"setup","client":1,"sessions":1,"nodes":[{"host":"127.0.0.1","port":9}],)"
      R"("lease_ms":500,"seed":1}\n)";
  const std::pair<std::string, std::string> out_of_turn[] = {
      {hello + hello, "hello was sent twice"},
      {hello + setup + hello, "hello was sent twice"},
      {hello + setup + setup, "setup was sent twice"},
      {setup, "setup was sent before hello"}};
  for (const auto& [lines, why] : out_of_turn) {
    const std::string said = Shell("printf '" + lines + "'" + serve);
    const std::string end = "doublehold driver: broke the protocol: " + why + "\n4\n";
    EXPECT_TRUE(said.ends_with(end)) << said;
  }
  EXPECT_EQ(Shell("head -c 70000 /dev/zero" + serve),
            "doublehold driver: broke the protocol: a line has more than 65536 bytes\n4\n");
  EXPECT_EQ(Shell(R"(echo '{"id":1,"op":"bye"}')" + serve), "{\"id\":1,\"ok\":{}}\n0\n");
  const std::string other =
      Shell(R"(echo '{"id":1,"op":"hello","protocol":2,"options":{}}')" + serve);
  EXPECT_NE(other.find("this driver speaks protocol 1"), std::string::npos) << other;
}

TEST(DriverServe, AnUnknownLockIsRefused) {
  EXPECT_EQ(Shell(kDriverServeServe + "watch"),
            "doublehold driver: 'watch' takes no lock, so it cannot be served as a driver\n3\n");
  for (const char* none : {"nix", "driver"}) {
    const std::string said = Shell(kDriverServeServe + none);
    EXPECT_NE(said.find(fmt::format("lock '{}' is unknown", none)), std::string::npos) << said;
  }
  const std::string form = "doublehold driver: usage: doublehold driver serve LOCK\n3\n";
  EXPECT_EQ(Shell(kDriverServeServe), form);
  EXPECT_EQ(Shell(kDriverServeServe + "redlock redlock"), form);
  EXPECT_EQ(Shell(kDriverServeServe + "redlock --option ask=at-once"), form);
}

}  // namespace
}  // namespace doublehold
