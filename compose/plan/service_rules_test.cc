#include "compose/plan/service_rules.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "compose/testing/plan_testing.h"

namespace doublehold {
namespace {

using testing::Refusal;

struct ServiceRefusal {
  std::string toml;  // after the lock's name
  std::string message;
};

TEST(ServiceRules, RefusesWhatZooKeeperCannotServeWithTheReason) {
  const std::string fault = "[[fault]]\nfrom = \"1s\"\nnodes = [1]\n";
  const std::vector<ServiceRefusal> cases{
      {"lock.lease = \"300ms\"\n",
       "x.toml:2: lock.lease: must be at least 400ms: a session of ZooKeeper lasts at least two "
       "ticks of 200ms"},
      {"topology.name = \"sentinel\"\n",
       "x.toml:2: topology.name: lock zookeeper keeps its keys in ZooKeeper, which has no topology "
       "'sentinel' (one of: single, ensemble)"},
      {"topology.net = \"namespaces\"\n", "accepted"},
      {"topology.name = \"ensemble\"\n" + fault + "kind = \"jump\"\nfor = \"1s\"\nby = \"1s\"\n",
       "x.toml:5: fault.0.nodes: fault 'jump-1': in an ensemble of ZooKeeper, only the leader "
       "tells its time, so nobody could see whether another server's clock was moved"},
      {fault + "kind = \"flush\"\n",
       "x.toml:4: fault.0.nodes: fault 'flush-1': it acts on Redis, but the nodes of lock "
       "zookeeper "
       "are servers of ZooKeeper"},
      {fault + "kind = \"restart\"\ndata = \"rdb\"\n",
       "x.toml:6: fault.0.data: fault 'restart-1': a node of ZooKeeper cannot keep 'rdb' (one of: "
       "empty, aof)"},
      {"[[fault]]\nkind = \"duplicate\"\nfrom = \"1s\"\ncount = 1\n",
       "x.toml:3: fault.0.kind: fault 'duplicate-1': a connection to ZooKeeper answers each "
       "request "
       "once, so that none can be sent twice"},
  };
  for (const ServiceRefusal& c : cases)
    EXPECT_EQ(Refusal("lock.name = \"zookeeper\"\n" + c.toml), c.message);
}

TEST(ServiceRules, RefusesWhatEtcdCannotServeWithTheReason) {
  const std::string lease = "lock.lease = \"1s\"\n";
  const std::string fault = lease + "[[fault]]\nfrom = \"1s\"\nnodes = [1]\n";
  const std::vector<ServiceRefusal> cases{
      {"lock.lease = \"999ms\"\n",
       "x.toml:2: lock.lease: must be at least 1s: etcd counts leases in whole seconds"},
      {"lock.lease = \"1500ms\"\n",
       "x.toml:2: lock.lease: must be a multiple of 1s: etcd counts leases in whole seconds"},
      {fault + "kind = \"jump\"\nfor = \"1s\"\nby = \"1s\"\n",
       "x.toml:5: fault.0.nodes: fault 'jump-1': a server of etcd is a static program, so no clock "
       "shim can move its clock"},
      {"topology.name = \"ensemble\"\n" + fault + "kind = \"restart\"\ndata = \"empty\"\n",
       "x.toml:8: fault.0.data: fault 'restart-1': a member of an ensemble of etcd cannot keep "
       "'empty' (one of: aof)"},
      {fault + "kind = \"restart\"\ndata = \"empty\"\nfor = \"1s\"\n", "accepted"},
  };
  for (const ServiceRefusal& c : cases)
    EXPECT_EQ(Refusal("lock.name = \"etcd\"\n" + c.toml), c.message);
}

// The store is a Redis, whatever service the lock uses.
TEST(ServiceRules, AFaultOfRedisMayActOnTheStore) {
  EXPECT_EQ(Refusal("lock.name = \"zookeeper\"\n[[fault]]\nfrom = \"1s\"\nnodes = \"store\"\n"
                    "kind = \"forget-scripts\"\n"),
            "accepted");
}

TEST(ServiceRules, RefusesWhatPostgresCannotServeWithTheReason) {
  const std::string replicated = "topology.name = \"replicated\"\n";
  const std::vector<ServiceRefusal> cases{
      {replicated, "accepted"},
      {replicated + "topology.replicas = 2\n",
       "x.toml:3: topology.replicas: servers of PostgreSQL run with at most 1 replica"},
      {replicated +
           "[[fault]]\nfrom = \"1s\"\nkind = \"promote\"\nnodes = [2]\nhow = \"planned\"\n",
       "x.toml:7: fault.0.how: fault 'promote-1': a replica of PostgreSQL is only promoted by "
       "hand"},
      {"lock.through-pooler = \"statement\"\n",
       "x.toml:2: lock.through-pooler: lock postgres-advisory: option through-pooler: 'statement' "
       "is "
       "unknown (one of: none, session, transaction)"},
  };
  for (const ServiceRefusal& c : cases)
    EXPECT_EQ(Refusal("lock.name = \"postgres-advisory\"\n" + c.toml), c.message);
}

TEST(ServiceRules, RefusesWhatAStoreInPostgresCannotServeWithTheReason) {
  const std::string fault = "[[fault]]\nfrom = \"1s\"\nnodes = \"store\"\n";
  const std::vector<ServiceRefusal> cases{
      {"topology.net = \"namespaces\"\n",
       "x.toml:2: workload.store: servers of PostgreSQL are not run in namespaces; use net = "
       "\"proxy\""},
      {fault + "kind = \"forget-scripts\"\n",
       "x.toml:5: fault.0.nodes: fault 'forget-scripts-1': it acts on Redis, but the store is a "
       "server of PostgreSQL"},
      {fault + "kind = \"restart\"\ndata = \"rdb\"\n",
       "x.toml:7: fault.0.data: fault 'restart-1': the store of PostgreSQL cannot keep 'rdb' (one "
       "of: empty, aof)"},
      {fault + "kind = \"drop\"\ncommand = \"GET\"\ncount = 1\n",
       "x.toml:7: fault.0.command: fault 'drop-1': no client sends GET on these links: workload "
       "inventory sends SELECT, UPDATE, INSERT"},
      {fault + "kind = \"drop\"\ncommand = \"UPDATE\"\ncount = 1\n", "accepted"},
  };
  for (const ServiceRefusal& c : cases) {
    EXPECT_EQ(Refusal("lock.name = \"set-nx-px\"\nworkload.store = \"postgres\"\n" + c.toml),
              c.message);
  }
}

TEST(ServiceRules, AFaultNamesTheLeaderOnlyWhereOneServerLeads) {
  const auto pause = [](const std::string& lock, const std::string& topology) {
    return "lock.name = \"" + lock + "\"\nlock.lease = \"1s\"\ntopology.name = \"" + topology +
           "\"\n[[fault]]\nkind = \"pause\"\nfor = \"1s\"\nnodes = \"leader\"\n";
  };
  const auto cut = [](const std::string& topology, const std::string& kind) {
    return "lock.name = \"set-nx-px\"\ntopology.name = \"" + topology +
           "\"\ntopology.replicas = 1\n[[fault]]\nnodes = \"leader\"\nkind = \"" + kind;
  };
  const std::string at = "x.toml:7: fault.0.nodes: fault 'pause-1': ";
  const std::vector<ServiceRefusal> cases{
      {pause("zookeeper", "ensemble"), "accepted"},
      {pause("etcd-lock-api", "ensemble"), "accepted"},
      {pause("postgres-lease", "replicated"), "accepted"},
      {pause("set-nx-px", "sentinel"), "accepted"},
      {cut("sentinel", "black-hole\"\nfor = \"1s\"\n"), "accepted"},
      {cut("replicated", "cut-replication\"\nfor = \"1s\"\n"), "accepted"},
      {pause("etcd", "single"), at + "no server of etcd leads in topology 'single'; use ensemble"},
      {pause("mariadb-get-lock", "ensemble"),
       at + "no server of MariaDB leads in topology 'ensemble'"},
      {pause("set-nx-px", "cluster"),
       at + "no server of Redis leads in topology 'cluster'; use replicated or sentinel"},
      {pause("redlock", "independent"),
       at + "no server of Redis leads in topology 'independent'; use replicated or sentinel"},
      {pause("set-nx-px", "sentinel") + "[[fault]]\nkind = \"crash\"\nnodes = [\"leader\", 2]\n",
       "x.toml:10: fault.1.nodes: fault 'crash-2': it names the leader and other nodes, of which "
       "one may lead"},
      {cut("replicated", "black-hole\"\nfor = \"1s\"\n"),
       "x.toml:5: fault.0.nodes: fault 'black-hole-1': clients reach the leader at the address of "
       "node 1: use nodes = [1]"},
      {cut("sentinel", "promote\"\nhow = \"planned\"\n"),
       "x.toml:5: fault.0.nodes: fault 'promote-1': it promotes a replica, which the leader is "
       "not"},
  };
  for (const ServiceRefusal& c : cases) EXPECT_EQ(Refusal(c.toml), c.message) << c.toml;
}

TEST(ServiceRules, ALockOfOneServerIsRefusedOnSeveral) {
  EXPECT_EQ(Refusal("lock.name = \"postgres-lease\"\ntopology.nodes = 3\n"),
            "x.toml:2: topology.nodes: lock postgres-lease uses exactly 1 node, not 3");
}

TEST(ServiceRules, ServersAreCutOffFromEachOtherOnlyInAnEnsembleInNamespaces) {
  const auto cut = [](const std::string& lock, const std::string& topology,
                      const std::string& nodes) {
    return "lock.name = \"" + lock + "\"\nlock.lease = \"1s\"\ntopology.name = \"" + topology +
           "\"\n[[fault]]\nkind = \"partition\"\nfor = \"1s\"\nbetween = \"servers\"\nnodes = " +
           nodes + "\n";
  };
  const std::string in_namespaces = "topology.net = \"namespaces\"\n";
  const std::string here = "x.toml:7: fault.0.between: fault 'partition-1': ";
  const std::string past =
      "servers of an ensemble reach each other past the proxy; set topology.net = \"namespaces\"";
  const std::vector<ServiceRefusal> cases{
      {in_namespaces + cut("zookeeper", "ensemble", "\"leader\""), "accepted"},
      {in_namespaces + cut("etcd-lock-api", "ensemble", "[1, 2]"), "accepted"},
      {cut("zookeeper", "ensemble", "\"leader\""), here + past},
      {cut("mariadb-get-lock", "ensemble", "[1]"),
       here + "servers of MariaDB cannot be cut off from each other"},
      {cut("etcd", "single", "[1]"),
       here + "it acts between servers of an ensemble; set topology.name = \"ensemble\""},
      {cut("set-nx-px", "sentinel", "[1]"),
       here + "it acts between servers of an ensemble; for Redis, use the fault 'cut-replication'"},
      {in_namespaces + cut("etcd", "ensemble", "[1, \"store\"]"),
       "x.toml:9: fault.0.nodes: fault 'partition-1': the store has no links to other servers"},
      {in_namespaces + cut("etcd", "ensemble", "\"all\""),
       "x.toml:9: fault.0.nodes: fault 'partition-1': it names every server, and leaves none to be "
       "cut off from"},
  };
  for (const ServiceRefusal& c : cases) EXPECT_EQ(Refusal(c.toml), c.message) << c.toml;
}

TEST(ServiceRules, SeveralServersOfZooKeeperAreAnEnsemble) {
  const Result<Plan> plan = testing::Built("lock.name = \"zookeeper\"\ntopology.nodes = 5\n");
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->topology, "ensemble");
  EXPECT_EQ(plan->nodes, 5);
}

}  // namespace
}  // namespace doublehold
