#include "lib/history/recorder.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <thread>

#include "lib/history/shared_run.h"

namespace doublehold {
namespace {

constexpr size_t kPlaces = 100;

// Zeroed memory for kPlaces events, like a new segment.
struct alignas(64) Memory {
  std::array<std::byte, sizeof(SegmentHeader) + kPlaces * sizeof(Event)> bytes{};
};

Event Numbered(int64_t number) { return {.at_ns = number, .value = {number, -number}}; }

TEST(Recorder, AppendedEventsCanBeRead) {
  const auto memory = std::make_unique<Memory>();
  Recorder recorder(memory->bytes);
  EXPECT_TRUE(ReadSegment(memory->bytes).events.empty());
  for (int64_t i = 0; i < 10; ++i) recorder.Append(Numbered(i));
  const SegmentContent content = ReadSegment(memory->bytes);
  ASSERT_EQ(content.events.size(), 10u);
  for (int64_t i = 0; i < 10; ++i) EXPECT_EQ(content.events[static_cast<size_t>(i)], Numbered(i));
  EXPECT_EQ(content.dropped, 0u);
}

TEST(Recorder, AFullSegmentKeepsItsEventsAndCountsDroppedOnes) {
  const auto memory = std::make_unique<Memory>();
  Recorder recorder(memory->bytes);
  for (int64_t i = 0; i < 250; ++i) recorder.Append(Numbered(i));
  const SegmentContent content = ReadSegment(memory->bytes);
  ASSERT_EQ(content.events.size(), kPlaces);
  EXPECT_EQ(content.events.back(), Numbered(kPlaces - 1));
  EXPECT_EQ(content.dropped, 250 - kPlaces);
}

TEST(Recorder, AnotherWriterContinuesWhereTheFirstStopped) {
  const auto memory = std::make_unique<Memory>();
  Recorder(memory->bytes).Append(Numbered(1));
  Recorder(memory->bytes).Append(Numbered(2));
  EXPECT_EQ(ReadSegment(memory->bytes).events.size(), 2u);
}

TEST(Recorder, ACountBeyondTheSegmentIsIgnored) {
  const auto memory = std::make_unique<Memory>();
  reinterpret_cast<SegmentHeader*>(memory->bytes.data())->count.store(UINT64_MAX);
  EXPECT_EQ(ReadSegment(memory->bytes).events.size(), kPlaces);
}

TEST(Recorder, AReaderSeesACompletePrefix) {
  Result<SharedRun> shared = SharedRun::Create(1, 0);
  ASSERT_TRUE(shared.has_value()) << shared.error().message;
  constexpr int64_t kEvents = 200'000;
  std::thread writer([&] {
    Recorder recorder(shared->Segment(0, TaskKind::kSession));
    for (int64_t i = 0; i < kEvents; ++i) recorder.Append(Numbered(i));
  });
  size_t seen = 0;
  while (seen < kEvents) {
    const auto events = ReadSegment(shared->Segment(0, TaskKind::kSession)).events;
    ASSERT_GE(events.size(), seen);
    for (; seen < events.size(); ++seen) {
      ASSERT_EQ(events[seen], Numbered(static_cast<int64_t>(seen)));
    }
  }
  writer.join();
}

TEST(RecorderDeathTest, ASegmentThatIsTooSmallOrNotAlignedIsABug) {
  const auto memory = std::make_unique<Memory>();
  const std::span<std::byte> bytes(memory->bytes);
  EXPECT_DEATH(Recorder recorder(bytes.first(64)), "CHECK failed");
  EXPECT_DEATH(Recorder recorder(bytes.subspan(4)), "CHECK failed");
}

}  // namespace
}  // namespace doublehold
