// The temporary folder of a run, with the servers' sockets. The janitor, a small process, kills
// what still works in the folder, and removes it, even if the supervisor is killed. It waits until
// the supervisor's end of a pipe closes; a supervisor that was not killed writes a byte before.
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
  // After its work, the janitor calls `if_killed` if this process ended without the destructor. It
  // may be empty. It has the memory of this process as it is now, and only this descriptor:
  // `kept_open`, until the janitor ends (-1: none).
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
