#include "lib/history/shared_run.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <set>

#include "lib/history/recorder.h"

namespace doublehold {
namespace {

constexpr int kProcesses = 3;
constexpr int kClockPages = 4;
constexpr int kThreads = 2;

SharedRun Made() {
  Result<SharedRun> shared = SharedRun::Create(kProcesses, kClockPages, kThreads);
  EXPECT_TRUE(shared.has_value()) << shared.error().message;
  return std::move(*shared);
}

TEST(SharedRun, ClockPagesControlsAndSegmentsDoNotOverlap) {
  SharedRun shared = Made();
  std::vector<std::pair<uintptr_t, size_t>> parts;
  for (int page = 0; page < kClockPages; ++page) {
    parts.emplace_back(reinterpret_cast<uintptr_t>(shared.ClockPage(page)), kPageBytes);
    EXPECT_EQ(shared.ClockPageOffset(page) % kPageBytes, 0u);
  }
  for (int process = 0; process < kProcesses; ++process) {
    parts.emplace_back(reinterpret_cast<uintptr_t>(&shared.Control(process)),
                       sizeof(ClientControl));
    for (int i = 0; i < 3 * kThreads; ++i) {
      const std::span<std::byte> segment =
          shared.Segment(process, static_cast<TaskKind>(i % 3), i / 3);
      parts.emplace_back(reinterpret_cast<uintptr_t>(segment.data()), segment.size());
      EXPECT_EQ(reinterpret_cast<uintptr_t>(segment.data()) % 64, 0u);
      EXPECT_GE(segment.size(), sizeof(SegmentHeader) + kEventsPerSegment * sizeof(Event));
    }
  }
  parts.emplace_back(reinterpret_cast<uintptr_t>(&shared.OwnControl()), sizeof(SupervisorControl));
  const std::span<std::byte> own = shared.OwnSegment();
  EXPECT_EQ(reinterpret_cast<uintptr_t>(own.data()) % 64, 0u);
  parts.emplace_back(reinterpret_cast<uintptr_t>(own.data()), own.size());
  std::sort(parts.begin(), parts.end());
  for (size_t i = 1; i < parts.size(); ++i) {
    EXPECT_LE(parts[i - 1].first + parts[i - 1].second, parts[i].first);
  }
}

TEST(SharedRun, KeepsTheFirstDistinctErrorsOfADriverEachOnOneLine) {
  SharedRun shared = Made();
  ErrorTexts& errors = shared.Control(1).errors;
  EXPECT_TRUE(errors.Read().empty());
  EXPECT_TRUE(errors.Keep("first\nline"));
  EXPECT_FALSE(errors.Keep("first\nline")) << "kept already";
  EXPECT_FALSE(errors.Keep(""));
  std::string euros;
  while (euros.size() + 3 < 700) euros += "\u20ac";
  EXPECT_TRUE(errors.Keep(euros + "\u20ac\u20ac"));
  EXPECT_TRUE(errors.Keep("third"));
  EXPECT_FALSE(errors.Keep("fourth"));
  const std::vector<std::string> kept = errors.Read();
  ASSERT_EQ(kept.size(), 3u);
  EXPECT_EQ(kept[0], "first\\nline");
  EXPECT_EQ(kept[1], euros) << "no character is split";
  EXPECT_EQ(kept[2], "third");
}

TEST(SharedRun, TheLastEventOfTheLastSegmentIsMapped) {
  SharedRun shared = Made();
  shared.OwnSegment().back() = std::byte{1};
}

TEST(SharedRun, AllMappingsOfADescriptorShareTheMemory) {
  SharedRun shared = Made();
  Result<SharedRun> other = SharedRun::Open(dup(shared.fd()), kProcesses, kClockPages, kThreads);
  ASSERT_TRUE(other.has_value()) << other.error().message;
  shared.Control(2).armed.store(5);
  EXPECT_EQ(other->Control(2).armed.load(), 5u);
  EXPECT_EQ(other->Control(1).armed.load(), 0u);
  Recorder(other->Segment(1, TaskKind::kWatchdog)).Append({.at_ns = 7});
  EXPECT_EQ(ReadSegment(shared.Segment(1, TaskKind::kWatchdog)).events.size(), 1u);
  EXPECT_EQ(ReadSegment(shared.Segment(1, TaskKind::kSession)).events.size(), 0u);
}

TEST(SharedRun, MovesWithItsMemory) {
  SharedRun shared = Made();
  shared.Control(0).grants.store(3);
  const int fd = shared.fd();
  SharedRun moved(std::move(shared));
  EXPECT_EQ(moved.fd(), fd);
  EXPECT_EQ(moved.Control(0).grants.load(), 3);
}

TEST(SharedRun, AnInvalidDescriptorIsAnError) {
  const Result<SharedRun> shared = SharedRun::Open(-1, kProcesses, kClockPages);
  ASSERT_FALSE(shared.has_value());
  EXPECT_EQ(shared.error().code, ExitCode::kEnvironment);
  EXPECT_EQ(shared.error().message, "shared memory: mmap: Bad file descriptor");
}

TEST(SharedRunDeathTest, AnUnknownProcessOrPageIsABug) {
  SharedRun shared = Made();
  EXPECT_DEATH((void)shared.Control(kProcesses), "CHECK failed");
  EXPECT_DEATH((void)shared.Segment(-1, TaskKind::kSession), "CHECK failed");
  EXPECT_DEATH((void)shared.ClockPage(kClockPages), "CHECK failed");
}

}  // namespace
}  // namespace doublehold
