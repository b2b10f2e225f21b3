// The child processes of a run. Detects which of them have stopped or ended.
//
// Thread rule: runs on the supervisor's thread.
#ifndef DOUBLEHOLD_COMPOSE_OS_CHILD_PROCESSES_H_
#define DOUBLEHOLD_COMPOSE_OS_CHILD_PROCESSES_H_

#include <sys/types.h>
#include <sys/wait.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "faults/cluster.h"
#include "lib/base/result.h"

namespace doublehold {

struct Child {
  ProcessRef ref;
  std::string name;  // "client 3", "node 1", "the store" or "the referee"
  pid_t pid = 0;
  std::filesystem::path log;
  std::optional<int> ended;  // the status of waitpid()
};

class Children {
 public:
  Children() = default;
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;
  ~Children() { KillAll(); }

  void Add(Child child) { children_.push_back(std::move(child)); }

  // Asks the kernel for changes, without waiting. Calls `stopped` for each process that was
  // stopped, and `ended` for each process that ended.
  void Poll(const std::function<void(const Child&)>& stopped,
            const std::function<void(const Child&)>& ended);

  [[nodiscard]] const std::vector<Child>& all() const { return children_; }
  // Whether all processes of this kind have ended whose number is at least `first_number`.
  [[nodiscard]] bool HaveEnded(ProcessRef::Kind kind, int first_number) const;
  // Whether all processes of `ref` have ended. A node that was restarted has had several processes.
  [[nodiscard]] bool HasEnded(ProcessRef ref) const;

  // Kills all children that still run, or those of one kind, with their descendants, and waits for
  // them.
  void KillAll() { Kill(std::nullopt); }
  void KillAllOf(ProcessRef::Kind kind) { Kill(kind); }

 private:
  void Kill(std::optional<ProcessRef::Kind> kind);

  std::vector<Child> children_;
};

inline bool EndedWith(int status, ExitCode code) {
  return WIFEXITED(status) && WEXITSTATUS(status) == static_cast<int>(code);
}

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_OS_CHILD_PROCESSES_H_
