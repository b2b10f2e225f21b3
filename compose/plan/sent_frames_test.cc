// Tests faults on frames that no client of the run sends.
#include "compose/plan/sent_frames.h"

#include <gtest/gtest.h>

#include "compose/testing/plan_testing.h"

namespace doublehold {
namespace {

using testing::Case;
using testing::Good;
using testing::Refusal;

// Returns a plan with a fault whose further lines begin at line 4.
std::string Drop(const std::string& lock, const std::string& lines) {
  return "lock.name = \"" + lock + "\"\n[[fault]]\nkind = \"drop\"\n" + lines;
}

TEST(SentCommands, FramesThatNoClientSendsAreRefused) {
  const std::string command = "x.toml:4: fault.0.command: fault 'drop-1': ";
  const std::string key = "x.toml:5: fault.0.key: fault 'drop-1': ";
  const std::string lock = "lock set-nx-px sends SET, EVALSHA, EVAL";
  const std::string shop = "workload inventory sends RPUSH, GET, SET";
  const Case cases[] = {
      {Drop("set-nx-px", "command = \"SETT\"\n"),
       command + "no client sends SETT on these links: " + lock + ", " + shop +
           " (did you mean 'SET'?)"},
      {Drop("set-nx-px", "command = \"getset\"\n"),
       command + "no client sends GETSET on these links: " + lock + ", " + shop +
           " (did you mean 'GET'?)"},
      {Drop("set-nx-px", "command = \"GET\"\nnodes = [1]\n"),
       command + "no client sends GET on these links: " + lock + " (did you mean 'SET'?)"},
      {Drop("set-nx-px", "command = \"WAIT\"\nnodes = [1]\n"),
       command + "no client sends WAIT on these links: " + lock},
      {Drop("set-nx-px", "command = \"EXEC\"\nnodes = \"store\"\n"),
       command + "no client sends EXEC on these links: " + shop},
      {Drop("set-nx-px", "command = \"PING\"\n"),
       command + "no client sends PING on these links: " + lock + ", " + shop},
      {Drop("redlock", "command = \"PSYNC\"\n"),
       command + "no client sends PSYNC on these links: lock redlock sends SET, EVALSHA, EVAL, " +
           shop},
      {Drop("none", "command = \"SET\"\nnodes = [1]\n"),
       command + "no client sends SET on these links: lock none sends nothing"},
      {Drop("redisson", "command = \"MESSAGE\"\ndirection = \"request\"\n"),
       command + "MESSAGE is a reply that a server publishes: use direction = \"reply\""},
      {Drop("set-nx-px", "nodes = [1]\nkey = \"nokey\"\n"),
       key + "no client sends a command with the key 'nokey' on these links (one of: dh:item:0)"},
      {Drop("set-nx-px", "nodes = [1]\nkey = \"dh:item:1\"\n"),
       key + "no client sends a command with the key 'dh:item:1' on these links (did you mean "
             "'dh:item:0'?)"},
      {Drop("set-nx-px", "command = \"RPUSH\"\nkey = \"dh:stock:0\"\n"),
       key +
           "no client sends RPUSH with the key 'dh:stock:0' on these links (one of: dh:orders:0)"},
      {Drop("watch", "command = \"EXEC\"\nkey = \"dh:stock:0\"\n"),
       key + "no EXEC on these links has a key"},
      {Drop("set-nx-px", "nodes = \"store\"\nkey = \"dh:item:0\"\n"),
       key + "no client sends a command with the key 'dh:item:0' on these links (did you mean "
             "'dh:stock:0'?)"},
  };
  for (const Case& c : cases) EXPECT_EQ(Refusal(c.toml), c.message);
}

TEST(SentCommands, ALongListOfKeysIsCutShort) {
  const std::string refusal =
      Refusal("workload.items = 30\n" + Drop("set-nx-px", "key = \"nothing-like-it\"\n"));
  EXPECT_NE(refusal.find("dh:item:11, ...)"), std::string::npos) << refusal;
  EXPECT_EQ(refusal.find("dh:item:12"), std::string::npos) << refusal;
}

TEST(SentCommands, CommandsOfALocksOptionAreAccepted) {
  Good("lock.wait-replicas = 1\ntopology.name = \"replicated\"\n" +
       Drop("set-nx-px", "command = \"wait\"\n"));
  Good(Drop("redisson", "command = \"MESSAGE\"\n"));
  Good(Drop("watch", "command = \"EXEC\"\n"));
  Good("workload.write = \"watch\"\n" + Drop("set-nx-px", "command = \"EXEC\"\n"));
  Good("topology.name = \"cluster\"\n" + Drop("set-nx-px", "command = \"ASKING\"\n"));
  Good(Drop("redisson-fair", "key = \"redisson_lock_queue:{dh:item:0}\"\n"));
}

// Returns the nodes of a plan's only fault.
std::vector<int> NodesOf(const std::string& toml) { return Good(toml).faults.at(0).nodes; }

TEST(SentCommands, AFaultOnFramesNamesTheNodesToWhichTheyAreSent) {
  const std::vector<int> all_links{};
  EXPECT_EQ(NodesOf(Drop("set-nx-px", "command = \"EVALSHA\"\n")), std::vector{1});
  EXPECT_EQ(NodesOf(Drop("set-nx-px", "command = \"GET\"\n")), std::vector{kStoreNode});
  EXPECT_EQ(NodesOf(Drop("set-nx-px", "command = \"SET\"\n")), all_links) << "both get it";
  EXPECT_EQ(NodesOf(Drop("set-nx-px", "command = \"SET\"\nkey = \"dh:item:0\"\n")), std::vector{1});
  EXPECT_EQ(NodesOf("topology.nodes = 3\n" + Drop("redlock", "key = \"dh:item:0\"\n")),
            (std::vector{1, 2, 3}));
  EXPECT_EQ(NodesOf(Drop("set-nx-px", "nodes = [1, \"store\"]\ncommand = \"EVALSHA\"\n")),
            (std::vector{1, kStoreNode}));
  EXPECT_EQ(NodesOf(Drop("set-nx-px", "")), all_links);
  EXPECT_EQ(NodesOf(Drop("set-nx-px", "count = 3\n")), all_links);
  EXPECT_EQ(NodesOf("workload.name = \"nested\"\n" + Drop("redisson", "count = 3\n")),
            std::vector{1})
      << "nobody uses the store";
}

TEST(SentCommands, ForALockWithoutAListEveryCommandIsAccepted) {
  Plan plan = Good("lock.name = \"set-nx-px\"\n");
  const FaultPlan fault{.kind = "drop", .nodes = {1}, .command = "GETEX"};
  EXPECT_FALSE(CheckFrames(plan, fault));
  plan.lock = "one-of-tomorrow";
  EXPECT_TRUE(CheckFrames(plan, fault));
}

}  // namespace
}  // namespace doublehold
