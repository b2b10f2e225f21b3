// Signals to a process with all its descendants. Some servers, such as PostgreSQL, have processes
// in sessions of their own, which a signal to the process group does not reach.
#ifndef DOUBLEHOLD_COMPOSE_OS_PROCESS_TREE_H_
#define DOUBLEHOLD_COMPOSE_OS_PROCESS_TREE_H_

#include <sys/types.h>

#include <filesystem>

namespace doublehold {

// Stops (SIGSTOP), continues (SIGCONT) or kills (SIGKILL) a child of this process, the process
// group that it leads, and its descendants. A process that a descendant starts meanwhile gets the
// signal too. If there are descendants, waits some milliseconds for their end before the child is
// killed. So no descendant of a reaped child still uses the child's data.
void SignalTree(pid_t child, int signal);

// Kills the processes whose working directory is in the folder.
void KillProcessesIn(const std::filesystem::path& folder);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_OS_PROCESS_TREE_H_
