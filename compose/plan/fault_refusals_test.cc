// Tests errors in the faults of a plan, and their messages.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "compose/plan/plan_builder.h"
#include "compose/testing/plan_testing.h"
#include "faults/fault.h"
#include "lib/base/words.h"
#include "lib/plan/plan_json.h"

namespace doublehold {
namespace {

using testing::Case;
using testing::Good;
using testing::kLock;
using testing::Refusal;

TEST(BuildPlan, RefusesAnInvalidFaultWithTheReason) {
  const auto fault = [](const std::string& lines) {
    return kLock + "[[fault]]\n" + lines;
  };  // `lines` begin at line 4
  const Case cases[] = {
      {fault("kind = \"puase\"\n"),
       "x.toml:4: fault.0.kind: fault 'puase' is unknown (did you mean 'pause'?)"},
      {fault("client = 1\n"),
       fmt::format("x.toml:4: fault.0.kind: the kind is missing (one of: {})",
                   fmt::join(ListNames(Faults()), ", "))},
      {fault("kind = \"pause\"\nclient = 1\nfro = \"1s\"\nfor = \"1s\"\n"),
       "x.toml:6: setting of fault pause 'fro' is unknown (did you mean 'from'?)"},
      {fault("kind = \"pause\"\nclient = 1\ncommand = \"SET\"\nfor = \"1s\"\n"),
       "x.toml:6: setting of fault pause 'command' is unknown (one of: during, every, from, name, "
       "nodes, on, times, until)"},
      {fault("kind = \"pause\"\nclient = 1\n"),
       "x.toml:4: fault.0.kind: fault 'pause-1': it never heals: 'for' (a duration) or 'until' (a "
       "step) is missing"},
      {fault("kind = \"pause\"\nfor = \"1s\"\n"),
       "x.toml:4: fault.0.kind: fault 'pause-1' (pause): has no target: name a client, or nodes, "
       "or a step of a client (on)"},
      {fault("kind = \"pause\"\n"),
       "x.toml:4: fault.0.kind: fault 'pause-1': it never heals: 'for' (a duration) or 'until' (a "
       "step) is missing; and it has no target: name a client, or nodes, or a step of a client "
       "(on)"},
      {fault("kind = \"delay\"\n"),
       "x.toml:4: fault.0.kind: fault 'delay-1': it never heals: 'for' (a duration) or 'until' (a "
       "step) is missing; and it needs a delay"},
      {fault("kind = \"pause\"\nclient = 1\nfor = \"0ms\"\n"),
       "x.toml:6: fault.0.for: must be above 0, not 0ms"},
      {fault("kind = \"hold\"\nfor = \"0 lease\"\n"),
       "x.toml:5: fault.0.for: must be above 0, not 0 lease"},
      {fault("kind = \"pause\"\nnodes = [1, 1]\nfor = \"1s\"\n"),
       "x.toml:5: fault.0.nodes: fault 'pause-1': node 1 is named twice"},
      {fault("kind = \"delay\"\ndelay = \"1ms\"\nnodes = [\"store\", \"all\", \"store\"]\nfor = "
             "\"1s\"\n"),
       "x.toml:6: fault.0.nodes: fault 'delay-1': the store is named twice"},
      {fault("kind = \"pause\"\nname = \"a\\nb\"\nclient = 1\nfor = \"1s\"\n"),
       "x.toml:5: fault.0.name: name 'a\\nb': must not have control characters"},
      {fault("kind = \"pause\"\nname = \"\\u001b[2J\"\nclient = 1\nfor = \"1s\"\n"),
       "x.toml:5: fault.0.name: name '\\x1b[2J': must not have control characters"},
      {fault("kind = \"pause\"\nname = \"\\u009b2J\"\nclient = 1\nfor = \"1s\"\n"),
       "x.toml:5: fault.0.name: name '\\x9b2J': must not have control characters"},
      {fault("kind = \"pause\"\nname = \"\"\nclient = 1\nfor = \"1s\"\n"),
       "x.toml:5: fault.0.name: a fault's name must not be empty"},
      {kLock + "[fault]\nkind = \"pause\"\n",
       "x.toml:4: fault.kind: faults are a list: [[fault]], not [fault]"},
      {fault("kind = \"pause\"\nclient = 5\nfor = \"1s\"\n"),
       "x.toml:5: fault.0.client: fault 'pause-1': client 5 does not exist: the run has clients "
       "1..4"},
      {fault("kind = \"pause\"\nclient = 0\nfor = \"1s\"\n"),
       "x.toml:5: fault.0.client: 0 is not in 1..2147483647"},
      {fault("kind = \"pause\"\nnodes = [2]\nfor = \"1s\"\n"),
       "x.toml:5: fault.0.nodes: fault 'pause-1': node 2 does not exist: the run has nodes 1..1"},
      {fault("kind = \"pause\"\nnodes = [\"first\"]\nfor = \"1s\"\n"),
       "x.toml:5: fault.0.nodes: 'first' is not a node (1..1, all, majority, leader, store)"},
      {fault("kind = \"pause\"\nclient = 1\nfor = \"1\"\n"),
       "x.toml:6: fault.0.for: '1' has no unit (ns, us, ms, s, m, h): did you mean 1ms?"},
      {fault("kind = \"pause\"\nclient = 1\nfor = \"6s\"\n"),
       "x.toml:6: fault.0.for: fault 'pause-1': it lasts 6s, longer than the run (5s)"},
      {fault("kind = \"pause\"\nclient = 1\nfor = \"1s\"\nfrom = \"5s\"\n"),
       "x.toml:7: fault.0.from: fault 'pause-1': it begins at 5s, after the run's end at 5s"},
      {fault("kind = \"pause\"\nclient = 1\nfor = \"1s\"\ntimes = 2\n"),
       "x.toml:7: fault.0.times: fault 'pause-1': 'times' is above 1, but 'every' is missing"},
      {fault("kind = \"pause\"\nclient = 1\nfor = \"1s\"\ntimes = 0\n"),
       "x.toml:7: fault.0.times: 0 is not in 1..100000"},
      {fault("kind = \"pause\"\non = \"client 1 before-wriet\"\nfor = \"1s\"\n"),
       "x.toml:5: fault.0.on: step 'before-wriet' is unknown (did you mean 'before-write'?)"},
      {fault("kind = \"pause\"\non = \"before-write\"\nfor = \"1s\"\n"),
       "x.toml:5: fault.0.on: 'before-write' is not of the form 'client 2 after-read' or 'any "
       "after-read'"},
      {fault("kind = \"pause\"\non = \"any after-read 0\"\nfor = \"1s\"\n"),
       "x.toml:5: fault.0.on: 'any after-read 0' is not of the form 'client 2 after-read' or 'any "
       "after-read'"},
      {fault("kind = \"pause\"\non = \"any after-read 2 3\"\nfor = \"1s\"\n"),
       "x.toml:5: fault.0.on: 'any after-read 2 3' is not of the form 'client 2 after-read' or "
       "'any after-read'"},
      {fault("kind = \"pause\"\non = \"client x start\"\nfor = \"1s\"\n"),
       "x.toml:5: fault.0.on: 'client x start' is not of the form 'client 2 after-read' or 'any "
       "after-read'"},
      {fault("kind = \"pause\"\non = \"client 9 start\"\nfor = \"1s\"\n"),
       "x.toml:5: fault.0.on: fault 'pause-1': client 9 does not exist: the run has clients "
       "1..4"},
      {fault("kind = \"pause\"\nclient = 1\nuntil = \"end off x\"\n"),
       "x.toml:6: fault.0.until: 'end off x' is not of the form 'client 2 after-read' or 'any "
       "after-read', 'begin of FAULT' or 'end of FAULT'"},
      {fault("kind = \"pause\"\nclient = 1\nuntil = \"end of x\"\n"),
       "x.toml:6: fault.0.until: fault 'pause-1': fault 'x' does not exist: the run has no other "
       "fault"},
      {fault("kind = \"pause\"\nclient = 1\nuntil = \"end of jmup\"\n[[fault]]\nkind = "
             "\"jump\"\nname = \"jump\"\nclient = 1\nby = \"1s\"\nfor = \"1s\"\n"),
       "x.toml:6: fault.0.until: fault 'pause-1': fault 'jmup' is unknown (did you mean 'jump'?)"},
      {fault("kind = \"pause\"\nclient = 1\nfor = \"1s\"\nduring = \"x\"\n"),
       "x.toml:7: fault.0.during: fault 'pause-1': 'during' needs 'on': a step at which it starts"},
      {fault("kind = \"pause\"\non = \"any start\"\nfor = \"1s\"\nduring = \"x\"\n"),
       "x.toml:7: fault.0.during: fault 'pause-1': fault 'x' does not exist: the run has no other "
       "fault"},
      {fault("kind = \"pause\"\nname = \"p\"\nclient = 1\nfor = \"1s\"\n[[fault]]\nkind = "
             "\"pause\"\nname = \"p\"\nclient = 2\nfor = \"1s\"\n"),
       "x.toml:10: fault.1.name: fault 'p': another fault has the same name"},
      {fault("kind = \"crash\"\nclient = 1\nfor = \"1s\"\n"),
       "x.toml:6: fault.0.for: fault 'crash-1' (crash): has no duration: remove 'for' (use kind "
       "'restart' for a node that comes back)"},
      {fault("kind = \"crash\"\nclient = 1\nuntil = \"client 2 after-read\"\n"),
       "x.toml:6: fault.0.until: fault 'crash-1': it ends by itself: remove 'until'"},
      {fault("kind = \"pause\"\nclient = 1\nfrom = \"1s\"\nfor = \"4500ms\"\n"),
       "x.toml:7: fault.0.for: fault 'pause-1': it would be cut short: it lasts until 5.5s, and "
       "the run "
       "ends at 5s"},
      {fault("kind = \"slow\"\nclient = 1\nfor = \"1s\"\n"),
       "x.toml:4: fault.0.kind: fault 'slow-1' (slow): needs the step at which a client is kept "
       "busy (on)"},
      {fault("kind = \"jump\"\nclient = 1\nfor = \"1s\"\n"),
       "x.toml:4: fault.0.kind: fault 'jump-1' (jump): needs a duration to jump by (by)"},
      {fault("kind = \"drift\"\nclient = 1\nfor = \"1s\"\n"),
       "x.toml:4: fault.0.kind: fault 'drift-1' (drift): needs a rate other than 1"},
      {fault("kind = \"drift\"\nclient = 1\nrate = 0\nfor = \"1s\"\n"),
       "x.toml:6: fault.0.rate: fault 'drift-1' (drift): rate is 0: it must be above 0 and at most "
       "100"},
      {fault("kind = \"delay\"\nfor = \"1s\"\n"),
       "x.toml:4: fault.0.kind: fault 'delay-1' (delay): needs a delay"},
      {fault("kind = \"drop\"\ndirection = \"up\"\n"),
       "x.toml:5: fault.0.direction: fault 'drop-1' (drop): direction 'up' is unknown (one of: "
       "request, "
       "reply, both)"},
      {fault("kind = \"drop\"\ncount = -1\n"),
       "x.toml:5: fault.0.count: -1 is not in 1..2147483647"},
      {fault("kind = \"drop\"\ncount = 0\n"), "x.toml:5: fault.0.count: 0 is not in 1..2147483647"},
      {fault("kind = \"hold\"\nuntil = \"any holds\"\n"),
       "x.toml:4: fault.0.kind: fault 'hold-1' (hold): needs 'for': the longest time for which it "
       "holds a frame"},
      {fault("kind = \"drop\"\nnth = 0\n"), "x.toml:5: fault.0.nth: 0 is not in 1..2147483647"},
      {fault("kind = \"drop\"\nchance = 1.5\n"), "x.toml:5: fault.0.chance: 1.5 is not in 0..1"},
      {fault("kind = \"drop\"\nchance = 0\n"),
       "x.toml:5: fault.0.chance: fault 'drop-1' (drop): chance is 0: it must be above 0 and at "
       "most "
       "1"},
      {fault("kind = \"drop\"\nchanse = 0.5\n"),
       "x.toml:5: setting of fault drop 'chanse' is unknown (did you mean 'chance'?)"},
      {fault("kind = \"delay\"\ndelay = \"5ms\"\njitter = \"1ms\"\nspread = \"normel\"\nfor = "
             "\"1s\"\n"),
       "x.toml:7: fault.0.spread: fault 'delay-1' (delay): spread 'normel' is unknown (did you "
       "mean "
       "'normal'?)"},
      {fault("kind = \"drip\"\nbytes = 5\nfor = \"1s\"\n"),
       "x.toml:4: fault.0.kind: fault 'drip-1' (drip): needs a gap between the bytes, from 100us "
       "to 60s "
       "(gap)"},
      {fault("kind = \"bandwidth\"\nbytes-per-second = 1000\n"),
       "x.toml:4: fault.0.kind: fault 'bandwidth-1': it never heals: 'for' (a duration) or 'until' "
       "(a step) is missing"},
      {fault("kind = \"duplicate\"\ncommand = \"client\"\n"),
       "x.toml:5: fault.0.command: fault 'duplicate-1' (duplicate): command CLIENT cannot be sent "
       "twice: its client would receive replies that it does not expect"},
      {fault("kind = \"duplicate\"\ndirection = \"reply\"\n"),
       "x.toml:5: setting of fault duplicate 'direction' is unknown (one of: chance, client, "
       "command, count, during, every, for, from, key, name, nodes, nth, on, times, until)"},
      {kLock + "[topology]\ndirect = true\n[[fault]]\nkind = \"drop\"\n",
       "x.toml:6: fault.0.kind: fault 'drop-1': 'drop' needs the proxy, which 'direct' bypasses"},
      {"[lock]\nname = \"redlock\"\n[topology]\nnodes = 2\n[[fault]]\nkind = \"pause\"\nnodes = "
       "[5]\nfor = \"1s\"\n",
       "x.toml:7: fault.0.nodes: fault 'pause-1': node 5 does not exist: the run has nodes 1..2"},
      {kLock + "[[fault]]\n", "x.toml:3: fault: the table is empty; remove it"},
  };
  for (const Case& c : cases) EXPECT_EQ(Refusal(c.toml), c.message);
}

TEST(BuildPlan, RefusesByNameAFaultOnAServerThatTheRunDidNotStart) {
  const std::string external = kLock + "[topology]\nendpoints = \"redis://10.0.0.5\"\n";
  const std::string contained = external + "containers = \"redis-1\"\n";
  const auto with = [](const std::string& topology, const std::string& fault) {
    return Refusal(topology + "[[fault]]\n" + fault);
  };
  for (const auto& [kind, settings] :
       {std::pair("pause", "for = \"1s\"\n"), std::pair("restart", "for = \"1s\"\n"),
        std::pair("crash", "")}) {
    const std::string fault = fmt::format("kind = \"{}\"\nnodes = [1]\n{}", kind, settings);
    EXPECT_EQ(with(external, fault),
              fmt::format("x.toml:7: fault.0.nodes: fault '{0}-1': '{0}' acts on a server that the "
                          "run did not start; name its container (--container, or "
                          "topology.containers)",
                          kind));
    EXPECT_EQ(with(contained, fault), "accepted");
  }
  EXPECT_EQ(
      with(contained, "kind = \"jump\"\nnodes = [1]\nby = \"1s\"\nfor = \"1s\"\n"),
      "x.toml:8: fault.0.nodes: fault 'jump-1': 'jump' cannot act on a server that the run did "
      "not start; pause, crash and restart can, with --container");
  EXPECT_EQ(
      with(contained, "kind = \"restart\"\nnodes = [1]\nfor = \"1s\"\ndata = \"aof\"\n"),
      "x.toml:10: fault.0.data: fault 'restart-1': a container of Redis cannot keep 'aof' (one "
      "of: own)");
  for (const char* good : {"kind = \"drop\"\nnodes = [1]\nfor = \"1s\"\n",
                           "kind = \"pause\"\nclient = 1\nfor = \"1s\"\n",
                           "kind = \"jump\"\nclient = 1\nby = \"1s\"\nfor = \"1s\"\n",
                           "kind = \"restart\"\nnodes = [\"store\"]\nfor = \"1s\"\n"}) {
    EXPECT_EQ(Refusal(external + "[[fault]]\n" + good), "accepted");
  }
}

TEST(BuildPlan, RefusesStepsAndFaultsThatCannotHappen) {
  const auto fault = [](const std::string& lines) {
    return kLock + "[[fault]]\nkind = \"pause\"\n" + lines;
  };  // `lines` begin at line 5
  const auto at = [](int line, const std::string& setting) {
    return fmt::format("x.toml:{}: fault.0.{}: fault 'pause-1': ", line, setting);
  };
  const Case cases[] = {
      {fault("on = \"client 1 mid-acquire\"\nfor = \"1s\"\n"),
       at(5, "on") +
           "no client ever reaches mid-acquire: lock set-nx-px in workload inventory has the steps "
           "start, after-acquire, after-read, before-write, after-write, before-release, "
           "after-release"},
      {fault("client = 2\nuntil = \"any mid-release\"\n"),
       at(6, "until") +
           "no client ever reaches mid-release: lock set-nx-px in workload inventory has the steps "
           "start, after-acquire, after-read, before-write, after-write, before-release, "
           "after-release"},
      {"lock.name = \"redisson\"\nworkload.name = \"nested\"\n[[fault]]\nkind = \"slow\"\non = "
       "\"any after-read\"\nfor = \"1s\"\n",
       "x.toml:5: fault.0.on: fault 'slow-1': no client ever reaches after-read: lock redisson "
       "in "
       "workload nested has the steps start, after-acquire, before-release, after-release"},
      {fault("client = 1\nfor = \"1s\"\nfrom = \"1s\"\nevery = \"2s\"\ntimes = 3\n"),
       at(9, "times") + "the last of its 3 times is at 5s, after the run's end at 5s"},
      {fault("client = 1\nfor = \"500ms\"\nevery = \"100ms\"\ntimes = 3\n"),
       at(7, "every") + "it lasts 500ms, longer than its interval of 100ms"},
      {kLock + "[[fault]]\nkind = \"restart\"\nnodes = [1]\nfor = \"1s\"\nfrom = \"1s\"\ntimes = "
               "2\nevery = \"3500ms\"\n",
       "x.toml:6: fault.0.for: fault 'restart-1': its nodes are back at 5.5s, after the run's end "
       "at 5s"},
      {fault("client = 1\nfor = \"1s\"\nevery = \"2s\"\n"),
       "x.toml:7: fault.0.every: needs 'times': how often it begins"},
      {kLock + "[[fault]]\nkind = \"restart\"\nnodes = [1]\nfor = \"4900ms\"\nfrom = \"1s\"\n",
       "x.toml:6: fault.0.for: fault 'restart-1': its nodes are back at 5.9s, after the run's end "
       "at 5s"},
      {kLock + "[[fault]]\nkind = \"delay\"\ndelay = \"6s\"\nfor = \"1s\"\n",
       "x.toml:5: fault.0.delay: fault 'delay-1': it delays by 6s, longer than the run (5s)"},
  };
  for (const Case& c : cases) EXPECT_EQ(Refusal(c.toml), c.message);
}

TEST(BuildPlan, RefusesAnInvalidPartitionWithTheReason) {
  const auto cut = [](const std::string& lines) {
    return "[lock]\nname = \"redlock\"\n[[fault]]\nkind = \"partition\"\nfor = \"1s\"\n" + lines;
  };  // `lines` begin at line 6
  const Case cases[] = {
      {cut(""),
       "x.toml:4: fault.0.kind: fault 'partition-1' (partition): needs the nodes that are "
       "cut off (nodes), or how the links are split (sides)"},
      {cut("sides = \"minorty\"\n"),
       "x.toml:6: fault.0.sides: split 'minorty' is unknown (did you mean 'minority'?)"},
      {cut("sides = \"ring\"\nnodes = [1]\n"),
       "x.toml:6: fault.0.sides: chooses the links itself: remove 'nodes' and 'links'"},
      {cut("sides = \"ring\"\n") + "[topology]\nnodes = 2\n",
       "x.toml:6: fault.0.sides: 'ring' needs 3 nodes or more, not 2: use 'nodes' instead"},
      {cut("links = [\"1+2\"]\n"),
       "x.toml:6: fault.0.links: '1+2' is not a link; write '2-1' for client 2 and node 1, or "
       "'2-store' for the store"},
      {cut("links = [\"9-1\"]\n"),
       "x.toml:6: fault.0.links: fault 'partition-1': client 9 does not exist: the run has clients "
       "1..4"},
      {cut("links = [\"1-9\"]\n"),
       "x.toml:6: fault.0.links: fault 'partition-1': node 9 does not exist: the run has nodes "
       "1..5"},
      {cut("links = [\"1-2\", \"2-2\", \"1-2\"]\n"),
       "x.toml:6: fault.0.links: fault 'partition-1': the link of client 1 and node 2 is named "
       "twice"},
      {cut("links = [\"1-2\"]\nclient = 1\n"),
       "x.toml:6: fault.0.links: fault 'partition-1' (partition): has links: remove client and "
       "nodes"},
      {cut("between = \"servrs\"\nnodes = [1]\n"),
       "x.toml:6: fault.0.between: fault 'partition-1' (partition): value 'servrs' is unknown (did "
       "you mean 'servers'?)"},
      {cut("between = \"all\"\nlinks = [\"1-2\"]\n"),
       "x.toml:6: fault.0.between: fault 'partition-1' (partition): has links: remove between"},
      {cut("client = 1\nbetween = \"all\"\nnodes = [1]\n"),
       "x.toml:6: fault.0.client: fault 'partition-1' (partition): acts on servers and on no "
       "single "
       "client: remove client"},
  };
  for (const Case& c : cases) EXPECT_EQ(Refusal(c.toml), c.message);
  const Plan plan = Good(cut("sides = \"ring\"\n"));
  EXPECT_EQ(plan.faults[0].links.size(), 8u);
  EXPECT_EQ(Good(cut("links = [\"2-1\", \"3-store\"]\n")).faults[0].links,
            (std::vector<Link>{{.client = 2, .node = 1}, {.client = 3, .node = 0}}));
}

TEST(BuildPlan, RefusesAnInvalidNemesisWithTheReason) {
  const std::string nemesis = kLock + "[nemesis]\n";  // [nemesis] is line 3
  const Case cases[] = {
      {nemesis + "faults = \"puase\"\n",
       "x.toml:4: nemesis.faults: nemesis fault 'puase' is unknown (did you mean 'pause'?)"},
      {nemesis + "every = \"1s\"\n",
       "x.toml:4: nemesis.every: needs nemesis.faults (--nemesis): any of pause, clock, network, "
       "partition, restart"},
      {nemesis + "faults = \"pause\"\nevery = \"0s\"\n",
       "x.toml:5: nemesis.every: must be above 0"},
      {nemesis + "faults = \"pause\"\nshortest = \"2s\"\nlongest = \"1s\"\n",
       "x.toml:5: nemesis.shortest: 2s is not above 0 and at most nemesis.longest, 1s"},
      {nemesis + "faults = \"pause\"\nlongest = \"4s\"\n",
       "x.toml:4: nemesis.faults: a run of 5s is too short for a fault of 4s: no fault begins in "
       "the first lease or lasts into the last 1s; use a duration of 5.5s or more"},
      {nemesis + "faults = \"pause, network\"\n[topology]\ndirect = true\n",
       "x.toml:4: nemesis.faults: 'network' needs the proxy, which 'direct' bypasses"},
      {nemesis + "fautls = \"pause\"\n",
       "x.toml:4: setting 'nemesis.fautls' is unknown (did you mean 'nemesis.faults'?)"},
      {kLock + "[expct]\nstock = \"valid\"\n",
       "x.toml:4: setting 'expct.stock' is unknown (did you mean 'expect.stock'?)"},
  };
  for (const Case& c : cases) EXPECT_EQ(Refusal(c.toml), c.message);
  const Plan plan = Good(nemesis + "faults = [\"pause\", \"clock\"]\nevery = \"500ms\"\n");
  EXPECT_EQ(plan.faults.size(), 6u);
  EXPECT_EQ(Good(nemesis + "faults = \"pause, clock\"\nevery = \"500ms\"\n").faults, plan.faults);
  EXPECT_EQ(*PlanFromJson(ToJson(plan), "p.json"), plan);
}

}  // namespace
}  // namespace doublehold
