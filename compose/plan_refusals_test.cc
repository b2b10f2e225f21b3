// What a plan is refused for, and how that is said.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "compose/plan_builder.h"
#include "compose/plan_testing.h"
#include "faults/fault.h"
#include "lib/base/words.h"
#include "lib/locks/registry.h"
#include "lib/plan/plan_json.h"

namespace doublehold {
namespace {

using testing::Built;
using testing::Good;

std::string Refusal(const std::string& toml) {
  const Result<Plan> plan = Built(toml);
  if (plan) return "accepted";
  EXPECT_EQ(plan.error().code, ExitCode::kBadInput);
  EXPECT_EQ(plan.error().message.find('\n'), std::string::npos);
  return plan.error().message;
}

struct Case {
  std::string toml;
  std::string message;
};

const std::string kLock = "[lock]\nname = \"set-nx-px\"\n";  // lines 1 and 2

TEST(BuildPlan, NamesWhatIsWrongWithTheLock) {
  const Case cases[] = {
      {"", fmt::format("lock.name: which lock? (--lock NAME; one of: {})",
                       fmt::join(NamesOf(Locks()), ", "))},
      {"[lock]\nname = \"redlok\"\n",
       "x.toml:2: lock.name: lock 'redlok' is unknown (did you mean 'redlock'?)"},
      {"[lock]\nname = \"zookeeper\"\n",
       fmt::format("x.toml:2: lock.name: lock 'zookeeper' is unknown (one of: {})",
                   fmt::join(NamesOf(Locks()), ", "))},
      {"[lock]\nname = [\"redlock\"]\n",
       "x.toml:2: lock.name: one value is wanted here, not a list"},
      {kLock + "lease = \"500\"\n",
       "x.toml:3: lock.lease: '500' has no unit (ns, us, ms, s, m, h): did you mean 500ms?"},
      {kLock + "lease = 500\n",
       "x.toml:3: lock.lease: '500' has no unit (ns, us, ms, s, m, h): did you mean 500ms?"},
      {kLock + "lease = \"0s\"\n", "x.toml:3: lock.lease: a lease of less than 1ms cannot be held"},
      {kLock + "lease = \"-1s\"\n", "x.toml:3: lock.lease: '-1s' is negative; a duration is not"},
      {kLock + "lease = \"1 lease\"\n",
       "x.toml:3: lock.lease: '1 lease' has the unknown unit 'lease' (ns, us, ms, s, m, h)"},
      {kLock + "call-timeout = \"0s\"\n", "x.toml:3: lock.call-timeout: a call needs some time"},
      {kLock + "leese = \"1s\"\n",
       "x.toml:3: lock.leese: lock set-nx-px has no such setting (did you mean 'lease'?)"},
      {kLock + "ask = \"at-once\"\n",
       "x.toml:3: lock.ask: lock set-nx-px has no such setting (one of: wait-replicas, "
       "wait-timeout, name, lease, pace, call-timeout)"},
      {"[lock]\nname = \"redlock\"\nask = \"at-onse\"\n",
       "x.toml:3: lock.ask: lock redlock: option ask: 'at-onse' is not possible (did you mean "
       "'at-once'?)"},
      {"[lock]\nname = \"redisson\"\nexplicit-lease = \"yes\"\n",
       "x.toml:3: lock.explicit-lease: lock redisson: option explicit-lease: 'yes' is neither true "
       "nor false"},
      {"[lock]\nname = \"redlock\"\nnode-timeout = \"30\"\n",
       "x.toml:3: lock.node-timeout: lock redlock: option node-timeout: '30' has no unit (ns, us, "
       "ms, s, m, h): did you mean 30ms?"},
  };
  for (const Case& c : cases) EXPECT_EQ(Refusal(c.toml), c.message);
}

TEST(BuildPlan, NamesWhatIsWrongWithTheTopology) {
  const std::string redlock = "[lock]\nname = \"redlock\"\n[topology]\n";
  const std::string replicated = kLock + "[topology]\nname = \"replicated\"\n";
  const Case cases[] = {
      {redlock + "nodes = 1\n", "x.toml:4: topology.nodes: lock redlock uses 2 to 15 nodes, not 1"},
      {redlock + "nodes = 16\n", "x.toml:4: topology.nodes: 16 is not in 1..15"},
      {redlock + "nodes = 0\n", "x.toml:4: topology.nodes: 0 is not in 1..15"},
      {redlock + "nodes = \"five\"\n", "x.toml:4: topology.nodes: 'five' is not a whole number"},
      {kLock + "[topology]\nnodes = 5\n",
       "x.toml:4: topology.nodes: lock set-nx-px uses exactly 1 node, not 5"},
      {redlock + "name = \"single\"\n",
       "x.toml:4: topology.name: 'single' has one node, not 5 (independent?)"},
      {redlock + "name = \"clustr\"\n",
       "x.toml:4: topology.name: topology 'clustr' is unknown (did you mean 'cluster'?)"},
      {redlock + "name = \"replicated\"\n",
       "x.toml:4: topology.name: lock redlock uses 2 to 15 nodes that know nothing of each other: "
       "independent, not 'replicated'"},
      {replicated + "nodes = 2\n",
       "x.toml:5: topology.nodes: 'replicated' has one primary, not 2; 'replicas' says how many "
       "servers follow it"},
      {replicated + "replicas = 0\n", "x.toml:5: topology.replicas: 0 is not in 1..4"},
      {replicated + "replicas = 5\n", "x.toml:5: topology.replicas: 5 is not in 0..4"},
      {replicated + "direct = true\n",
       "x.toml:5: topology.direct: 'direct' goes round the proxy, through which the servers of "
       "'replicated' are reached"},
      {replicated + "down-after = \"1s\"\n",
       "x.toml:5: topology.down-after: in 'replicated' nobody watches whether a server is down "
       "(sentinel, cluster?)"},
      {kLock + "[topology]\nreplicas = 1\n",
       "x.toml:4: topology.replicas: 'single' has no replicas (replicated, sentinel and cluster "
       "have)"},
      {kLock + "[topology]\nname = \"sentinel\"\ndown-after = \"50ms\"\n",
       "x.toml:5: topology.down-after: not in 100ms..1m"},
      {kLock + "[topology]\nname = \"cluster\"\nnodes = 2\n",
       "x.toml:5: topology.nodes: 'cluster' has 3 to 5 masters, not 2"},
      {"[lock]\nname = \"set-nx-px\"\nwait-replicas = 2\n[topology]\nname = \"sentinel\"\n",
       "topology.replicas: wait-replicas is 2, but a node of 'sentinel' has 1 replicas: no grant "
       "could ever be"},
      {redlock + "direct = \"yes\"\n",
       "x.toml:4: topology.direct: 'yes' is neither true nor false"},
      {redlock + "nods = 5\n",
       "x.toml:4: setting 'topology.nods' is unknown (did you mean 'topology.nodes'?)"},
  };
  for (const Case& c : cases) EXPECT_EQ(Refusal(c.toml), c.message);
}

TEST(BuildPlan, NamesWhatIsWrongWithTheWorkload) {
  const std::string workload = kLock + "[workload]\n";
  const Case cases[] = {
      {workload + "name = \"inventry\"\n",
       "x.toml:4: workload.name: workload 'inventry' is unknown (did you mean 'inventory'?)"},
      {workload + "clients = 0\n", "x.toml:4: workload.clients: 0 is not in 1..200"},
      {workload + "clients = 201\n", "x.toml:4: workload.clients: 201 is not in 1..200"},
      {workload + "duration = \"0s\"\n",
       "x.toml:4: workload.duration: a run lasts more than nothing and at most 24h"},
      {workload + "duration = \"25h\"\n",
       "x.toml:4: workload.duration: a run lasts more than nothing and at most 24h"},
      {workload + "duration = 5\n",
       "x.toml:4: workload.duration: '5' has no unit (ns, us, ms, s, m, h): did you mean 5ms?"},
      {workload + "grace = \"-1s\"\n",
       "x.toml:4: workload.grace: '-1s' is negative; a duration is not"},
      {workload + "stock = -1\n",
       "x.toml:4: workload.stock: workload inventory: option stock: -1 is not in 0..1000000000"},
      {workload + "items = 0\n",
       "x.toml:4: workload.items: workload inventory: option items: 0 is not in 1..1000"},
      {workload + "write = \"decr\"\n",
       "x.toml:4: workload.write: workload inventory: option write: 'decr' is not possible (one "
       "of: read-modify-write, check-then-decr, fenced, watch, version, atomic-script)"},
      {workload + "stok = 1\n",
       "x.toml:4: workload.stok: workload inventory has no such setting (did you mean 'stock'?)"},
      {workload + "name = \"cycle\"\nstock = 1\n",
       "x.toml:5: workload.stock: workload cycle has no such setting (one of: think, name, "
       "clients, threads, duration, grace)"},
  };
  for (const Case& c : cases) EXPECT_EQ(Refusal(c.toml), c.message);
}

TEST(BuildPlan, NamesWhatIsWrongWithTheRest) {
  const Case cases[] = {
      {"seed = -1\n" + kLock, "x.toml:1: seed: -1 is not in 0..9223372036854775807"},
      {"nmae = \"k14\"\n" + kLock, "x.toml:1: setting 'nmae' is unknown (did you mean 'name'?)"},
      {kLock + "[retry]\njitter = 1.5\n", "x.toml:4: retry.jitter: 1.5 is not in 0..1"},
      {kLock + "[retry]\njitter = \"half\"\n", "x.toml:4: retry.jitter: 'half' is not a number"},
      {kLock + "[retry]\nretries = -2\n",
       "x.toml:4: retry.retries: -2 is not in -1..9223372036854775807"},
      {kLock + "[retry]\nintervall = \"1ms\"\n",
       "x.toml:4: setting 'retry.intervall' is unknown (did you mean 'retry.interval'?)"},
      {"claims = [\"exclusin\"]\n" + kLock,
       "x.toml:1: claims: claim 'exclusin' is unknown (did you mean 'exclusion'?)"},
      {"claims = [\"stock\"]\n" + kLock + "[workload]\nname = \"cycle\"\n",
       "x.toml:1: claims: workload cycle with lock set-nx-px gives nothing to judge claim 'stock' "
       "by (it has: "
       "exclusion, lease-exclusion, liveness)"},
      {kLock + "[expect]\nexclusin = \"valid\"\n",
       "x.toml:4: expect.exclusin: claim 'exclusin' is unknown (did you mean 'exclusion'?)"},
      {kLock + "[expect]\nexclusion = \"vaild\"\n",
       "x.toml:4: expect.exclusion: outcome 'vaild' is unknown (did you mean 'valid'?)"},
      {"claims = [\"stock\"]\n" + kLock + "[expect]\nexclusion = \"valid\"\n",
       "x.toml:5: expect.exclusion: claim 'exclusion' is unknown (one of: stock)"},
      {"faults = [\"puase\"]\n" + kLock,
       "x.toml:1: faults: fault profile 'puase' is unknown (did you mean 'pause'?)"},
      {"faults = [\"network\"]\n" + kLock + "[topology]\ndirect = true\n",
       "x.toml:1: faults: fault 'stalled-link': 'stall' acts on the network, which 'direct' goes "
       "round"},
  };
  for (const Case& c : cases) EXPECT_EQ(Refusal(c.toml), c.message);
}

TEST(BuildPlan, RefusesALockThatCannotServeAndSaysWhatCould) {
  const auto names = [](Trait trait) {
    return fmt::format("{}", fmt::join(LocksWith(trait), ", "));
  };
  const auto lock = [](const std::string& name) { return "lock.name = \"" + name + "\"\n"; };
  const struct {
    std::string toml;
    std::string message;
  } cases[] = {
      {lock("watch") + "workload.name = \"basket\"\n",
       "x.toml:2: workload.name: workload basket needs a lock that takes several keys at once (" +
           names(Trait::kManyKeys) + "), and watch does not"},
      {lock("set-nx-px") + "workload.name = \"basket\"\n",
       "x.toml:2: workload.name: workload basket needs a lock that takes several keys at once (" +
           names(Trait::kManyKeys) + "), and set-nx-px does not"},
      {lock("set-nx-px") + "workload.name = \"nested\"\n",
       "x.toml:2: workload.name: workload nested needs a lock that lets its owner enter again (" +
           names(Trait::kReentry) + "), and set-nx-px does not"},
      {lock("version") + "workload.name = \"catalogue\"\n",
       "x.toml:2: workload.name: workload catalogue needs a lock, and version takes none (it is "
       "for "
       "workload inventory)"},
      {lock("set-nx-px") + "workload.write = \"fenced\"\n",
       "x.toml:2: workload.write: write=fenced needs a lock that gives fencing tokens (" +
           names(Trait::kToken) + "), and set-nx-px does not"},
      {lock("set-nx-px") + "workload.fence-on = \"writes\"\n",
       "workload.name: fence-on=writes says what write=fenced compares; "
       "write=read-modify-write shows no tokens"},
      {lock("watch") + "workload.write = \"version\"\n",
       "x.toml:2: workload.write: lock watch takes no lock and goes with write=watch alone; "
       "write=version needs lock version, or one that is taken"},
      {lock("watch") + "workload.write = \"read-modify-write\"\n",
       "x.toml:2: workload.write: lock watch takes no lock and goes with write=watch alone; "
       "write=read-modify-write needs a lock that is taken"},
      {lock("redlock") + "topology.nodes = 1\n",
       "x.toml:2: topology.nodes: lock redlock uses 2 to 15 nodes, not 1"},
  };
  for (const auto& [toml, message] : cases) EXPECT_EQ(Refusal(toml), message);
}

TEST(BuildPlan, NamesWhatIsWrongWithAFault) {
  const auto fault = [](const std::string& lines) {
    return kLock + "[[fault]]\n" + lines;
  };  // from line 4
  const Case cases[] = {
      {fault("kind = \"puase\"\n"),
       "x.toml:4: fault.0.kind: fault 'puase' is unknown (did you mean 'pause'?)"},
      {fault("client = 1\n"), fmt::format("x.toml:4: fault.0.kind: which fault? (one of: {})",
                                          fmt::join(NamesOf(Faults()), ", "))},
      {fault("kind = \"pause\"\nclient = 1\nfro = \"1s\"\nfor = \"1s\"\n"),
       "x.toml:6: setting of fault pause 'fro' is unknown (did you mean 'from'?)"},
      {fault("kind = \"pause\"\nclient = 1\ncommand = \"SET\"\nfor = \"1s\"\n"),
       "x.toml:6: setting of fault pause 'command' is unknown (one of: during, every, from, name, "
       "nodes, on, times, until)"},
      {fault("kind = \"pause\"\nclient = 1\n"),
       "x.toml:4: fault.0.kind: fault 'pause-1': it never heals: 'for' (a duration) or 'until' (a "
       "step) is missing"},
      {fault("kind = \"pause\"\nfor = \"1s\"\n"),
       "x.toml:4: fault.0.kind: fault 'pause-1' (pause): acts on nobody: name a client, or nodes, "
       "or a step of a client (on)"},
      {fault("kind = \"pause\"\nclient = 5\nfor = \"1s\"\n"),
       "x.toml:4: fault.0.kind: fault 'pause-1': client 5 does not exist: the run has clients "
       "1..4"},
      {fault("kind = \"pause\"\nclient = 0\nfor = \"1s\"\n"),
       "x.toml:5: fault.0.client: 0 is not in 1..2147483647"},
      {fault("kind = \"pause\"\nnodes = [2]\nfor = \"1s\"\n"),
       "x.toml:4: fault.0.kind: fault 'pause-1': node 2 does not exist: the run has nodes 1..1"},
      {fault("kind = \"pause\"\nnodes = [\"first\"]\nfor = \"1s\"\n"),
       "x.toml:5: fault.0.nodes: 'first' is no node (1..1, all, majority, store)"},
      {fault("kind = \"pause\"\nclient = 1\nfor = \"1\"\n"),
       "x.toml:6: fault.0.for: '1' has no unit (ns, us, ms, s, m, h): did you mean 1ms?"},
      {fault("kind = \"pause\"\nclient = 1\nfor = \"6s\"\n"),
       "x.toml:4: fault.0.kind: fault 'pause-1': it lasts 6s, longer than the run (5s)"},
      {fault("kind = \"pause\"\nclient = 1\nfor = \"1s\"\nfrom = \"5s\"\n"),
       "x.toml:4: fault.0.kind: fault 'pause-1': it begins at 5s, after the run's end at 5s"},
      {fault("kind = \"pause\"\nclient = 1\nfor = \"1s\"\ntimes = 2\n"),
       "x.toml:4: fault.0.kind: fault 'pause-1': 'times' is more than one, but 'every' does not "
       "say how far apart"},
      {fault("kind = \"pause\"\nclient = 1\nfor = \"1s\"\ntimes = 0\n"),
       "x.toml:7: fault.0.times: 0 is not in 1..100000"},
      {fault("kind = \"pause\"\non = \"client 1 before-wriet\"\nfor = \"1s\"\n"),
       "x.toml:5: fault.0.on: step 'before-wriet' is unknown (did you mean 'before-write'?)"},
      {fault("kind = \"pause\"\non = \"before-write\"\nfor = \"1s\"\n"),
       "x.toml:5: fault.0.on: 'before-write' is not of the form 'client 2 after-read' or 'any "
       "after-read'"},
      {fault("kind = \"pause\"\non = \"client x start\"\nfor = \"1s\"\n"),
       "x.toml:5: fault.0.on: 'client x start' is not of the form 'client 2 after-read' or 'any "
       "after-read'"},
      {fault("kind = \"pause\"\non = \"client 9 start\"\nfor = \"1s\"\n"),
       "x.toml:4: fault.0.kind: fault 'pause-1': client 9 does not exist: the run has clients "
       "1..4"},
      {fault("kind = \"pause\"\nclient = 1\nuntil = \"end off x\"\n"),
       "x.toml:6: fault.0.until: 'end off x' is not of the form 'client 2 after-read' or 'any "
       "after-read', 'begin of FAULT' or 'end of FAULT'"},
      {fault("kind = \"pause\"\nclient = 1\nuntil = \"end of x\"\n"),
       "x.toml:4: fault.0.kind: fault 'pause-1': there is no other fault, so none 'x'"},
      {fault("kind = \"pause\"\nclient = 1\nuntil = \"end of jmup\"\n[[fault]]\nkind = "
             "\"jump\"\nname = \"jump\"\nclient = 1\nby = \"1s\"\nfor = \"1s\"\n"),
       "x.toml:4: fault.0.kind: fault 'pause-1': fault 'jmup' is unknown (did you mean 'jump'?)"},
      {fault("kind = \"pause\"\nclient = 1\nfor = \"1s\"\nduring = \"x\"\n"),
       "x.toml:4: fault.0.kind: fault 'pause-1': 'during' needs 'on': a step at which it starts"},
      {fault("kind = \"pause\"\non = \"any start\"\nfor = \"1s\"\nduring = \"x\"\n"),
       "x.toml:4: fault.0.kind: fault 'pause-1': there is no other fault, so none 'x'"},
      {fault("kind = \"pause\"\nname = \"p\"\nclient = 1\nfor = \"1s\"\n[[fault]]\nkind = "
             "\"pause\"\nname = \"p\"\nclient = 2\nfor = \"1s\"\n"),
       "x.toml:9: fault.1.kind: fault 'p': another fault has the same name"},
      {fault("kind = \"slow\"\nclient = 1\nfor = \"1s\"\n"),
       "x.toml:4: fault.0.kind: fault 'slow-1' (slow): needs a step to keep a client at (on)"},
      {fault("kind = \"jump\"\nclient = 1\nfor = \"1s\"\n"),
       "x.toml:4: fault.0.kind: fault 'jump-1' (jump): needs a span to jump by (by)"},
      {fault("kind = \"drift\"\nclient = 1\nfor = \"1s\"\n"),
       "x.toml:4: fault.0.kind: fault 'drift-1' (drift): needs a rate other than 1"},
      {fault("kind = \"drift\"\nclient = 1\nrate = 0\nfor = \"1s\"\n"),
       "x.toml:4: fault.0.kind: fault 'drift-1' (drift): rate is 0: it must be above 0 and at most "
       "100"},
      {fault("kind = \"delay\"\nfor = \"1s\"\n"),
       "x.toml:4: fault.0.kind: fault 'delay-1' (delay): needs a delay"},
      {fault("kind = \"drop\"\ndirection = \"up\"\n"),
       "x.toml:4: fault.0.kind: fault 'drop-1' (drop): direction 'up' is unknown (one of: request, "
       "reply, both)"},
      {fault("kind = \"drop\"\ncount = -1\n"),
       "x.toml:5: fault.0.count: -1 is not in 0..2147483647"},
      {fault("kind = \"drop\"\nnth = 0\n"), "x.toml:5: fault.0.nth: 0 is not in 1..2147483647"},
      {fault("kind = \"drop\"\nchance = 1.5\n"), "x.toml:5: fault.0.chance: 1.5 is not in 0..1"},
      {fault("kind = \"drop\"\nchance = 0\n"),
       "x.toml:4: fault.0.kind: fault 'drop-1' (drop): chance is 0: it must be above 0 and at most "
       "1"},
      {fault("kind = \"drop\"\nchanse = 0.5\n"),
       "x.toml:5: setting of fault drop 'chanse' is unknown (did you mean 'chance'?)"},
      {fault("kind = \"delay\"\ndelay = \"5ms\"\njitter = \"1ms\"\nspread = \"normel\"\nfor = "
             "\"1s\"\n"),
       "x.toml:4: fault.0.kind: fault 'delay-1' (delay): spread 'normel' is unknown (did you mean "
       "'normal'?)"},
      {fault("kind = \"drip\"\nbytes = 5\nfor = \"1s\"\n"),
       "x.toml:4: fault.0.kind: fault 'drip-1' (drip): needs a gap between them, from 100us to 60s "
       "(gap)"},
      {fault("kind = \"bandwidth\"\nbytes-per-second = 1000\n"),
       "x.toml:4: fault.0.kind: fault 'bandwidth-1': it never heals: 'for' (a duration) or 'until' "
       "(a step) is missing"},
      {fault("kind = \"duplicate\"\ncommand = \"client\"\n"),
       "x.toml:4: fault.0.kind: fault 'duplicate-1' (duplicate): command CLIENT cannot be sent "
       "twice: its client would be given replies it does not expect"},
      {fault("kind = \"duplicate\"\ndirection = \"reply\"\n"),
       "x.toml:5: setting of fault duplicate 'direction' is unknown (one of: chance, client, "
       "command, count, during, every, for, from, key, name, nodes, nth, on, times, until)"},
      {kLock + "[topology]\ndirect = true\n[[fault]]\nkind = \"drop\"\n",
       "x.toml:6: fault.0.kind: fault 'drop-1': 'drop' acts on the network, which 'direct' goes "
       "round"},
      {"[lock]\nname = \"redlock\"\n[topology]\nnodes = 2\n[[fault]]\nkind = \"pause\"\nnodes = "
       "[5]\nfor = \"1s\"\n",
       "x.toml:6: fault.0.kind: fault 'pause-1': node 5 does not exist: the run has nodes 1..2"},
      {kLock + "[[fault]]\n", "x.toml:3: fault: an empty table"},
  };
  for (const Case& c : cases) EXPECT_EQ(Refusal(c.toml), c.message);
}

TEST(BuildPlan, NamesWhatATimelineWaitsForInVain) {
  const auto fault = [](const std::string& lines) {
    return kLock + "[[fault]]\nkind = \"pause\"\n" + lines;
  };  // from line 5
  const std::string at = "x.toml:4: fault.0.kind: fault 'pause-1': ";
  const Case cases[] = {
      {fault("on = \"client 1 mid-acquire\"\nfor = \"1s\"\n"),
       at +
           "no client ever reaches mid-acquire: lock set-nx-px in workload inventory has the steps "
           "start, after-acquire, after-read, before-write, after-write, before-release, "
           "after-release"},
      {fault("client = 2\nuntil = \"any mid-release\"\n"),
       at +
           "no client ever reaches mid-release: lock set-nx-px in workload inventory has the steps "
           "start, after-acquire, after-read, before-write, after-write, before-release, "
           "after-release"},
      {"lock.name = \"redisson\"\nworkload.name = \"nested\"\n[[fault]]\nkind = \"slow\"\non = "
       "\"any after-read\"\nfor = \"1s\"\n",
       "x.toml:4: fault.0.kind: fault 'slow-1': no client ever reaches after-read: lock redisson "
       "in "
       "workload nested has the steps start, after-acquire, before-release, after-release"},
      {fault("client = 1\nuntil = \"client 1 after-acquire\"\n"),
       at + "it never heals: client 1 cannot reach after-acquire while this fault keeps it"},
      {fault("on = \"client 2 after-read\"\nuntil = \"client 2 after-acquire\"\n"),
       at + "it never heals: client 2 cannot reach after-acquire while this fault keeps it"},
      {"workload.clients = 1\n" + fault("on = \"any after-read\"\nuntil = \"any after-acquire\"\n"),
       "x.toml:5: fault.0.kind: fault 'pause-1': it never heals: client 1 cannot reach "
       "after-acquire while this fault keeps it"},
      {fault("name = \"a\"\nclient = 1\nuntil = \"end of b\"\n[[fault]]\nkind = \"pause\"\nname = "
             "\"b\"\nclient = 2\nuntil = \"end of a\"\n"),
       "x.toml:4: fault.0.kind: fault 'a': it never ends: the end of 'a' waits for the end of 'b' "
       "waits for the end of 'a'"},
      {fault(
           "name = \"a\"\non = \"client 1 start\"\nfor = \"1s\"\nduring = \"b\"\n[[fault]]\nkind = "
           "\"pause\"\nname = \"b\"\non = \"client 2 start\"\nfor = \"1s\"\nduring = \"a\"\n"),
       "x.toml:4: fault.0.kind: fault 'a': it never ends: the beginning of 'a' waits for the "
       "beginning of 'b' waits for the beginning of 'a'"},
      {fault("client = 1\nfor = \"1s\"\nfrom = \"1s\"\nevery = \"2s\"\ntimes = 3\n"),
       at + "the last of its 3 times is at 5s, after the run's end at 5s"},
      {kLock + "[[fault]]\nkind = \"delay\"\ndelay = \"6s\"\nfor = \"1s\"\n",
       "x.toml:4: fault.0.kind: fault 'delay-1': it delays by 6s, longer than the run (5s)"},
  };
  for (const Case& c : cases) EXPECT_EQ(Refusal(c.toml), c.message);
}

TEST(BuildPlan, NamesWhatIsWrongWithAPartition) {
  const auto cut = [](const std::string& lines) {
    return "[lock]\nname = \"redlock\"\n[[fault]]\nkind = \"partition\"\nfor = \"1s\"\n" + lines;
  };  // from line 6
  const Case cases[] = {
      {cut(""),
       "x.toml:4: fault.0.kind: fault 'partition-1' (partition): needs the nodes that are "
       "cut off (nodes), or how the links are split (sides)"},
      {cut("sides = \"minorty\"\n"),
       "x.toml:6: fault.0.sides: split 'minorty' is unknown (did you mean 'minority'?)"},
      {cut("sides = \"ring\"\nnodes = [1]\n"),
       "x.toml:6: fault.0.sides: it says which nodes: leave nodes and links out"},
      {cut("sides = \"ring\"\n") + "[topology]\nnodes = 2\n",
       "x.toml:6: fault.0.sides: 'ring' splits 3 nodes or more, not 2: name them (nodes)"},
      {cut("links = [\"1+2\"]\n"),
       "x.toml:6: fault.0.links: '1+2' is no link: '2-1' is client 2 and node 1, '2-store' the "
       "store"},
      {cut("links = [\"9-1\"]\n"),
       "x.toml:4: fault.0.kind: fault 'partition-1': client 9 does not exist: the run has clients "
       "1..4"},
      {cut("links = [\"1-9\"]\n"),
       "x.toml:4: fault.0.kind: fault 'partition-1': node 9 does not exist: the run has nodes "
       "1..5"},
      {cut("links = [\"1-2\"]\nclient = 1\n"),
       "x.toml:4: fault.0.kind: fault 'partition-1' (partition): is of the links it lists: leave "
       "client and nodes out"},
  };
  for (const Case& c : cases) EXPECT_EQ(Refusal(c.toml), c.message);
  const Plan plan = Good(cut("sides = \"ring\"\n"));
  EXPECT_EQ(plan.faults[0].links.size(), 8u);
  EXPECT_EQ(Good(cut("links = [\"2-1\", \"3-store\"]\n")).faults[0].links,
            (std::vector<Link>{{.client = 2, .node = 1}, {.client = 3, .node = 0}}));
}

TEST(BuildPlan, NamesWhatIsWrongWithANemesis) {
  const std::string nemesis = kLock + "[nemesis]\n";  // line 3
  const Case cases[] = {
      {nemesis + "faults = \"puase\"\n",
       "x.toml:4: nemesis.faults: member of a nemesis 'puase' is unknown (did you mean 'pause'?)"},
      {nemesis + "every = \"1s\"\n",
       "x.toml:4: nemesis.every: of what? nemesis.faults (--nemesis) is missing: any of pause, "
       "clock, network, partition"},
      {nemesis + "faults = \"pause\"\nevery = \"0s\"\n",
       "x.toml:5: nemesis.every: it must be above nothing"},
      {nemesis + "faults = \"pause\"\nshortest = \"2s\"\nlongest = \"1s\"\n",
       "x.toml:5: nemesis.shortest: 2s is not above nothing and at most nemesis.longest, 1s"},
      {nemesis + "faults = \"pause\"\nlongest = \"4s\"\n",
       "x.toml:4: nemesis.faults: the run of 5s has no room for a fault of 4s between the first "
       "lease and the 1s of calm at its end: a duration of 5.5s has"},
      {nemesis + "faults = \"pause, network\"\n[topology]\ndirect = true\n",
       "x.toml:4: nemesis.faults: 'network' acts on the network, which 'direct' goes round"},
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

TEST(BuildPlan, AFlagNamesItself) {
  Settings settings;
  settings.Set("lock.name", "set-nx-px", "--lock");
  settings.Set("lock.lease", "500", "--lease");
  const Result<Plan> plan = BuildPlan(settings);
  ASSERT_FALSE(plan.has_value());
  EXPECT_EQ(plan.error().message,
            "--lease: '500' has no unit (ns, us, ms, s, m, h): did you mean 500ms?");
}

TEST(CheckPlan, RefusesWhatCannotBeRunHere) {
  const Plan good = Good("faults = \"pause\"\nlock.name = \"redlock\"\n");
  const struct {
    std::function<void(Plan&)> spoil;
    std::string message;
  } cases[] = {
      {[](Plan& p) { p.lock = "redlok"; },
       "p.json: lock 'redlok' is unknown (did you mean 'redlock'?)"},
      {[](Plan& p) { p.workload = "inventry"; },
       "p.json: workload 'inventry' is unknown (did you mean 'inventory'?)"},
      {[](Plan& p) { p.topology = "clustr"; },
       "p.json: topology 'clustr' is unknown (did you mean 'cluster'?)"},
      {[](Plan& p) { p.replicas = 1; },
       "p.json: topology.replicas: 'independent' has no replicas (replicated, sentinel and cluster "
       "have)"},
      {[](Plan& p) { p.down_after = 1s; }, "p.json: a number is out of its range"},
      {[](Plan& p) { p.lease = 0s; }, "p.json: a number is out of its range"},
      {[](Plan& p) { p.clients = 0; }, "p.json: a number is out of its range"},
      {[](Plan& p) { p.nodes = 1; },
       "p.json: topology.nodes: lock redlock uses 2 to 15 nodes, not 1"},
      {[](Plan& p) { p.duration = -1s; }, "p.json: a number is out of its range"},
      {[](Plan& p) { p.call_timeout = 0s; }, "p.json: a number is out of its range"},
      {[](Plan& p) { p.grace = -1s; }, "p.json: a number is out of its range"},
      {[](Plan& p) { p.retry.interval = -1s; }, "p.json: a number is out of its range"},
      {[](Plan& p) { p.retry.jitter = 2; }, "p.json: a number is out of its range"},
      {[](Plan& p) { p.retry.retries = -2; }, "p.json: a number is out of its range"},
      {[](Plan& p) { p.retry.timeout = -1s; }, "p.json: a number is out of its range"},
      {[](Plan& p) { p.lock_options.erase("ask"); },
       "p.json: lock redlock: option 'ask' is missing"},
      {[](Plan& p) { p.lock_options["ask"] = "all"; },
       "p.json: lock redlock: option ask: 'all' is not possible (one of: in-turn, at-once)"},
      {[](Plan& p) { p.lock_options["node-timeout"] = "30ms"; },
       "p.json: lock redlock: option node-timeout: '30ms' is not a whole number"},
      {[](Plan& p) { p.workload_options["stock"] = "many"; },
       "p.json: workload inventory: option stock: 'many' is not a whole number"},
      {[](Plan& p) { p.workload_options["items"] = "0"; },
       "p.json: workload inventory: option items: 0 is not in 1..1000"},
      {[](Plan& p) { p.workload_options["itms"] = "1"; },
       "p.json: workload inventory: option 'itms' is unknown (did you mean 'items'?)"},
      {[](Plan& p) { p.claims = {"exclusin"}; },
       "p.json: claim 'exclusin' is unknown (did you mean 'exclusion'?)"},
      {[](Plan& p) { p.expect["exclusin"] = "valid"; },
       "p.json: expect: claim 'exclusin' is unknown (did you mean 'exclusion'?)"},
      {[](Plan& p) { p.expect["exclusion"] = "vaild"; },
       "p.json: expect: outcome 'vaild' is unknown (did you mean 'valid'?)"},
      {[](Plan& p) { p.faults[0].kind = "puase"; },
       "p.json: fault 'stopped-client': fault 'puase' is unknown (did you mean 'pause'?)"},
      {[](Plan& p) { p.faults[0].client = 7; },
       "p.json: fault 'stopped-client': client 7 does not exist: the run has clients 1..4"},
      {[](Plan& p) { p.faults[0].client = 0; },
       "p.json: fault 'stopped-client': client 0 does not exist: the run has clients 1..4"},
      {[](Plan& p) { p.faults[0].on->client = -1; },
       "p.json: fault 'stopped-client': client -1 does not exist: the run has clients 1..4"},
      {[](Plan& p) { p.faults[0].nodes = {-1}; },
       "p.json: fault 'stopped-client': node -1 does not exist: the run has nodes 1..5"},
      {[](Plan& p) { p.faults[0].times = 0; },
       "p.json: fault 'stopped-client': a number is out of its range"},
      {[](Plan& p) { p.faults[0].every = -1s; },
       "p.json: fault 'stopped-client': a number is out of its range"},
      {[](Plan& p) { p.faults[0].from = -1s; },
       "p.json: fault 'stopped-client': a number is out of its range"},
      {[](Plan& p) { p.faults[0].length = -1s; },
       "p.json: fault 'stopped-client': a number is out of its range"},
      {[](Plan& p) { p.faults[0].delay = -1s; },
       "p.json: fault 'stopped-client': a number is out of its range"},
      {[](Plan& p) { p.faults[0].jitter = -1s; },
       "p.json: fault 'stopped-client': a number is out of its range"},
      {[](Plan& p) { p.faults.push_back(p.faults[0]); },
       "p.json: fault 'stopped-client': another fault has the same name"},
  };
  for (const auto& [spoil, message] : cases) {
    Plan plan = good;
    spoil(plan);
    const Result<void> checked = CheckPlan(plan, "p.json");
    ASSERT_FALSE(checked.has_value()) << message;
    EXPECT_EQ(checked.error().message, message);
  }
}

}  // namespace
}  // namespace doublehold
