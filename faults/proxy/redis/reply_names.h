// Matches the replies of a connection to their commands. Redis replies in order, so this is a
// queue. Publish and subscribe are the exception: one command has several replies, and pushes have
// no command.
#ifndef DOUBLEHOLD_FAULTS_PROXY_REDIS_REPLY_NAMES_H_
#define DOUBLEHOLD_FAULTS_PROXY_REDIS_REPLY_NAMES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "faults/proxy/wire/wire.h"
#include "lib/redis/wire/resp_framer.h"

namespace doublehold {

// The name of each chunk, in either direction, after PSYNC or SYNC.
constexpr std::string_view kReplication = "PSYNC";

// Whether the command can be duplicated at all, see ReplyNames::Repeatable. `command` is upper
// case.
bool IsRepeatable(std::string_view command);

// Each connection has its own ReplyNames. Does not allocate while few commands are outstanding. Not
// thread-safe.
//
// After CLIENT REPLY, MONITOR, SYNC or PSYNC, replies are no longer matched to commands. Replies to
// earlier commands still have names; later replies have none.
class ReplyNames {
 public:
  // Limit of outstanding replies. When it is reached, the proxy stops reading from the client until
  // replies arrive.
  static constexpr size_t kMaxOutstanding = 65'536;

  // Records a command that is sent to the server. `words` includes the command's name. `surplus`
  // means that the command is the second copy, whose reply the client does not expect.
  void Sent(std::string_view command, int64_t words, KeyMark key = {}, bool surplus = false);

  // Returns the name of the current reply (see RespFramer::named) and removes it from the queue.
  // The name is the reply's command, "MESSAGE" for a push, or empty if unknown. The name is valid
  // until the next call.
  FrameName Take(const RespFramer& reply);
  // Gives up matching replies to commands.
  void Forget();

  // Whether the command may be duplicated now, because its surplus reply can be recognised and
  // removed. Commands that subscribe and commands that change how the connection replies are not
  // repeatable. Commands queued in a transaction are not repeatable either, because EXEC's reply
  // would grow.
  [[nodiscard]] bool Repeatable(std::string_view command) const;
  // The number of outstanding surplus replies.
  [[nodiscard]] size_t surplus() const { return surplus_; }

  // Whether the connection has asked for replication. If so, neither direction is parsed as RESP
  // any more.
  [[nodiscard]] bool streams() const { return streams_; }

  [[nodiscard]] bool full() const { return slots_.size() - first_ >= kMaxOutstanding; }
  [[nodiscard]] size_t outstanding() const { return slots_.size() - first_; }

 private:
  struct Slot {
    std::array<char, RespFramer::kMaxWordBytes> name;
    uint8_t bytes = 0;
    bool surplus = false;
    KeyMark key;
    int64_t replies = 1;  // 0: UNSUBSCRIBE of everything, which has a reply for each subscription
    [[nodiscard]] std::string_view view() const { return {name.data(), bytes}; }
  };

  std::string_view Confirm(std::string_view word);
  void Pop();

  bool streams_ = false;
  bool publishes_ = false;  // the client has subscribed, so an array may be a push
  bool followed_ = true;
  bool in_transaction_ = false;
  size_t surplus_ = 0;
  size_t first_ = 0;  // index of the first slot that still waits for replies
  std::vector<Slot> slots_;
  Slot taken_{};
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_PROXY_REDIS_REPLY_NAMES_H_
