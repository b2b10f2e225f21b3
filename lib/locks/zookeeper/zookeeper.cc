// zookeeper: a queue of ephemeral sequential nodes. The client whose node has the lowest number
// holds the lock. A waiter watches the node before its own. A released or dead holder's node goes,
// which wakes the next client. The session's heartbeats take the place of a lease.
//
// Claims:  at most one client holds the lock, if each client stops at its valid_until; grants
//          follow the order of arrival; a dead holder blocks nobody longer than its session's
//          timeout; tokens (the node's czxid) increase from grant to grant.
// Assumes: the servers lose no write, and their clocks run at the clients' rate. No server answers
//          reads while it is cut off from its leader, or while the leader is stopped: its answers
//          do not prolong the session.
// Attack:  stop the holder (S01), or cut it off, for longer than its session: its node goes, and
//          the next client enters. With ignores-session the late holder goes on (S04). Lose the
//          reply to the create: with no-guid, the client waits behind its own node until its
//          session ends (S05). Stop the leader of an ensemble for longer than the session of a
//          holder at a follower: it ends a session that the follower keeps answering.
// Source:  ZooKeeper recipes, "Locks". The guid is from Curator's InterProcessMutex (protection).

#include "lib/locks/zookeeper/queue_lock.h"

namespace doublehold {

LockEntry ZooKeeperQueueLock() {
  return {.name = "zookeeper",
          .summary = "the recipe of ZooKeeper and Curator: a queue of ephemeral sequential nodes",
          .service = kZooKeeperService,
          .options = QueueOptions(),
          .make =
              [](const LockContext& context) {
                return MakeQueueLock(context, QueueAccess::kExclusive);
              },
          .traits = {Trait::kToken, Trait::kQueue},
          .option_traits = QueueOptionTraits(),
          .ask_left = AskForQueueNodes};
}

}  // namespace doublehold
