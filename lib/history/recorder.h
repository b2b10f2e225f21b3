// The recorder: one writer appends events to one segment of shared memory, without a lock and
// without a system call. What was appended survives the writer, however it dies.
//
//   segment:  header (64 bytes: count, dropped)  event  event  ...
//
// Thread rule: one writer a segment; readers (in any process) see a prefix, complete up to `count`.
#ifndef DOUBLEHOLD_LIB_HISTORY_RECORDER_H_
#define DOUBLEHOLD_LIB_HISTORY_RECORDER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "lib/base/event.h"

namespace doublehold {

struct SegmentHeader {
  std::atomic<uint64_t> count;  // events that may be read
  std::atomic<uint64_t>
      dropped;  // events that found the segment full: the history is then not complete
  std::array<uint64_t, 6> reserved;
};
static_assert(sizeof(SegmentHeader) == 64 && std::atomic<uint64_t>::is_always_lock_free);

class Recorder {
 public:
  // `segment` is zeroed shared memory, aligned to 64 bytes, that outlives the recorder.
  explicit Recorder(std::span<std::byte> segment);

  void Append(const Event& event) {
    const uint64_t count = header_->count.load(std::memory_order_relaxed);
    if (count == capacity_) {
      header_->dropped.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    events_[count] = event;
    header_->count.store(count + 1, std::memory_order_release);
  }

 private:
  SegmentHeader* header_;
  Event* events_;
  uint64_t capacity_;
};

struct SegmentContent {
  std::span<const Event> events;
  uint64_t dropped = 0;
};

// What can be read of a segment now. The span points into the segment.
SegmentContent ReadSegment(std::span<const std::byte> segment);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_RECORDER_H_
