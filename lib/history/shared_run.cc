#include "lib/history/shared_run.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "lib/base/check.h"

namespace doublehold {
namespace {

constexpr size_t kSegmentBytes =
    (64 + kEventsPerSegment * sizeof(Event) + kPageBytes - 1) / kPageBytes * kPageBytes;

size_t TotalBytes(int processes, int clock_pages) {
  return static_cast<size_t>(processes) * (kPageBytes + kTasksPerProcess * kSegmentBytes) +
         static_cast<size_t>(clock_pages) * kPageBytes;
}

tl::unexpected<Error> Failed(const char* call) {
  return EnvironmentFailed(fmt::format("shared memory: {}: {}", call, std::strerror(errno)));
}

}  // namespace

Result<SharedRun> SharedRun::Create(int processes, int clock_pages) {
  const int fd = memfd_create("doublehold", MFD_CLOEXEC);
  if (fd < 0) return Failed("memfd_create");
  if (ftruncate(fd, static_cast<off_t>(TotalBytes(processes, clock_pages))) != 0) {
    close(fd);
    return Failed("ftruncate");
  }
  return Map(fd, processes, clock_pages);
}

Result<SharedRun> SharedRun::Open(int fd, int processes, int clock_pages) {
  return Map(fd, processes, clock_pages);
}

Result<SharedRun> SharedRun::Map(int fd, int processes, int clock_pages) {
  void* memory = mmap(nullptr, TotalBytes(processes, clock_pages), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_NORESERVE, fd, 0);
  if (memory == MAP_FAILED) {
    close(fd);
    return Failed("mmap");
  }
  return SharedRun(fd, processes, clock_pages, static_cast<std::byte*>(memory));
}

SharedRun::SharedRun(SharedRun&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      processes_(other.processes_),
      clock_pages_(other.clock_pages_),
      memory_(std::exchange(other.memory_, nullptr)) {}

SharedRun::~SharedRun() {
  if (memory_ != nullptr) munmap(memory_, TotalBytes(processes_, clock_pages_));
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

std::span<std::byte> SharedRun::Segment(int process, TaskKind task) {
  CHECK(process >= 0 && process < processes_);
  const size_t index = static_cast<size_t>(process) * kTasksPerProcess + static_cast<size_t>(task);
  const size_t offset =
      static_cast<size_t>(clock_pages_ + processes_) * kPageBytes + index * kSegmentBytes;
  return {memory_ + offset, kSegmentBytes};
}

}  // namespace doublehold
