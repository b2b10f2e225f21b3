#include "lib/history/shared_run.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "lib/base/check.h"
#include "lib/base/words.h"

namespace doublehold {
namespace {

constexpr size_t kSegmentBytes =
    (64 + kEventsPerSegment * sizeof(Event) + kPageBytes - 1) / kPageBytes * kPageBytes;

tl::unexpected<Error> Failed(const char* call) {
  return EnvironmentFailed(fmt::format("shared memory: {}: {}", call, std::strerror(errno)));
}

}  // namespace

bool ErrorTexts::Keep(std::string_view text) {
  const std::vector<std::string> kept = Read();
  const std::string line = std::string(
      CutBetweenCharacters(OnOneLine(CutBetweenCharacters(text, kMostBytes)), kMostBytes));
  if (line.empty() || kept.size() == texts_.size() || std::ranges::count(kept, line) > 0)
    return false;
  Text& place = texts_[kept.size()];
  std::ranges::copy(line, place.chars.begin());
  place.bytes.store(static_cast<uint32_t>(line.size()), std::memory_order_release);
  return true;
}

std::vector<std::string> ErrorTexts::Read() const {
  std::vector<std::string> kept;
  for (const Text& text : texts_) {
    const size_t bytes = std::min<size_t>(text.bytes.load(std::memory_order_acquire), kMostBytes);
    if (bytes > 0) kept.emplace_back(text.chars.data(), bytes);
  }
  return kept;
}

size_t SharedRun::OwnOffset() const {
  const size_t segments = static_cast<size_t>(threads_) * kTasksPerThread;
  return static_cast<size_t>(processes_) * (kPageBytes + segments * kSegmentBytes) +
         static_cast<size_t>(clock_pages_) * kPageBytes;
}

size_t SharedRun::TotalBytes() const { return OwnOffset() + kPageBytes + kSegmentBytes; }

Result<SharedRun> SharedRun::Create(int processes, int clock_pages, int threads) {
  const int fd = memfd_create("doublehold", MFD_CLOEXEC);
  if (fd < 0) return Failed("memfd_create");
  SharedRun run(fd, processes, clock_pages, threads);
  if (ftruncate(fd, static_cast<off_t>(run.TotalBytes())) != 0) return Failed("ftruncate");
  return std::move(run).Map();
}

Result<SharedRun> SharedRun::Open(int fd, int processes, int clock_pages, int threads) {
  return SharedRun(fd, processes, clock_pages, threads).Map();
}

Result<SharedRun> SharedRun::Map() && {
  void* memory =
      mmap(nullptr, TotalBytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd_, 0);
  if (memory == MAP_FAILED) return Failed("mmap");
  memory_ = static_cast<std::byte*>(memory);
  return std::move(*this);
}

SharedRun::SharedRun(SharedRun&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      processes_(other.processes_),
      clock_pages_(other.clock_pages_),
      threads_(other.threads_),
      memory_(std::exchange(other.memory_, nullptr)) {}

SharedRun::~SharedRun() {
  if (memory_ != nullptr) munmap(memory_, TotalBytes());
  if (fd_ >= 0) close(fd_);
}

size_t SharedRun::ClockPageOffset(int page) const {
  CHECK(page >= 0 && page < clock_pages_);
  return static_cast<size_t>(page) * kPageBytes;
}

ClientControl& SharedRun::Control(int process) {
  CHECK(process >= 0 && process < processes_);
  const size_t offset = static_cast<size_t>(clock_pages_ + process) * kPageBytes;
  return *reinterpret_cast<ClientControl*>(memory_ + offset);
}

SupervisorControl& SharedRun::OwnControl() {
  return *reinterpret_cast<SupervisorControl*>(memory_ + OwnOffset());
}

std::span<std::byte> SharedRun::OwnSegment() {
  return {memory_ + OwnOffset() + kPageBytes, kSegmentBytes};
}

std::span<std::byte> SharedRun::Segment(int process, TaskKind task, int thread) {
  CHECK(process >= 0 && process < processes_ && thread >= 0 && thread < threads_);
  const size_t session =
      static_cast<size_t>(process) * static_cast<size_t>(threads_) + static_cast<size_t>(thread);
  const size_t index = session * kTasksPerThread + static_cast<size_t>(task);
  const size_t offset =
      static_cast<size_t>(clock_pages_ + processes_) * kPageBytes + index * kSegmentBytes;
  return {memory_ + offset, kSegmentBytes};
}

}  // namespace doublehold
