// One direction of one connection: the received bytes that are not yet sent, frame by frame, with
// the rules' decision about each frame. Uses no sockets and no clock; the caller passes times.
#ifndef DOUBLEHOLD_FAULTS_PROXY_FRAME_QUEUE_H_
#define DOUBLEHOLD_FAULTS_PROXY_FRAME_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "faults/link.h"
#include "faults/proxy/rules.h"
#include "faults/proxy/wire/wire.h"
#include "lib/base/time.h"

namespace doublehold {

// The rules decide about a frame when its name is known. The decision holds for all its bytes,
// including bytes that arrive later. Bytes are never reordered: later bytes wait behind earlier
// bytes that are delayed.
class FrameQueue {
 public:
  // When this many bytes are pending, the proxy stops reading (see full()).
  static constexpr size_t kMaxPendingBytes = size_t{1} << 20;

  // `wire` is shared with the queue of the other direction. Both arguments must outlive the queue.
  FrameQueue(Direction direction, const LinkRules& rules, Wire& wire)
      : direction_(direction), rules_(rules), wire_(wire) {}
  ~FrameQueue() { Discard(); }
  FrameQueue(const FrameQueue&) = delete;
  FrameQueue& operator=(const FrameQueue&) = delete;

  // Whether nothing is pending and no rule is set. If so, received bytes may be sent at once: call
  // Pass instead of Add.
  [[nodiscard]] bool idle() const {
    return parts_.empty() && rules_.empty(direction_) && decision_.rule == nullptr &&
           !decision_.dropped && torn_by_ == nullptr &&
           (direction_ == Direction::kRequest || wire_.surplus() == 0);
  }
  void Pass(std::string_view bytes);
  // Queues the passed bytes that could not be sent yet.
  void AddPassed(std::string_view bytes, MonoTime now);

  // A frame larger than kMaxPendingBytes is never duplicated.
  void Add(std::string_view bytes, MonoTime now);
  // Call at the end of the stream. An unfinished frame is forwarded unchanged.
  void EndOfStream(MonoTime now);

  // Due returns the bytes to send now. Call Sent with the number of bytes that were sent.
  [[nodiscard]] std::string_view Due(MonoTime now) const;
  void Sent(size_t bytes, MonoTime now);
  // Whether the connection must be reset now.
  [[nodiscard]] bool ResetDue(MonoTime now) const;
  // Returns the next time at which Due or ResetDue may return something else. Returns nothing if
  // only more bytes or the removal of a rule can change their results.
  [[nodiscard]] std::optional<MonoTime> NextDue() const;

  // Call when a rule is removed: frames that it delays or holds are sent now.
  void Release(const ActiveRule& rule, MonoTime now);
  // Drops all pending bytes.
  void Discard();

  [[nodiscard]] bool empty() const { return parts_.empty(); }
  // The number of frames that have arrived completely.
  [[nodiscard]] int64_t frames() const { return frames_; }
  [[nodiscard]] size_t bytes() const { return buffer_.size() - first_; }
  [[nodiscard]] bool full() const {
    return bytes() >= kMaxPendingBytes || reset_pending_ ||
           (direction_ == Direction::kRequest && wire_.full());
  }

 private:
  struct Part {  // part of one frame, or of several frames that no rule acts on
    size_t bytes = 0;
    std::shared_ptr<ActiveRule> rule;
    MonoTime arrived;
    MonoTime due;        // send time of the first byte; start of the pace of a paced part
    size_t sent = 0;     // bytes of this part already sent, not included in `bytes`
    bool paced = false;  // the bytes are sent one after another
    bool decided = true;
    bool ends = false;  // this part ends a frame that the rule acts on
    bool reset = false;
  };
  struct Decision {
    std::shared_ptr<ActiveRule> rule;  // null: no rule acts on the frame
    Duration delay{};                  // from the arrival of each byte
    bool held = false;
    bool dropped = false;  // without a rule: the second reply to a duplicated request
    bool resets = false;   // the connection is reset in place of the frame
    bool twice = false;    // the frame is copied to copy_ and sent again when it ends
    bool paced = false;
  };

  void DecideWhenNamed(const FramePiece& piece, MonoTime now);
  [[nodiscard]] FrameName Name();
  void Decide(const FrameName& frame, bool raw);
  void Count(const FramePiece& piece);
  void Resolve(MonoTime now);
  void ResetAt(MonoTime now, std::shared_ptr<ActiveRule> rule);
  void FrameEnded(MonoTime now);
  void Append(std::string_view bytes, MonoTime now, bool ends);
  void Copy(std::string_view bytes);
  void SendCopy(MonoTime now);
  void Schedule(Part& part);
  [[nodiscard]] static size_t BytesDue(const Part& part, MonoTime now);
  [[nodiscard]] static MonoTime NextDueInPart(const Part& part);

  const Direction direction_;
  const LinkRules& rules_;
  Wire& wire_;

  int64_t frames_ = 0;

  // The frame that is being received:
  bool counted_ = false;  // whether it is counted among requests and replies
  bool decided_ = false;
  Decision decision_;

  std::string buffer_;  // holds the bytes of parts_, from first_ on
  size_t first_ = 0;
  std::deque<Part> parts_;
  std::string copy_;        // the bytes of the current frame, if it is to be duplicated
  MonoTime paced_until_{};  // send time of the last byte of the last paced part
  bool reset_pending_ = false;
  // The rule that lost raw bytes, and loses all that follows; null: none. The connection is reset
  // when the rule is removed: no network delivers bytes after a gap.
  std::shared_ptr<ActiveRule> torn_by_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_PROXY_FRAME_QUEUE_H_
