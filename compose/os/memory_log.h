// A log in memory, for a process that runs before the run's folder exists.
#ifndef DOUBLEHOLD_COMPOSE_OS_MEMORY_LOG_H_
#define DOUBLEHOLD_COMPOSE_OS_MEMORY_LOG_H_

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>

namespace doublehold {

class MemoryLog {
 public:
  MemoryLog() : fd_(memfd_create("log", MFD_CLOEXEC)) {}
  MemoryLog(const MemoryLog&) = delete;
  MemoryLog& operator=(const MemoryLog&) = delete;
  ~MemoryLog() {
    if (fd_ >= 0) close(fd_);
  }
  // Only this process can open the path, and only while this object lives.
  [[nodiscard]] std::filesystem::path path() const { return fmt::format("/proc/self/fd/{}", fd_); }

 private:
  int fd_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_OS_MEMORY_LOG_H_
