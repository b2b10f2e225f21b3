// The temporary folder of a run, with the servers' sockets. The janitor, a small process, kills
// what still works in the folder, and removes it, even if the supervisor is killed. It waits until
// the supervisor's end of a pipe closes.
#ifndef DOUBLEHOLD_COMPOSE_OS_SCRATCH_H_
#define DOUBLEHOLD_COMPOSE_OS_SCRATCH_H_

#include <sys/types.h>

#include <filesystem>

#include "lib/base/result.h"

namespace doublehold {

// Move-only. Create this object while the process has only one thread. The destructor removes the
// folder.
class Scratch {
 public:
  static Result<Scratch> Create();
  Scratch(Scratch&& other) noexcept;
  Scratch& operator=(Scratch&&) = delete;
  ~Scratch();

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  Scratch(std::filesystem::path folder, int pipe, pid_t janitor)
      : folder_(std::move(folder)), pipe_(pipe), janitor_(janitor) {}

  std::filesystem::path folder_;
  int pipe_;
  pid_t janitor_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_OS_SCRATCH_H_
