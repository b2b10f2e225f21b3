// Shared memory of a run's processes: a control page for each client, and a segment for each task.
// The memory is an anonymous file (memfd) that child processes inherit, so no file is left when the
// run ends.
#ifndef DOUBLEHOLD_LIB_HISTORY_SHARED_RUN_H_
#define DOUBLEHOLD_LIB_HISTORY_SHARED_RUN_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/event.h"
#include "lib/base/result.h"

namespace doublehold {

constexpr size_t kPageBytes = 4096;
constexpr size_t kTasksPerThread = 3;  // number of TaskKinds
// 4 million events. A client at 36,000 cycles/s with 6 events each fills a segment in 20 s. The
// system allocates pages on first use.
constexpr uint64_t kEventsPerSegment = uint64_t{1} << 22;

// The first texts with which a client's driver answered calls in error. One thread of the client
// writes them. Any process may read them meanwhile.
class ErrorTexts {
 public:
  // Keeps the first 700 bytes of the text on one line, and returns true. Returns false if the text
  // is kept already, or if there is no room.
  bool Keep(std::string_view text);
  [[nodiscard]] std::vector<std::string> Read() const;

 private:
  static constexpr size_t kMostTexts = 3, kMostBytes = 700;
  struct Text {
    std::atomic<uint32_t> bytes;  // 0: free
    std::array<char, kMostBytes> chars;
  };
  std::array<Text, kMostTexts> texts_;
};

// Written by the supervisor and read by the client, except where noted.
struct ClientControl {
  std::atomic<uint32_t> armed;    // bit (1 << Step): announce that step and wait for the answer
  std::atomic<uint32_t> stop;     // start nothing new
  std::atomic<int64_t> start_ns;  // MonoTime of the run's start, or 0 before it
  std::atomic<int64_t> grants;    // written by the client, for the progress line
  std::atomic<int64_t> orders;    // written by the client, for the progress line
  std::atomic<int64_t> wall_ahead_ns;  // written by the client: wall clock minus monotonic clock
  ErrorTexts errors;                   // written by the client
};
// Written by the supervisor, and read by the janitor if the supervisor is killed.
struct SupervisorControl {
  std::atomic<int64_t> start_ns;  // MonoTime of the run's start, or 0 before it
  std::atomic<int64_t> alive_ns;  // MonoTime at which the event loop last ran
};
static_assert(sizeof(ClientControl) <= kPageBytes && std::atomic<int64_t>::is_always_lock_free);

// The memory also has a clock page (lib/clock/clock_page.h) for each client, each node and the
// store, and a control page and a segment of the supervisor. Movable. The destructor unmaps the
// memory. `process` 0 is the referee; `process` n is client n. `threads` is the number of sessions
// of each process.
class SharedRun {
 public:
  // `clock_pages`: number of clock pages.
  static Result<SharedRun> Create(int processes, int clock_pages, int threads = 1);
  // Called in a child: maps the inherited descriptor `fd`.
  static Result<SharedRun> Open(int fd, int processes, int clock_pages, int threads = 1);

  SharedRun(SharedRun&& other) noexcept;
  SharedRun& operator=(SharedRun&&) = delete;
  ~SharedRun();

  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] ClientControl& Control(int process);
  [[nodiscard]] std::span<std::byte> Segment(int process, TaskKind task, int thread = 0);
  [[nodiscard]] SupervisorControl& OwnControl();
  [[nodiscard]] std::span<std::byte> OwnSegment();
  [[nodiscard]] size_t ClockPageOffset(int page) const;
  [[nodiscard]] void* ClockPage(int page) { return memory_ + ClockPageOffset(page); }

 private:
  SharedRun(int fd, int processes, int clock_pages, int threads)
      : fd_(fd), processes_(processes), clock_pages_(clock_pages), threads_(threads) {}
  Result<SharedRun> Map() &&;              // closes the descriptor on failure
  [[nodiscard]] size_t OwnOffset() const;  // of the supervisor's control page and segment
  [[nodiscard]] size_t TotalBytes() const;

  int fd_;
  int processes_;
  int clock_pages_;
  int threads_;
  std::byte* memory_ = nullptr;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_SHARED_RUN_H_
