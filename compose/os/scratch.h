// The temporary folder of a run, with the servers' sockets. The janitor, a small process, creates
// the folder, kills what still works in it, and removes it, even if the supervisor is killed. It
// waits until the supervisor's end of a pipe closes; a supervisor that was not killed writes a byte
// first.
#ifndef DOUBLEHOLD_COMPOSE_OS_SCRATCH_H_
#define DOUBLEHOLD_COMPOSE_OS_SCRATCH_H_

#include <sys/types.h>

#include <filesystem>
#include <functional>

#include "lib/base/result.h"

namespace doublehold {

// Move-only. Create this object while the process has only one thread. The destructor removes the
// folder.
class Scratch {
 public:
  // If this process ends without the destructor, the janitor removes the folder and then calls
  // `if_killed`, unless it is empty. `if_killed` sees the memory of this process as of this call,
  // except for shared memory. The janitor keeps the descriptor `kept_open` open until the janitor
  // ends (-1: none), and closes all others.
  static Result<Scratch> Create(const std::function<void()>& if_killed = {}, int kept_open = -1);
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
