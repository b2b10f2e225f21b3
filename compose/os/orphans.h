// Processes that outlive who started them: what a driver runs in a session or a group of its own.
#ifndef DOUBLEHOLD_COMPOSE_OS_ORPHANS_H_
#define DOUBLEHOLD_COMPOSE_OS_ORPHANS_H_

#include <sys/types.h>

#include <set>
#include <string>
#include <vector>

namespace doublehold {

// From its making on, a descendant of this process whose parent ends becomes a child of this
// process (prctl(2), PR_SET_CHILD_SUBREAPER), so that it can be found and ended. Children that were
// there before are left alone. Thread rule: one at a time, and nothing else starts children while
// End runs.
class Orphans {
 public:
  Orphans();
  Orphans(const Orphans&) = delete;
  Orphans& operator=(const Orphans&) = delete;
  ~Orphans() { End(); }

  // Kills those that are left, with what they leave in turn, and waits for them. To be called when
  // all children that this process started itself have ended. The names of those that still ran.
  std::vector<std::string> End();

 private:
  std::set<pid_t> before_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_OS_ORPHANS_H_
