// The recorder: a single writer appends events to a segment of shared memory, without locks or
// system calls. Appended events survive the death of the writer.
//
//   segment:  header (64 bytes: count, dropped)  event  event  ...
//
// Thread rule: one writer for each segment. A reader in any process sees the first `count` events
// complete.
#ifndef DOUBLEHOLD_LIB_HISTORY_RECORDER_H_
#define DOUBLEHOLD_LIB_HISTORY_RECORDER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "lib/base/event.h"

namespace doublehold {

struct SegmentHeader {
  std::atomic<uint64_t> count;    // number of readable events
  std::atomic<uint64_t> dropped;  // events that did not fit; if not 0, the history is incomplete
  std::array<uint64_t, 6> reserved;
};
static_assert(sizeof(SegmentHeader) == 64 && std::atomic<uint64_t>::is_always_lock_free);

class Recorder {
 public:
  // `segment` is zeroed shared memory, aligned to 64 bytes. The segment must outlive the recorder.
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

// Returns the events readable now. The span points into the segment.
SegmentContent ReadSegment(std::span<const std::byte> segment);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_RECORDER_H_
