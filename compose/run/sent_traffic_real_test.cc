// Tests that the commands of idle clients, which stay connected, are recorded and judged.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "compose/testing/program.h"
#include "lib/base/paths.h"

namespace doublehold {
namespace {

// A driver whose thread extends each grant, either until the release or until the driver ends.
constexpr const char* kRenewing = R"py(
import importlib.util, sys, threading, time
spec = importlib.util.spec_from_file_location("template", sys.argv[1])
template = importlib.util.module_from_spec(spec)
spec.loader.exec_module(template)
connects = sys.argv[2] == "connects early"
stops = sys.argv[2] == "stops" or connects
leaves = sys.argv[2] == "leaves its channels"
hurries = sys.argv[2] == "hurries"

class Renewing(template.Library):
    def __init__(self, setup, options):
        super().__init__(setup, options)
        self.address = setup["nodes"][0]["host"], setup["nodes"][0]["port"]
        self.ends = {}
        if connects:
            redis = template.Redis(*self.address)
            for _ in range(5000):
                redis.call("PING")

    def acquire(self, key, lease_ms, wait_ms):
        done = super().acquire(key, lease_ms, wait_ms)
        if done:
            self.ends[done["grant"]] = end = threading.Event()
            threading.Thread(target=self.renew, args=(key, lease_ms, end), daemon=True).start()
        return done

    def renew(self, key, lease_ms, end):
        redis = template.Redis(*self.address)
        while not end.wait(0.001 if hurries else lease_ms / 3000):
            if leaves:
                redis.call("SUNSUBSCRIBE", key)
            else:
                redis.call("EVAL", "return redis.call('exists', KEYS[1])", 1, key)

    def release(self, grant):
        if stops or hurries:
            self.ends[grant].set()
        return super().release(grant)

template.Driver(Renewing).run()
)py";

class Idle : public ::testing::Test {
 protected:
  nlohmann::json Run(const std::vector<std::string>& more) {
    return UnstalledVerdict([&](int before) {
      const std::filesystem::path folder = folder_.path() / fmt::format("{}-{}", ++runs_, before);
      std::vector<std::string> words{"run",        "--clients",    "2",
                                     "--duration", "600ms",        "--lease",
                                     "600ms",      "--claims",     "exclusion,idle-traffic",
                                     "--into",     folder.string()};
      words.insert(words.end(), more.begin(), more.end());
      const Finished finished = RunProgram(words);
      EXPECT_LE(finished.exit_code, 2) << finished.err;
      return ReadJson(folder / "verdict.json");
    });
  }
  [[nodiscard]] std::string Renewing(const std::string& how) const {
    WriteFile(folder_.path() / "renewing.py", kRenewing);
    return fmt::format("/usr/bin/python3 {} {}/drivers/template.py {}",
                       (folder_.path() / "renewing.py").string(), SourceDir(), how);
  }
  static const nlohmann::json& JudgedTraffic(const nlohmann::json& verdict) {
    return verdict.at("claims").at(1);
  }

  TestFolder folder_;
  int runs_ = 0;
};

TEST_F(Idle, ADriverThatRenewsAfterItsReleaseIsViolated) {
  const nlohmann::json verdict = Run({"--driver", Renewing("goes on")});
  EXPECT_EQ(JudgedTraffic(verdict).at("outcome"), "violated") << verdict.dump(1);
  EXPECT_EQ(JudgedTraffic(verdict).at("count"), 2);
  EXPECT_EQ(verdict.at("claims").at(0).at("outcome"), "valid");
}

TEST_F(Idle, ADriverThatStopsRenewingAtItsReleaseIsValid) {
  const nlohmann::json verdict = Run({"--driver", Renewing("stops")});
  EXPECT_EQ(JudgedTraffic(verdict).at("outcome"), "valid") << verdict.dump(1);
  EXPECT_EQ(JudgedTraffic(verdict).at("opportunities"), 2);
}

TEST_F(Idle, UnsubscribingDoesNotCountAsTraffic) {
  const nlohmann::json verdict = Run({"--driver", Renewing("'leaves its channels'")});
  EXPECT_EQ(JudgedTraffic(verdict).at("outcome"), "valid") << verdict.dump(1);
  EXPECT_EQ(JudgedTraffic(verdict).at("opportunities"), 2);
}

TEST_F(Idle, WhatADriverSendsBeforeItsClientBeginsIsNotCounted) {
  const nlohmann::json load = Run({"--driver", Renewing("'connects early'")}).at("load");
  EXPECT_GT(load.at("commands"), 0);
  EXPECT_LT(load.at("commands"), 5000);
}

// These locks have a watchdog, a subscription, or neither.
TEST_F(Idle, OurOwnLocksAreValid) {
  for (const char* lock : {"redisson", "redisson-fair", "set-nx-px"}) {
    const nlohmann::json verdict = Run({"--lock", lock});
    EXPECT_EQ(JudgedTraffic(verdict).at("outcome"), "valid") << verdict.dump(1);
    EXPECT_EQ(JudgedTraffic(verdict).at("opportunities"), 2);
  }
}

TEST_F(Idle, ALimitOnTheCommandsOfAHoldIsJudged) {
  const std::vector<std::string> longer{"--set", "workload.work=300ms", "--limit",
                                        "commands-per-hold=8"};
  for (const auto& [how, outcome] : {std::pair("hurries", "violated"), {"stops", "valid"}}) {
    std::vector<std::string> words{"--driver", Renewing(how)};
    words.insert(words.end(), longer.begin(), longer.end());
    const nlohmann::json verdict = Run(words);
    const nlohmann::json& limit = verdict.at("claims").at(2);
    EXPECT_EQ(limit.at("claim"), "commands-per-hold");
    EXPECT_EQ(limit.at("outcome"), outcome) << verdict.dump(1);
    EXPECT_EQ(verdict.at("claims").at(0).at("outcome"), "valid");
  }
}

// Our set-nx-px asks again and again while another holds the key; our redisson waits for a message.
TEST_F(Idle, ALimitOnTheCommandsOfAGrantIsJudged) {
  for (const auto& [lock, outcome] : {std::pair("set-nx-px", "violated"), {"redisson", "valid"}}) {
    const nlohmann::json verdict =
        Run({"--lock", lock, "--set", "workload.work=300ms", "--limit", "commands-per-grant=10"});
    const nlohmann::json& limit = verdict.at("claims").at(2);
    EXPECT_EQ(limit.at("claim"), "commands-per-grant");
    EXPECT_EQ(limit.at("outcome"), outcome) << verdict.dump(1);
  }
}

}  // namespace
}  // namespace doublehold
