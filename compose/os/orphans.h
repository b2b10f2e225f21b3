// Kills processes that outlive their parent, such as processes that a driver starts in a session or
// process group of their own.
#ifndef DOUBLEHOLD_COMPOSE_OS_ORPHANS_H_
#define DOUBLEHOLD_COMPOSE_OS_ORPHANS_H_

#include <sys/types.h>

#include <set>
#include <string>
#include <vector>

namespace doublehold {

// From construction on, a descendant whose parent ends becomes a child of this process (prctl(2),
// PR_SET_CHILD_SUBREAPER), so that End can find and kill it. End does not kill children from before
// the construction. Thread rule: only one object may exist at a time; no other code may start
// children while End runs.
class Orphans {
 public:
  Orphans();
  Orphans(const Orphans&) = delete;
  Orphans& operator=(const Orphans&) = delete;
  ~Orphans() { End(); }

  // Kills the orphans and their descendants, and waits for their end. Requires that all children
  // that this process started since the construction have ended. Returns the names of the orphans
  // that still ran.
  std::vector<std::string> End();

 private:
  std::set<pid_t> before_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_OS_ORPHANS_H_
