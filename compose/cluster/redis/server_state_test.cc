#include "compose/cluster/redis/server_state.h"

#include <gtest/gtest.h>

#include <functional>

namespace doublehold {
namespace {

constexpr const char* kInfo =
    "# Server\r\nredis_version:7.0.15\r\nrun_id:a1\r\nrole:master\r\nmaster_replid2:a7\r\n"
    "evicted_keys:3\r\n\n# Commandstats\r\ncmdstat_flushall:calls=1\r\n";

std::map<std::string, ServerState> Begun() {
  ServerState primary = ReadServerState(kInfo);
  ServerState replica = primary;
  replica.process = "b1";
  replica.role = "slave";
  return {{"a1", primary}, {"b1", replica}, {"c1", FreshState(primary, "c1")}};
}

TEST(ServerState, IsReadFromInfo) {
  const ServerState state = ReadServerState(kInfo);
  EXPECT_EQ(state.version, "7.0.15");
  EXPECT_EQ(state.process, "a1");
  EXPECT_EQ(state.role, "master");
  EXPECT_EQ(state.followed, "a7");
  EXPECT_EQ(state.losses, (std::vector<std::string>{"3", "calls=1", "", ""}));
  EXPECT_EQ(ReadServerState("\nvalkey_version:8.1\r\nredis_version:7.2\r\n").version,
            "8.1 (Valkey)");
}

TEST(ServerState, AnyChangeThatMayLoseALockIsNamed) {
  struct Case {
    const char* name;
    std::function<void(ServerState&)> change;
    AllowedChanges allowed;
    std::string why;
  };
  using State = ServerState&;
  const auto fresh = [](State s) { s = FreshState(s, "c1"); };
  const Case cases[] = {
      {"nothing", [](State) {}, {}, ""},
      {"a restart by others", [](State s) { s.process = "d1"; }, {}, "was restarted"},
      {"a promoted newcomer",
       [](State s) { s.process = "d1"; },
       {.failover = true},
       "ended with a primary process that the run did not find when it began"},
      {"a restart by the run", fresh, {}, ""},
      {"a flush after a restart",
       [&](State s) {
         fresh(s);
         s.losses[1] = "calls=1";
       },
       {},
       "was flushed"},
      {"a demotion", [](State s) { s.role = "slave"; }, {.failover = true}, "changed its role"},
      {"a demotion that was undone",
       [](State s) { s.followed = "b8"; },
       {},
       "was a replica for a while"},
      {"a promotion", [](State s) { s.process = "b1", s.followed = "b8"; }, {.failover = true}, ""},
      {"a flush on the promoted replica",
       [](State s) { s.process = "b1", s.losses[2] = "calls=1"; },
       {.failover = true},
       "was flushed"},
      {"a first replica", [](State s) { s.followed = "000"; }, {}, ""},
      {"an eviction",
       [](State s) { s.losses[0] = "4"; },
       {},
       "evicted keys, perhaps those of locks (maxmemory-policy)"},
      {"a moved clock",
       [](State s) { s.clock += std::chrono::seconds(2); },
       {.clock_step = std::chrono::seconds(1)},
       "had its clock moved by 2s"},
      {"a clock that was read late",
       [](State s) { s.clock += std::chrono::seconds(2), s.asked_in = std::chrono::seconds(1); },
       {.clock_step = std::chrono::seconds(1)},
       ""},
  };
  for (const Case& c : cases) {
    ServerState ended = ReadServerState(kInfo);
    c.change(ended);
    EXPECT_EQ(WhyChanged(Begun(), ended, c.allowed), c.why) << c.name;
  }
}

}  // namespace
}  // namespace doublehold
