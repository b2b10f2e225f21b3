// A connection to one node, as lock and workload code sees it.
#ifndef DOUBLEHOLD_LIB_BASE_CONNECTION_H_
#define DOUBLEHOLD_LIB_BASE_CONNECTION_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "lib/base/time.h"

namespace doublehold {

// What a node answered. A server's error is not a Reply but a CallFailure.
struct Reply {
  enum class Kind : uint8_t { kNil, kInteger, kString, kStatus, kArray };
  Kind kind = Kind::kNil;
  int64_t integer = 0;
  std::string text;  // of kString, kStatus
  std::vector<Reply> items;

  [[nodiscard]] bool IsNil() const { return kind == Kind::kNil; }
  [[nodiscard]] bool IsInteger(int64_t value) const {
    return kind == Kind::kInteger && integer == value;
  }
};

struct CallFailure {
  // Definite: the command was not carried out and never will be. Otherwise it may have been, or may
  // still be.
  bool definite = false;
  std::string message;
};

using CallResult = tl::expected<Reply, CallFailure>;
using Argv = std::span<const std::string_view>;

// A Lua script, sent by its digest; the connection falls back to the text when the node does not
// have it.
struct Script {
  explicit Script(std::string_view text);
  std::string text;
  std::string sha1;  // 40 hex digits
};

// Connects when first used and again after a failure. One call at a time; not thread-safe; owned by
// one task.
// Never throws: what went wrong is in the CallResult. A call past its deadline closes the
// connection, so that a late reply cannot be taken for another one's.
class Connection {
 public:
  virtual ~Connection() = default;

  // The two halves of a call: several nodes are asked at once by starting on each, then finishing
  // on each. Every Start is followed by one Finish. The deadline covers connecting, sending and
  // receiving.
  virtual void Start(Argv command, Deadline deadline) = 0;
  // What the spans of a script point at stays until its Finish, which may have to send it again.
  virtual void StartScript(const Script& script, Argv keys, Argv args, Deadline deadline) = 0;
  [[nodiscard]] virtual CallResult Finish() = 0;

  // While pinned, a call on a connection that is gone fails, definitely, instead of connecting
  // anew: what the server keeps with a connection (WATCH, MULTI) cannot be lost unnoticed. For one
  // that never reconnects there is nothing to do.
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

// A subscription to one channel. Not thread-safe.
class Subscription {
 public:
  virtual ~Subscription() = default;
  // Waits for a message: true when one came (it may have come before the call), false at the
  // deadline or when the node cannot be reached. Subscribes anew after a failure, and says so by
  // answering true: a message may have been missed.
  [[nodiscard]] virtual bool Wait(Deadline deadline) = 0;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_BASE_CONNECTION_H_
