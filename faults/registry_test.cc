// Tests the rows in the table of faults.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "faults/fault.h"

namespace doublehold {
namespace {

TEST(Faults, TheAskedValueIsComparableToTheMeasurement) {
  const FaultPlan plan{.length = 800ms, .delay = 5ms, .jitter = 1ms, .by = 3s, .rate = 0.5};
  const std::map<std::string_view, int64_t> asked{
      {"pause", ToNs(800ms)},
      {"crash", 0},
      {"slow", ToNs(800ms)},
      {"delay", ToNs(6ms)},
      {"hold", ToNs(800ms)},
      {"stall", ToNs(800ms)},
      {"drop", 0},
      {"duplicate", 0},
      {"drip", ToNs(800ms)},
      {"bandwidth", ToNs(800ms)},
      {"reset", 0},
      {"black-hole", ToNs(800ms)},
      {"partition", ToNs(800ms)},
      {"jump", ToNs(3s)},
      {"drift", -ToNs(400ms)},
      {"cut-replication", ToNs(800ms)},
      {"promote", 0},
      {"restart", ToNs(800ms)},
      {"snapshot", 0},
      {"flush", 0},
      {"delete-key", 0},
      {"evict", 0},
      {"forget-scripts", 0},
      {"strobe", ToNs(3s)},
  };
  for (const auto& [name, asked_ns] : asked) {
    ASSERT_NE(FindFault(name), nullptr) << name;
    EXPECT_EQ(FindFault(name)->asked_ns(plan), asked_ns) << name;
  }
  for (const FaultEntry& entry : Faults()) {
    EXPECT_NE(entry.asked_ns, nullptr) << entry.name;
    EXPECT_FALSE(entry.summary.empty());
    EXPECT_EQ(entry.length_is_of_frames, entry.name == "hold");
  }
  EXPECT_EQ(FindFault("nothing"), nullptr);
}

struct Refused {
  FaultPlan plan;
  std::string message;
};

TEST(Faults, InvalidKeysAreRefusedWithOneLine) {
  const std::vector<Refused> cases{
      {{.name = "x", .kind = "pause"},
       "fault 'x' (pause): has no target: name a client, or nodes, or a step of a client (on)"},
      {{.name = "x", .kind = "jump", .client = 1},
       "fault 'x' (jump): needs a duration to jump by (by)"},
      {{.name = "x", .kind = "drift", .client = 1}, "fault 'x' (drift): needs a rate other than 1"},
      {{.name = "x", .kind = "drift", .client = 1, .rate = 0},
       "fault 'x' (drift): rate is 0: it must be above 0 and at most 100"},
      {{.name = "x", .kind = "drift", .client = 1, .rate = 101},
       "fault 'x' (drift): rate is 101: it must be above 0 and at most 100"},
      {{.name = "x", .kind = "strobe", .client = 1, .by = 1s},
       "fault 'x' (strobe): needs a period: how long the clock stays ahead, and then back"},
      {{.name = "x", .kind = "strobe", .length = 1s, .client = 1, .by = 1s, .period = 2s},
       "fault 'x' (strobe): has a period of 2s, longer than it lasts (1s)"},
      {{.name = "x", .kind = "slow", .client = 1},
       "fault 'x' (slow): needs the step at which a client is kept busy (on)"},
      {{.name = "x", .kind = "slow", .on = Trigger{1, Step::kAfterRead}, .client = 2},
       "fault 'x' (slow): can keep only the client that reaches its step busy: remove 'client'"},
      {{.name = "x", .kind = "hold"},
       "fault 'x' (hold): needs 'for': the longest time for which it holds a frame"},
      {{.name = "x", .kind = "delay"}, "fault 'x' (delay): needs a delay"},
      {{.name = "x", .kind = "delay", .delay = 1ms, .jitter = 2ms},
       "fault 'x' (delay): its jitter must be between 0 and its delay"},
      {{.name = "x", .kind = "delay", .delay = 1ms, .jitter = 1ms, .spread = "paretto"},
       "fault 'x' (delay): spread 'paretto' is unknown (did you mean 'pareto'?)"},
      {{.name = "x", .kind = "delay", .delay = 1ms, .spread = "normal"},
       "fault 'x' (delay): has a spread, but no jitter"},
      {{.name = "x", .kind = "drip", .gap = 1ms},
       "fault 'x' (drip): needs the number of bytes that pass at a time (bytes)"},
      {{.name = "x", .kind = "drip", .bytes = 1},
       "fault 'x' (drip): needs a gap between the bytes, from 100us to 60s (gap)"},
      {{.name = "x", .kind = "bandwidth"},
       "fault 'x' (bandwidth): needs a bandwidth (bytes-per-second)"},
      {{.name = "x", .kind = "duplicate", .command = "SUBSCRIBE"},
       "fault 'x' (duplicate): command SUBSCRIBE cannot be sent twice: its client would receive "
       "replies that it does not expect"},
      {{.name = "x", .kind = "hold", .length = 1s, .nth = 0},
       "fault 'x' (hold): nth is 0: frames are counted from 1"},
      {{.name = "x", .kind = "stall", .chance = 0},
       "fault 'x' (stall): chance is 0: it must be above 0 and at most 1"},
      {{.name = "x", .kind = "drop", .count = -1},
       "fault 'x' (drop): count is -1: it must not be negative"},
      {{.name = "x", .kind = "stall", .direction = "requests"},
       "fault 'x' (stall): direction 'requests' is unknown (did you mean 'request'?)"},
      {{.name = "x", .kind = "partition"},
       "fault 'x' (partition): needs the nodes that are cut off (nodes), or how the links are "
       "split (sides)"},
      {{.name = "x", .kind = "cut-replication"},
       "fault 'x' (cut-replication): needs the nodes whose replication is cut (nodes)"},
      {{.name = "x", .kind = "promote", .nodes = {1, 2}},
       "fault 'x' (promote): needs the one node that becomes the master (nodes)"},
      {{.name = "x", .kind = "promote", .nodes = {2}, .how = "plannd"},
       "fault 'x' (promote): promotion 'plannd' is unknown (did you mean 'planned'?)"},
      {{.name = "x", .kind = "crash"}, "fault 'x' (crash): needs 'client', 'nodes' or 'on'"},
      {{.name = "x", .kind = "crash", .times = 2, .nodes = {1}},
       "fault 'x' (crash): a node dies only once: remove 'times'"},
      {{.name = "x", .kind = "restart", .data = "empty"},
       "fault 'x' (restart): needs the nodes to restart (nodes)"},
      {{.name = "x", .kind = "restart", .nodes = {1}, .data = "aof-cat"},
       "fault 'x' (restart): data 'aof-cat' is unknown (did you mean 'aof-cut'?)"},
      {{.name = "x", .kind = "restart", .nodes = {1}, .data = "aof-cut"},
       "fault 'x' (restart): needs the length of the lost tail of the log (cut)"},
      {{.name = "x", .kind = "restart", .nodes = {1}, .data = "aof", .cut = 1ms},
       "fault 'x' (restart): 'cut' needs data = \"aof-cut\""},
      {{.name = "x", .kind = "flush"}, "fault 'x' (flush): needs the nodes to act on (nodes)"},
      {{.name = "x", .kind = "evict", .length = 1s, .nodes = {1}},
       "fault 'x' (evict): has no duration: remove 'for'"},
  };
  for (const Refused& refused : cases) {
    const Result<void> result = FindFault(refused.plan.kind)->validate(refused.plan);
    ASSERT_FALSE(result) << refused.message;
    EXPECT_EQ(result.error().message, refused.message);
    EXPECT_EQ(result.error().code, ExitCode::kBadInput);
  }
}

struct Described {
  FaultPlan plan;
  std::string text;
};

TEST(Faults, AreDescribedInWords) {
  const Trigger step{1, Step::kBeforeWrite};
  const std::vector<Described> cases{
      {{.kind = "pause", .on = step, .length = 800ms, .client = 1},
       "client 1 stopped at before-write for 800ms"},
      {{.kind = "pause", .on = step, .length = 800ms},
       "client 1 stopped at before-write for 800ms"},
      {{.kind = "pause", .on = Trigger{0, Step::kAfterRead}}, "the client stopped at after-read"},
      {{.kind = "pause", .from = 300ms, .nodes = {1, 2, 0}},
       "nodes 1, 2 and the store stopped at 300ms"},
      {{.kind = "slow", .on = step, .length = 30ms}, "client 1 kept busy at before-write for 30ms"},
      {{.kind = "stall", .on = step, .length = 800ms, .client = 1},
       "requests from client 1 to every node and the store stalled at before-write for 800ms"},
      {{.kind = "hold",
        .on = step,
        .length = 1s,
        .client = 2,
        .nodes = {1},
        .direction = "reply",
        .command = "SET",
        .count = 2},
       "2 replies to SET from node 1 to client 2 held for 1s each when client 1 reaches "
       "before-write"},
      {{.kind = "drop", .client = 1, .nodes = {0}, .command = "EXEC"},
       "1 reply to EXEC from the store to client 1 dropped at 0s"},
      {{.kind = "delay", .length = 1s, .delay = 5ms, .jitter = 1ms},
       "requests and replies between every client and every node and the store delayed by "
       "5ms +- 1ms at 0s for 1s"},
      {{.kind = "duplicate", .client = 2, .nodes = {1}, .command = "SET", .nth = 3},
       "the 3rd request SET from client 2 to node 1 sent twice at 0s"},
      {{.kind = "drop",
        .client = 2,
        .nodes = {1},
        .command = "SET",
        .key = "k",
        .count = 2,
        .nth = 11,
        .chance = 0.25},
       "2 replies to SET of key 'k' from node 1 to client 2 (from the 11th on) (each with a chance "
       "of 0.25) dropped at 0s"},
      {{.kind = "delay",
        .length = 1s,
        .client = 1,
        .nodes = {1},
        .direction = "request",
        .key = "k",
        .delay = 5ms,
        .jitter = 1ms,
        .spread = "normal"},
       "requests for key 'k' from client 1 to node 1 delayed by 5ms +- 1ms (normal) at 0s for 1s"},
      {{.kind = "delay",
        .length = 1s,
        .client = 1,
        .nodes = {1},
        .direction = "request",
        .delay = 5ms,
        .jitter = 10ms,
        .spread = "pareto"},
       "requests from client 1 to node 1 delayed by 5ms and more, 10ms in the mean at 0s for 1s"},
      {{.kind = "drip",
        .length = 1s,
        .client = 1,
        .nodes = {1},
        .direction = "request",
        .bytes = 1,
        .gap = 5ms},
       "requests from client 1 to node 1 dripping, 1 byte every 5ms at 0s for 1s"},
      {{.kind = "bandwidth",
        .length = 1s,
        .client = 1,
        .nodes = {1},
        .direction = "reply",
        .bytes_per_second = 20'000},
       "replies from node 1 to client 1 limited to 20000 bytes a second at 0s for 1s"},
      {{.kind = "partition",
        .until = Trigger{2, Step::kAfterAcquire},
        .client = 1,
        .nodes = {4, 5}},
       "client 1 cut off from nodes 4 and 5 at 0s until client 2 reaches after-acquire"},
      {{.kind = "partition",
        .length = 1s,
        .direction = "reply",
        .links = {{.client = 1, .node = 4}, {.client = 1, .node = 5}, {.client = 2, .node = 0}}},
       "client 1 cut off from nodes 4 and 5, client 2 from the store (replies alone) at 0s for 1s"},
      {{.kind = "partition", .length = 1s, .nodes = {kLeaderNode}, .between = "servers"},
       "the leader cut off from the other servers at 0s for 1s"},
      {{.kind = "partition", .length = 1s, .nodes = {1, 2}, .direction = "reply", .between = "all"},
       "nodes 1 and 2 cut off from every client and the other servers (what they receive alone) "
       "at 0s for 1s"},
      {{.kind = "stall", .until_fault = FaultMoment{"stop", true}, .client = 1, .nodes = {2}},
       "requests from client 1 to node 2 stalled at 0s until 'stop' ends"},
      {{.kind = "jump", .on = step, .nodes = {3}, .by = 3s},
       "wall clock of node 3 moved ahead by 3s when client 1 reaches before-write"},
      {{.kind = "jump", .client = 2, .by = -3s}, "wall clock of client 2 moved back by 3s at 0s"},
      {{.kind = "strobe", .length = 1s, .nodes = {1}, .by = -3s, .period = 20ms},
       "wall clock of node 1 moved back by 3s to and fro every 20ms at 0s for 1s"},
      {{.kind = "drift", .during = "slowed", .client = 2, .rate = 1.5},
       "wall clock of client 2 running at 1.5 times the true rate at 0s during 'slowed'"},
      {{.kind = "cut-replication", .length = 2s, .nodes = {1}},
       "replication of node 1 cut at 0s for 2s"},
      {{.kind = "promote", .on = step, .nodes = {2}},
       "node 2 made the master (by hand) when client 1 reaches before-write"},
      {{.kind = "crash", .on = step, .nodes = {2}},
       "node 2 killed when client 1 reaches before-write"},
      {{.kind = "restart", .on = step, .length = 1s, .nodes = {3}, .data = "empty"},
       "node 3 killed (to come back empty) for 1s when client 1 reaches before-write"},
      {{.kind = "restart", .nodes = {0, 1}, .data = "aof-cut", .cut = 1ms},
       "node 1 and the store killed (to come back with its log but for the tail) at 0s"},
      {{.kind = "flush", .nodes = {1, 2}}, "nodes 1 and 2 emptied at 0s"},
      {{.kind = "delete-key", .nodes = {1}, .key = "k"}, "key k deleted on node 1 at 0s"},
      {{.kind = "evict", .nodes = {1}, .key = "k"}, "key k evicted from node 1 at 0s"},
      {{.kind = "forget-scripts", .nodes = {1}}, "scripts forgotten by node 1 at 0s"},
      {{.kind = "snapshot", .nodes = {1}}, "snapshot taken of node 1 at 0s"},
  };
  for (const Described& described : cases) EXPECT_EQ(Describe(described.plan), described.text);
}

TEST(Faults, TheEndOfAFaultIsDescribedInWords) {
  EXPECT_EQ(AwaitedEnd({.kind = "pause", .length = 1s}), "");
  EXPECT_EQ(AwaitedEnd({.kind = "pause", .until = Trigger{.client = 2, .step = Step::kAfterRead}}),
            "client 2 reaches after-read");
  EXPECT_EQ(AwaitedEnd({.kind = "pause", .until = Trigger{0, Step::kAfterRead, 3}}),
            "a client reaches the 3rd after-read");
  EXPECT_EQ(AwaitedEnd({.kind = "pause", .until_fault = FaultMoment{.fault = "x", .ended = true}}),
            "'x' ends");
}

}  // namespace
}  // namespace doublehold
