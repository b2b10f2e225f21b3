// The processes of a run as the supervisor sees them: started, stopped, ended.
//
// Thread rule: the supervisor's.
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
  std::string name;  // "client 3", "node 1", "the store", "the referee"
  pid_t pid = 0;
  std::filesystem::path log;
  std::optional<int> ended;  // as wait() gives it
};

class Children {
 public:
  Children() = default;
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;
  ~Children() { KillAll(); }

  void Add(Child child) { children_.push_back(std::move(child)); }

  // Asks the kernel what has changed, without waiting. `stopped` is called for each process that
  // was stopped, `ended` for each that ended.
  void Poll(const std::function<void(const Child&)>& stopped,
            const std::function<void(const Child&)>& ended);

  [[nodiscard]] const std::vector<Child>& all() const { return children_; }
  [[nodiscard]] bool HaveEnded(ProcessRef::Kind kind, int first_number) const;
  // Every process that it was.
  [[nodiscard]] bool HasEnded(ProcessRef ref) const;

  // Ends what still runs, whole process groups, and waits for it.
  void KillAll();

 private:
  std::vector<Child> children_;
};

inline bool EndedWith(int status, ExitCode code) {
  return WIFEXITED(status) && WEXITSTATUS(status) == static_cast<int>(code);
}
// "exited with status 3", "was killed by signal 9".
std::string DescribeEnd(int status);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_OS_CHILD_PROCESSES_H_
