#include "lib/history/recorder.h"

#include <algorithm>

#include "lib/base/check.h"

namespace doublehold {
namespace {

uint64_t CapacityOf(size_t bytes) {
  CHECK(bytes >= sizeof(SegmentHeader) + sizeof(Event));
  return (bytes - sizeof(SegmentHeader)) / sizeof(Event);
}

}  // namespace

// SegmentHeader and Event are trivial types and the memory is zeroed, so a writer need not
// initialise its segment.
Recorder::Recorder(std::span<std::byte> segment)
    : header_(reinterpret_cast<SegmentHeader*>(segment.data())),
      events_(reinterpret_cast<Event*>(segment.data() + sizeof(SegmentHeader))),
      capacity_(CapacityOf(segment.size())) {
  CHECK(reinterpret_cast<uintptr_t>(segment.data()) % alignof(SegmentHeader) == 0);
}

SegmentContent ReadSegment(std::span<const std::byte> segment) {
  const uint64_t capacity = CapacityOf(segment.size());
  const auto* header = reinterpret_cast<const SegmentHeader*>(segment.data());
  const auto* events = reinterpret_cast<const Event*>(segment.data() + sizeof(SegmentHeader));
  const uint64_t count = std::min(header->count.load(std::memory_order_acquire), capacity);
  return {.events = {events, count}, .dropped = header->dropped.load(std::memory_order_relaxed)};
}

}  // namespace doublehold
