// Redis, as lock and workload code sees it: connections, replies, scripts and channels.
#ifndef DOUBLEHOLD_LIB_CLIENTS_REDIS_H_
#define DOUBLEHOLD_LIB_CLIENTS_REDIS_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "lib/base/node.h"
#include "lib/base/subscription.h"
#include "lib/base/time.h"

namespace doublehold {

// A node's reply. An error reply is not a Reply but a CallFailure.
struct Reply {
  enum class Kind : uint8_t { kNil, kInteger, kString, kStatus, kArray };
  Kind kind = Kind::kNil;
  int64_t integer = 0;
  std::string text;  // for kString and kStatus
  std::vector<Reply> items;

  [[nodiscard]] bool IsNil() const { return kind == Kind::kNil; }
  [[nodiscard]] bool IsInteger(int64_t value) const {
    return kind == Kind::kInteger && integer == value;
  }
};

struct CallFailure {
  // True if the command was not executed and never will be. False if the command may have been
  // executed, or may still be executed later.
  bool definite = false;
  std::string message;
};

using CallResult = tl::expected<Reply, CallFailure>;
using Argv = std::span<const std::string_view>;

std::string Sha1Hex(std::string_view text);  // 40 hex digits

// A Lua script, sent by its digest. The connection sends the text if the node lacks the script.
struct Script {
  explicit Script(std::string_view text);
  std::string text;
  std::string sha1;  // 40 hex digits
};

// Connects on first use, and again after a failure. Makes one call at a time. Not thread-safe;
// owned by one task. Never throws: a failure is in the CallResult. A call past its deadline closes
// the connection, so that its late reply is not mistaken for the reply to a later call.
class Connection {
 public:
  virtual ~Connection() = default;

  // The two halves of a call. To ask several nodes concurrently, call Start on each, then Finish on
  // each. Every Start needs one Finish. The deadline covers connecting, sending and receiving.
  virtual void Start(Argv command, Deadline deadline) = 0;
  // The arguments must stay valid until Finish, because Finish may send the script again.
  virtual void StartScript(const Script& script, Argv keys, Argv args, Deadline deadline) = 0;
  [[nodiscard]] virtual CallResult Finish() = 0;

  // While pinned, a call on a broken connection fails definitely instead of reconnecting, so that
  // server state of the connection (WATCH, MULTI) is not lost unnoticed. A connection that never
  // reconnects need not override Pin and Unpin.
  virtual void Pin() {}
  virtual void Unpin() {}

  [[nodiscard]] CallResult Call(Argv command, Deadline deadline) {
    Start(command, deadline);
    return Finish();
  }
  [[nodiscard]] CallResult Eval(const Script& script, Argv keys, Argv args, Deadline deadline) {
    StartScript(script, keys, args, deadline);
    return Finish();
  }
};

// A task's way to Redis.
class RedisClients {
 public:
  virtual ~RedisClients() = default;

  [[nodiscard]] virtual std::unique_ptr<Connection> Connect(NodeId node) = 0;
  [[nodiscard]] virtual std::unique_ptr<Subscription> Subscribe(NodeId node,
                                                                std::string channel) = 0;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_CLIENTS_REDIS_H_
