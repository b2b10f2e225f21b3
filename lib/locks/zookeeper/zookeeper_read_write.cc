// zookeeper-read-write: readers and writers in one queue of ephemeral sequential nodes. A writer
// waits for the node before its own, a reader for the last writer before it. Everything else is as
// in the lock zookeeper.
//
// Claims:  no reader and writer hold at the same time; one writer at a time; no reader passes a
//          writer that came before it, so writers do not starve; tokens increase from writer to
//          writer; otherwise the claims of zookeeper. Readers have no tokens.
// Assumes: the same as zookeeper.
// Attack:  the same as zookeeper. Stop a reader for longer than its session: a writer enters, and
//          the late reader reads halves of two writes.
// Source:  ZooKeeper recipes, "Shared Locks". Curator's InterProcessReadWriteLock keeps both kinds
//          of nodes in one queue too. Here, no owner re-enters, and a writer cannot become a
//          reader.

#include "lib/locks/zookeeper/queue_lock.h"

namespace doublehold {

LockEntry ZooKeeperReadWriteLock() {
  return {.name = "zookeeper-read-write",
          .summary = "the shared lock of ZooKeeper's recipes: many readers or one writer",
          .service = kZooKeeperService,
          .options = QueueOptions(),
          .make =
              [](const LockContext& context) {
                return MakeQueueLock(context, QueueAccess::kReadWrite);
              },
          .traits = {Trait::kToken, Trait::kReaders, Trait::kQueue},
          .option_traits = QueueOptionTraits(),
          .ask_left = AskForQueueNodes};
}

}  // namespace doublehold
