// Tests errors in the settings of a plan, except in its faults, and their messages.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "compose/driver/bundled_drivers.h"
#include "compose/driver/driver.h"
#include "compose/plan/plan_builder.h"
#include "compose/testing/plan_testing.h"
#include "lib/base/words.h"
#include "lib/locks/registry.h"

namespace doublehold {
namespace {

using testing::Case;
using testing::kLock;
using testing::Refusal;

TEST(BuildPlan, RefusesAnInvalidLockSettingWithTheReason) {
  std::vector<std::string> locks_and_libraries = ListNames(Locks());
  for (const KeptDriver& library : KeptDrivers()) {
    if (FindLock(library.name) == nullptr) locks_and_libraries.push_back(library.name);
  }
  const Case cases[] = {
      {"", fmt::format("lock.name: no lock is named; use --lock NAME (one of: {})",
                       fmt::join(ListNames(Locks()), ", "))},
      {"[lock]\nnam = \"redlock\"\n",
       "x.toml:2: lock.nam: setting 'lock.nam' is unknown (did you mean 'lock.name'?)"},
      {"[lock]\nname = \"redlok\"\n",
       "x.toml:2: lock.name: lock 'redlok' is unknown (did you mean 'redlock'?)"},
      {"[lock]\nname = \"chubby\"\n",
       fmt::format("x.toml:2: lock.name: lock 'chubby' is unknown (one of: {})",
                   fmt::join(locks_and_libraries, ", "))},
      {"[lock]\nname = \"driver\"\n",
       "x.toml:2: lock.name: needs a driver; use --driver COMMAND, or set lock.driver"},
      {kLock + "driver = \"true\"\n",
       "x.toml:2: lock.name: must be 'driver', because lock.driver is set"},
      {"[lock]\ndriver = \"\"\n",
       "x.toml:2: lock.driver: is empty; name the command that starts the driver"},
      {"[lock]\nname = [\"redlock\"]\n", "x.toml:2: lock.name: needs one value, not a list"},
      {kLock + "lease = \"500\"\n",
       "x.toml:3: lock.lease: '500' has no unit (ns, us, ms, s, m, h): did you mean 500ms?"},
      {kLock + "lease = 500\n",
       "x.toml:3: lock.lease: '500' has no unit (ns, us, ms, s, m, h): did you mean 500ms?"},
      {kLock + "lease = \"0s\"\n", "x.toml:3: lock.lease: must be at least 1ms"},
      {kLock + "lease = \"-1s\"\n",
       "x.toml:3: lock.lease: '-1s' is negative; a duration must be 0 or more"},
      {kLock + "lease = \"1 lease\"\n",
       "x.toml:3: lock.lease: '1 lease' has the unknown unit 'lease' (ns, us, ms, s, m, h)"},
      {kLock + "call-timeout = \"0s\"\n", "x.toml:3: lock.call-timeout: must be above 0"},
      {kLock + "leese = \"1s\"\n",
       "x.toml:3: lock.leese: lock set-nx-px has no such setting (did you mean 'lease'?)"},
      {kLock + "ask = \"at-once\"\n",
       "x.toml:3: lock.ask: lock set-nx-px has no such setting (one of: wait-replicas, "
       "wait-timeout, name, lease, pace, call-timeout)"},
      {"[lock]\nname = \"redlock\"\nask = \"at-onse\"\n",
       "x.toml:3: lock.ask: lock redlock: option ask: 'at-onse' is unknown (did you mean "
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

TEST(BuildPlan, RefusesAnInvalidTopologySettingWithTheReason) {
  const std::string redlock = "[lock]\nname = \"redlock\"\n[topology]\n";
  const std::string replicated = kLock + "[topology]\nname = \"replicated\"\n";
  const std::string external = kLock + "[topology]\nendpoints = \"redis://10.0.0.5\"\n";
  const Case cases[] = {
      {redlock + "nodes = 1\n", "x.toml:4: topology.nodes: lock redlock uses 2 to 15 nodes, not 1"},
      {redlock + "nodes = 16\n", "x.toml:4: topology.nodes: 16 is not in 1..15"},
      {redlock + "nodes = 0\n", "x.toml:4: topology.nodes: 0 is not in 1..15"},
      {redlock + "nodes = \"five\"\n", "x.toml:4: topology.nodes: 'five' is not a whole number"},
      {kLock + "[topology]\nnodes = 5\n",
       "x.toml:4: topology.nodes: lock set-nx-px uses exactly 1 node, not 5"},
      {redlock + "name = \"single\"\n",
       "x.toml:4: topology.name: 'single' has one node, not 5; use independent"},
      {redlock + "name = \"clustr\"\n",
       "x.toml:4: topology.name: topology 'clustr' is unknown (did you mean 'cluster'?)"},
      {redlock + "name = \"replicated\"\n",
       "x.toml:4: topology.name: lock redlock uses 2 to 15 nodes, which must be independent: use "
       "topology independent, not 'replicated'"},
      {replicated + "nodes = 2\n",
       "x.toml:5: topology.nodes: 'replicated' has one primary, not 2; 'replicas' says how many "
       "servers follow it"},
      {replicated + "replicas = 0\n", "x.toml:5: topology.replicas: 0 is not in 1..4"},
      {replicated + "replicas = 5\n", "x.toml:5: topology.replicas: 5 is not in 0..4"},
      {replicated + "direct = true\n",
       "x.toml:5: topology.direct: the servers of 'replicated' need the proxy, which 'direct' "
       "bypasses"},
      {replicated + "down-after = \"1s\"\n",
       "x.toml:5: topology.down-after: the servers of 'replicated' do not detect that another is "
       "down; use sentinel or cluster"},
      {kLock + "[topology]\nreplicas = 1\n",
       "x.toml:4: topology.replicas: 'single' has no replicas; use replicated, sentinel or "
       "cluster"},
      {kLock + "[topology]\nname = \"sentinel\"\ndown-after = \"50ms\"\n",
       "x.toml:5: topology.down-after: must be from 100ms to 1m"},
      {kLock + "[topology]\nname = \"cluster\"\nnodes = 2\n",
       "x.toml:5: topology.nodes: 'cluster' has 3 to 5 masters, not 2"},
      {"[lock]\nname = \"set-nx-px\"\nwait-replicas = 2\n[topology]\nname = \"sentinel\"\n",
       "topology.replicas: wait-replicas is 2, but a node of 'sentinel' has 1 replicas: every "
       "acquire would fail"},
      {kLock + "[topology]\nname = \"external\"\n",
       "x.toml:4: topology.name: 'external' has one --endpoint for each node: 0 for 1 node"},
      {kLock + "[topology]\nendpoints = [\"redis://a\", \"redis://b\"]\n",
       "x.toml:4: topology.endpoints: lock set-nx-px uses exactly 1 node, not 2"},
      {redlock + "endpoints = [\"redis://a\", \"redis://b\", \"redis://a:6379\"]\n",
       "x.toml:4: topology.endpoints: a:6379 is named twice; nodes must be servers of their own"},
      {redlock + "endpoints = [\"redis://a\", \"redis://b\"]\nnodes = 3\n",
       "x.toml:5: topology.nodes: 'external' has one --endpoint for each node: 2 for 3 nodes"},
      {redlock + "name = \"independent\"\nendpoints = \"redis://a\"\n",
       "x.toml:5: topology.endpoints: the servers of 'independent' are started by the run; use "
       "topology external"},
      {redlock + "i-own-this-server = true\n",
       "x.toml:4: topology.i-own-this-server: the servers of 'independent' are started by the run; "
       "use topology external"},
      {redlock + "endpoints = []\n", "x.toml:4: topology.endpoints: names no server"},
      {redlock + "containers = \"a\"\n",
       "x.toml:4: topology.containers: the servers of 'independent' are started by the run; use "
       "topology external"},
      {external + "containers = [\"a\", \"b\"]\n",
       "x.toml:5: topology.containers: 2 for 1 endpoint; name one for each, in the same order"},
      {external + "containers = \"--all\"\n",
       "x.toml:5: topology.containers: '--all' is not a name of a container"},
      {external + "direct = true\n",
       "x.toml:5: topology.direct: clients reach the servers of 'external' only through the proxy, "
       "which guards them; remove 'direct'"},
      {external + "net = \"namespaces\"\n",
       "x.toml:5: topology.net: the servers of 'external' are in no namespace of the run; use "
       "net = \"proxy\""},
      {external + "server = \"redis@6.2\"\n",
       "x.toml:5: topology.server: the servers of 'external' run already; remove 'server'"},
      {"[lock]\nname = \"etcd\"\n[topology]\nendpoints = \"redis://a\"\n",
       "x.toml:4: topology.endpoints: lock etcd keeps its keys in etcd, which has no topology "
       "'external' (one of: single, ensemble)"},
      {redlock + "net = \"namespace\"\n",
       "x.toml:4: topology.net: network 'namespace' is unknown (did you mean 'namespaces'?)"},
      {kLock + "[topology]\nname = \"cluster\"\nnet = \"namespaces\"\n",
       "x.toml:5: topology.net: the servers of 'cluster' also connect to each other directly, "
       "which namespaces do not support; use net = \"proxy\""},
      {redlock + "packet-delay = \"1ms\"\n",
       "x.toml:4: topology.packet-delay: needs net = \"namespaces\"; or use the fault 'delay', "
       "which delays commands in the proxy"},
      {redlock + "packet-delay = \"1m\"\nnet = \"namespaces\"\n",
       "x.toml:4: topology.packet-delay: must be from 0s to 10s"},
      {redlock + "direct = \"yes\"\n",
       "x.toml:4: topology.direct: 'yes' is neither true nor false"},
      {redlock + "nods = 5\n",
       "x.toml:4: setting 'topology.nods' is unknown (did you mean 'topology.nodes'?)"},
      {kLock + "[topology]\nkind = \"sentinel\"\n",
       "x.toml:4: setting 'topology.kind' is unknown (did you mean 'topology.name'?)"},
  };
  for (const Case& c : cases) EXPECT_EQ(Refusal(c.toml), c.message);
}

TEST(BuildPlan, RefusesAnInvalidWorkloadSettingWithTheReason) {
  const std::string workload = kLock + "[workload]\n";
  const Case cases[] = {
      {workload + "name = \"inventry\"\n",
       "x.toml:4: workload.name: workload 'inventry' is unknown (did you mean 'inventory'?)"},
      {workload + "clients = 0\n", "x.toml:4: workload.clients: 0 is not in 1..256"},
      {workload + "clients = 257\n", "x.toml:4: workload.clients: 257 is not in 1..256"},
      {workload + "duration = \"0s\"\n",
       "x.toml:4: workload.duration: must be above 0 and at most 24h"},
      {workload + "duration = \"25h\"\n",
       "x.toml:4: workload.duration: must be above 0 and at most 24h"},
      {workload + "duration = 5\n",
       "x.toml:4: workload.duration: '5' has no unit (ns, us, ms, s, m, h): did you mean 5s?"},
      {workload + "grace = \"-1s\"\n",
       "x.toml:4: workload.grace: '-1s' is negative; a duration must be 0 or more"},
      {workload + "stock = -1\n",
       "x.toml:4: workload.stock: workload inventory: option stock: -1 is not in 0..1000000000"},
      {workload + "items = 0\n",
       "x.toml:4: workload.items: workload inventory: option items: 0 is not in 1..1000"},
      {workload + "write = \"decr\"\n",
       "x.toml:4: workload.write: workload inventory: option write: 'decr' is unknown (one "
       "of: read-modify-write, check-then-decr, fenced, watch, version, atomic-script, "
       "postgres-row)"},
      {workload + "write = \"watch\"\nstore = \"postgres\"\n",
       "x.toml:4: workload.write: store=postgres has no write=watch (one of: read-modify-write, "
       "check-then-decr, fenced, version, postgres-row)"},
      {workload + "write = \"postgres-row\"\n",
       "x.toml:4: workload.write: store=redis has no write=postgres-row (one of: "
       "read-modify-write, check-then-decr, fenced, watch, version, atomic-script)"},
      {workload + "stok = 1\n",
       "x.toml:4: workload.stok: workload inventory has no such setting (did you mean 'stock'?)"},
      {workload + "name = \"cycle\"\nstock = 1\n",
       "x.toml:5: workload.stock: workload cycle has no such setting (one of: work, think, "
       "every, name, clients, threads, duration, sections, grace)"},
  };
  for (const Case& c : cases) EXPECT_EQ(Refusal(c.toml), c.message);
}

TEST(BuildPlan, RefusesAnyOtherInvalidSettingWithTheReason) {
  const Case cases[] = {
      {"seed = -1\n" + kLock, "x.toml:1: seed: -1 is not in 0..9223372036854775807"},
      {"speed = 101\n" + kLock, "x.toml:1: speed: 101 is not in 1..100"},
      {"speed = 10\n[lock]\nname = \"etcd\"\nlease = \"2s\"\n",
       "x.toml:1: speed: a server of etcd is a static program, whose time cannot run fast"},
      {"nmae = \"k14\"\n" + kLock, "x.toml:1: setting 'nmae' is unknown (did you mean 'name'?)"},
      {kLock + "[retry]\njitter = 1.5\n", "x.toml:4: retry.jitter: 1.5 is not in 0..1"},
      {kLock + "[retry]\njitter = \"half\"\n", "x.toml:4: retry.jitter: 'half' is not a number"},
      {kLock + "[retry]\nretries = -2\n",
       "x.toml:4: retry.retries: -2 is not in -1..9223372036854775807"},
      {kLock + "[retry]\nintervall = \"1ms\"\n",
       "x.toml:4: setting 'retry.intervall' is unknown (did you mean 'retry.interval'?)"},
      {"faults = \"\"\n" + kLock, "x.toml:1: faults: is empty; use 'none' for no faults"},
      {"faults = [\"none\", \"pause\"]\n" + kLock, "x.toml:1: faults: 'none' stands alone"},
      {"claims = \" \"\n" + kLock, "x.toml:1: claims: is empty"},
      {"claims = \"stock,,order\"\n" + kLock,
       "x.toml:1: claims: a word is missing between its commas"},
      {"claims = [\"exclusin\"]\n" + kLock,
       "x.toml:1: claims: claim 'exclusin' is unknown (did you mean 'exclusion'?)"},
      {"claims = [\"stock\"]\n" + kLock + "[workload]\nname = \"cycle\"\n",
       "x.toml:1: claims: workload cycle with lock set-nx-px cannot judge claim 'stock' (it "
       "judges: exclusion, lease-exclusion, liveness, max-wait, commands-per-hold, "
       "commands-per-grant)"},
      {"claims = [\"max-wait\"]\n" + kLock,
       "x.toml:1: claims: claim 'max-wait' needs a limit: --limit max-wait=5s"},
      {kLock + "[limits]\nmax-wiat = \"5s\"\n",
       "x.toml:4: limits.max-wiat: limit 'max-wiat' is unknown (did you mean 'max-wait'?)"},
      {kLock + "[limits]\nstock = \"5s\"\n",
       "x.toml:4: limits.stock: limit 'stock' is unknown (one of: max-wait, commands-per-hold, "
       "commands-per-grant)"},
      {kLock + "[limits]\nmax-wait = \"0s\"\n", "x.toml:4: limits.max-wait: '0s' is not above 0"},
      {kLock + "[limits]\ncommands-per-hold = \"few\"\n",
       "x.toml:4: limits.commands-per-hold: 'few' is not a number of at least 1"},
      {kLock + "[limits]\ncommands-per-hold = 5\n[topology]\ndirect = true\n",
       "x.toml:4: limits.commands-per-hold: claim 'commands-per-hold' is judged by the commands in "
       "the proxy, which 'direct' bypasses"},
      {"[lock]\nname = \"watch\"\n[limits]\nmax-wait = \"5s\"\n",
       "x.toml:4: limits.max-wait: workload inventory with lock watch cannot judge claim "
       "'max-wait' (it judges: stock)"},
      {kLock + "[expect]\nexclusin = \"valid\"\n",
       "x.toml:4: expect.exclusin: claim 'exclusin' is unknown (did you mean 'exclusion'?)"},
      {kLock + "[expect]\nexclusion = \"vaild\"\n",
       "x.toml:4: expect.exclusion: outcome 'vaild' is unknown (did you mean 'valid'?)"},
      {"claims = [\"stock\"]\n" + kLock + "[expect]\nexclusion = \"valid\"\n",
       "x.toml:5: expect.exclusion: claim 'exclusion' is unknown (one of: stock)"},
      {kLock + "[expect]\nstock = \"violated\"\n[expect_cause]\nstok = \"stopped\"\n",
       "x.toml:6: expect_cause.stok: claim 'stok' is unknown (did you mean 'stock'?)"},
      {kLock + "[expect]\nstock = \"any\"\n[expect_cause]\nstock = [\"overran\", \"stoped\"]\n",
       "x.toml:6: expect_cause.stock: cause 'stoped' is unknown (did you mean 'stopped'?)"},
      {kLock + "[expect]\nstock = \"valid\"\n[expect_cause]\nstock = \"stopped\"\n",
       "x.toml:6: expect_cause.stock: needs expect.stock = \"violated\" or \"any\""},
      {kLock + "[expect_cause]\nstock = \"stopped\"\n",
       "x.toml:4: expect_cause.stock: needs expect.stock = \"violated\" or \"any\""},
      {"faults = [\"puase\"]\n" + kLock,
       "x.toml:1: faults: fault profile 'puase' is unknown (did you mean 'pause'?)"},
      {"faults = [\"failover\"]\n" + kLock,
       "x.toml:1: faults: profile 'failover': it needs replicas, which 'single' does not have; use "
       "replicated, sentinel or cluster"},
      {"faults = [\"crash\"]\n" + kLock + "[workload]\nclients = 1\n",
       "x.toml:1: faults: profile 'crash': it kills clients one by one, so it needs 2 or more"},
      {"faults = [\"network\"]\n" + kLock + "[topology]\ndirect = true\n",
       "x.toml:1: faults: fault 'stalled-link': 'stall' needs the proxy, which 'direct' bypasses"},
      {"claims = [\"idle-traffic\"]\n" + kLock + "[topology]\ndirect = true\n",
       "x.toml:1: claims: claim 'idle-traffic' is judged by the commands in the proxy, which "
       "'direct' bypasses"},
  };
  for (const Case& c : cases) EXPECT_EQ(Refusal(c.toml), c.message);
}

TEST(BuildPlan, RefusesALockThatDoesNotFitAndSuggestsOthers) {
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
           names(Trait::kManyKeys) + "), not watch"},
      {lock("set-nx-px") + "workload.name = \"basket\"\n",
       "x.toml:2: workload.name: workload basket needs a lock that takes several keys at once (" +
           names(Trait::kManyKeys) + "), not set-nx-px"},
      {lock("set-nx-px") + "workload.name = \"nested\"\n",
       "x.toml:2: workload.name: workload nested needs a lock that is reentrant (" +
           names(Trait::kReentry) + "), not set-nx-px"},
      {lock("version") + "workload.name = \"catalogue\"\n",
       "x.toml:2: workload.name: workload catalogue needs a lock, and version takes none (it is "
       "for "
       "workload inventory)"},
      {lock("set-nx-px") + "workload.write = \"fenced\"\n",
       "x.toml:2: workload.write: write=fenced needs a lock that gives fencing tokens (" +
           names(Trait::kToken) + "), and set-nx-px does not"},
      {lock("set-nx-px") + "workload.fence-on = \"writes\"\n",
       "workload.name: fence-on=writes applies only to write=fenced, not to "
       "write=read-modify-write"},
      {lock("watch") + "workload.write = \"version\"\n",
       "x.toml:2: workload.write: lock watch takes no lock and works only with write=watch; "
       "write=version needs lock version, or a real lock"},
      {lock("watch") + "workload.write = \"read-modify-write\"\n",
       "x.toml:2: workload.write: lock watch takes no lock and works only with write=watch; "
       "write=read-modify-write needs a real lock"},
      {lock("redlock") + "topology.nodes = 1\n",
       "x.toml:2: topology.nodes: lock redlock uses 2 to 15 nodes, not 1"},
  };
  for (const auto& [toml, message] : cases) EXPECT_EQ(Refusal(toml), message);
}

TEST(BuildPlan, AnErrorInAFlagsValueNamesTheFlag) {
  Settings settings;
  settings.Set("lock.name", "set-nx-px", "--lock");
  settings.Set("lock.lease", "500", "--lease");
  const Result<Plan> plan = BuildPlan(settings);
  ASSERT_FALSE(plan.has_value());
  EXPECT_EQ(plan.error().message,
            "--lease: '500' has no unit (ns, us, ms, s, m, h): did you mean 500ms?");
}

TEST(BuildPlan, NamesTheDurationThatAProfileNeedsAtThisLease) {
  const std::string lease = "lease = \"30s\"\n";
  EXPECT_EQ(Refusal("faults = [\"pause\"]\n" + kLock + lease + "[workload]\nduration = \"10s\"\n"),
            "x.toml:1: faults: profile 'pause': with a lease of 30s it begins at 18s, after the "
            "run's end at 10s; use --duration 81s or more");
}

}  // namespace
}  // namespace doublehold
