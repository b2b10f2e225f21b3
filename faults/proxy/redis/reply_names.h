// Which command each reply of a connection belongs to. Redis answers in order, so this is a queue;
// what needs care is publish and subscribe, where one command has several replies or none asked.
#ifndef DOUBLEHOLD_FAULTS_PROXY_REDIS_REPLY_NAMES_H_
#define DOUBLEHOLD_FAULTS_PROXY_REDIS_REPLY_NAMES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "lib/redis/wire/resp_framer.h"

namespace doublehold {

// After PSYNC or SYNC each chunk of the connection, either way, is a frame of the name
// kReplication.
constexpr std::string_view kReplication = "PSYNC";

// A command that can be sent twice at all: see ReplyNames::Repeatable. `command` in upper case.
bool IsRepeatable(std::string_view command);

// What a rule goes by.
struct FrameName {
  std::string_view name;  // in upper case; empty: unknown
  KeyMark key;
  bool surplus = false;     // a reply to a command that the proxy sent once more
  bool repeatable = false;  // a command that may be sent twice (see ReplyNames::Repeatable)
};

// One a connection. Allocates nothing while few commands are outstanding. Not thread-safe.
//
// From CLIENT REPLY, MONITOR, SYNC and PSYNC on the connection is not followed any more: replies to
// what was sent before keep their names, later ones have none.
class ReplyNames {
 public:
  // Commands whose replies may be outstanding. A client that sends more without reading is not read
  // from until replies arrive.
  static constexpr size_t kMaxOutstanding = 65'536;

  // A command goes to the server: `words` counts its name too. `surplus`: it is the second of two,
  // and its client does not expect the reply.
  void Sent(std::string_view command, int64_t words, KeyMark key = {}, bool surplus = false);

  // The name of the reply that `reply` is in (RespFramer::named), which is taken off the queue: its
  // command, "MESSAGE" for what the server pushes, empty when unknown. Valid until the next call.
  FrameName Take(const RespFramer& reply);
  // The replies cannot be told apart any more.
  void Forget();

  // Sent twice, the command gives one reply too many, which can be told and taken away. Not so what
  // subscribes or changes how the connection answers, and what is queued in a transaction, whose
  // reply to EXEC would grow.
  [[nodiscard]] bool Repeatable(std::string_view command) const;
  // Surplus replies that are outstanding.
  [[nodiscard]] size_t surplus() const { return surplus_; }

  // The connection asked for replication: what follows in either direction is no RESP to be told
  // apart.
  [[nodiscard]] bool streams() const { return streams_; }

  [[nodiscard]] bool full() const { return slots_.size() - first_ >= kMaxOutstanding; }
  [[nodiscard]] size_t outstanding() const { return slots_.size() - first_; }

 private:
  struct Slot {
    std::array<char, RespFramer::kMaxWordBytes> name;
    uint8_t bytes = 0;
    bool surplus = false;
    KeyMark key;
    int64_t replies = 1;  // 0: UNSUBSCRIBE of everything; as many as there are subscriptions
    [[nodiscard]] std::string_view view() const { return {name.data(), bytes}; }
  };

  std::string_view Confirm(std::string_view word);
  void Pop();

  bool streams_ = false;
  bool publishes_ = false;  // subscriptions were asked for: arrays may be pushes
  bool followed_ = true;
  bool in_transaction_ = false;
  size_t surplus_ = 0;
  size_t first_ = 0;  // slots before it are used up
  std::vector<Slot> slots_;
  Slot taken_{};
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_PROXY_REDIS_REPLY_NAMES_H_
