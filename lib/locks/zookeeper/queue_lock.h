// Shared by the locks that are a queue of ephemeral sequential nodes in ZooKeeper.
#ifndef DOUBLEHOLD_LIB_LOCKS_ZOOKEEPER_QUEUE_LOCK_H_
#define DOUBLEHOLD_LIB_LOCKS_ZOOKEEPER_QUEUE_LOCK_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "lib/locks/lock.h"
#include "lib/locks/registry.h"

namespace doublehold {

enum class QueueAccess : uint8_t {
  kExclusive,  // each client waits for the node before its own; LockKey::shared has no effect
  kReadWrite,  // a reader waits for the last writer before it
};

// The lock opens a session on its first try, and a new one after the end of a session. The
// context's lease is the session's timeout. Requires the options of QueueOptions.
std::unique_ptr<Lock> MakeQueueLock(const LockContext& context, QueueAccess access);
std::vector<OptionSpec> QueueOptions();
std::vector<OptionTrait> QueueOptionTraits();

// For LockEntry::ask_left: a node in the queue keeps others out until its session has ended.
AskLeft AskForQueueNodes(Env& env, NodeId node, Lease lease);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_LOCKS_ZOOKEEPER_QUEUE_LOCK_H_
