// ZooKeeper, as lock code sees it: sessions, nodes and watches.
#ifndef DOUBLEHOLD_LIB_CLIENTS_ZOOKEEPER_H_
#define DOUBLEHOLD_LIB_CLIENTS_ZOOKEEPER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "lib/base/subscription.h"
#include "lib/base/time.h"

namespace doublehold {

struct ZooFailure {
  enum class Kind : uint8_t {
    kNoNode,        // the node, or its parent, does not exist
    kNodeExists,    // the node exists already
    kSessionEnded,  // the session has expired: its ephemeral nodes are gone, or go soon
    kNotSent,       // there was no connection before the deadline: not executed, and never will be
    kNoReply,       // the request may have been executed, or may still be executed later
    kRefused,       // any other error of the server; not executed
  };
  Kind kind = Kind::kRefused;
  std::string message{};
};
template <typename Value>
using ZooResult = tl::expected<Value, ZooFailure>;

struct ZooNode {
  std::string path;   // with the number that the server appended to a sequential node
  int64_t czxid = 0;  // the transaction that created the node; larger for later nodes
};

enum class ZooCreate : uint8_t { kPersistent, kEphemeralSequential };

// One session. Connects on first use, and sends heartbeats from a thread of its own. Thread-safe.
// A request past its deadline fails; its reply, if one comes, is dropped.
class ZooKeeperSession {
 public:
  virtual ~ZooKeeperSession() = default;  // closes the session if the server answers soon

  // Returns the new node. Fails with kNoNode if its parent does not exist.
  [[nodiscard]] virtual ZooResult<ZooNode> Create(std::string_view path, std::string_view data,
                                                  ZooCreate how, Deadline deadline) = 0;
  // Returns the names of the node's children, in any order.
  [[nodiscard]] virtual ZooResult<std::vector<std::string>> Children(std::string_view path,
                                                                     Deadline deadline) = 0;
  // Returns the node, or kNoNode.
  [[nodiscard]] virtual ZooResult<ZooNode> Find(std::string_view path, Deadline deadline) = 0;
  // As Find and Children. If the call succeeds, News gets one message at the next change of the
  // node, or of its list of children.
  [[nodiscard]] virtual ZooResult<ZooNode> Watch(std::string_view path, Deadline deadline) = 0;
  [[nodiscard]] virtual ZooResult<std::vector<std::string>> WatchChildren(std::string_view path,
                                                                          Deadline deadline) = 0;
  [[nodiscard]] virtual ZooResult<void> Delete(std::string_view path, Deadline deadline) = 0;

  // Returns the subscription to all watches of this session, which the session owns. It also gets a
  // message when the session has ended or has reconnected. Used by one task at a time.
  [[nodiscard]] virtual Subscription& News() = 0;
};

// A task's way to ZooKeeper.
class ZooKeeperClients {
 public:
  virtual ~ZooKeeperClients() = default;

  // Opens a session. The server ends it, and removes its ephemeral nodes, after `timeout` without a
  // request or a heartbeat.
  [[nodiscard]] virtual std::unique_ptr<ZooKeeperSession> Open(Duration timeout) = 0;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_CLIENTS_ZOOKEEPER_H_
