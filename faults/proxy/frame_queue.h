// One direction of one connection: what was received and has not been sent yet, frame by frame,
// with what the rules have decided about each. Knows no sockets and no clock: times are given to
// it.
#ifndef DOUBLEHOLD_FAULTS_PROXY_FRAME_QUEUE_H_
#define DOUBLEHOLD_FAULTS_PROXY_FRAME_QUEUE_H_

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "faults/link.h"
#include "faults/proxy/redis/reply_names.h"
#include "faults/proxy/rules.h"
#include "lib/base/time.h"
#include "lib/redis/wire/resp_framer.h"

namespace doublehold {

// A frame is decided when its name is known; all of its bytes, those still to come too, share the
// decision. The order of the bytes never changes: what is due waits behind what is not.
class FrameQueue {
 public:
  // When so much is pending, no more is read (see full()).
  static constexpr size_t kMaxPendingBytes = size_t{1} << 20;

  // `names` is shared with the other direction; both outlive the queue.
  FrameQueue(Direction direction, const LinkRules& rules, ReplyNames& names);
  ~FrameQueue() { Discard(); }
  FrameQueue(const FrameQueue&) = delete;
  FrameQueue& operator=(const FrameQueue&) = delete;

  // Nothing is pending and no rule is set: what is received may be sent without Add, after Pass.
  [[nodiscard]] bool idle() const {
    return parts_.empty() && rules_.empty(direction_) && decision_.rule == nullptr &&
           !decision_.dropped && (direction_ == Direction::kRequest || names_.surplus() == 0);
  }
  void Pass(std::string_view bytes);
  // What of passed bytes could not be sent yet.
  void AddPassed(std::string_view bytes, MonoTime now);

  // A frame to be sent twice that is larger than kMaxPendingBytes is sent once.
  void Add(std::string_view bytes, MonoTime now);
  // No more will come: the beginning of a frame that will never end passes as it is.
  void EndOfStream(MonoTime now);

  // The bytes to be sent now; then, how many of them were.
  [[nodiscard]] std::string_view Due(MonoTime now) const;
  void Sent(size_t bytes, MonoTime now);
  // The connection is to be reset now.
  [[nodiscard]] bool ResetDue(MonoTime now) const;
  // When to look again; nothing when only the removal of a rule or more bytes can change anything.
  [[nodiscard]] std::optional<MonoTime> NextDue() const;

  // A rule is removed: what it keeps becomes due.
  void Release(const ActiveRule& rule, MonoTime now);
  // Forgets everything pending.
  void Discard();

  [[nodiscard]] bool empty() const { return parts_.empty(); }
  [[nodiscard]] size_t bytes() const { return buffer_.size() - first_; }
  [[nodiscard]] bool full() const {
    return bytes() >= kMaxPendingBytes || reset_pending_ ||
           (direction_ == Direction::kRequest && names_.full());
  }

 private:
  struct Part {  // of one frame, or of several that nothing is done to
    size_t bytes = 0;
    std::shared_ptr<ActiveRule> rule;
    MonoTime arrived;
    MonoTime due;        // of its first byte; when paced, from when on its bytes are counted
    size_t sent = 0;     // bytes that went ahead of `bytes`
    bool paced = false;  // its bytes are due by and by
    bool decided = true;
    bool ends = false;  // the rule's frame ends with it
    bool reset = false;
  };
  struct Decision {
    std::shared_ptr<ActiveRule> rule;  // null: passes
    Duration delay{};                  // from the arrival of each byte
    bool held = false;
    bool dropped = false;  // without a rule: a reply that its client does not expect
    bool twice = false;    // its bytes are kept in copy_, and follow it when it ends
    bool paced = false;
  };

  void Look(MonoTime now);
  [[nodiscard]] FrameName Name();
  void Decide(const FrameName& frame);
  void Count();
  void Resolve(MonoTime now);
  void FrameEnded(MonoTime now);
  void Append(std::string_view bytes, MonoTime now, bool ends);
  void Copy(std::string_view bytes);
  void SendCopy(MonoTime now);
  void Schedule(Part& part);
  [[nodiscard]] static size_t BytesDue(const Part& part, MonoTime now);
  [[nodiscard]] static MonoTime NextDueOf(const Part& part);
  [[nodiscard]] bool IsCommand() const;

  const Direction direction_;
  const LinkRules& rules_;
  ReplyNames& names_;
  RespFramer framer_;

  // The frame that is being received.
  bool counted_ = false;  // its place among commands and replies is taken
  bool decided_ = false;
  Decision decision_;

  std::string buffer_;  // from first_ on: the bytes of parts_
  size_t first_ = 0;
  std::deque<Part> parts_;
  std::string copy_;        // of the current frame, when it is to be sent twice
  MonoTime paced_until_{};  // when the last byte of the last paced part is due
  bool reset_pending_ = false;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_PROXY_FRAME_QUEUE_H_
