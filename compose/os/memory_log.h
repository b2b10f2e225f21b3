// A log that lies in memory: of what is over before there is a folder for it.
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
  // To be opened, by this process alone, while this is there.
  [[nodiscard]] std::filesystem::path path() const { return fmt::format("/proc/self/fd/{}", fd_); }

 private:
  int fd_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_OS_MEMORY_LOG_H_
