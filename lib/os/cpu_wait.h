// How long processes have waited for a processor while others used it.
#ifndef DOUBLEHOLD_LIB_OS_CPU_WAIT_H_
#define DOUBLEHOLD_LIB_OS_CPU_WAIT_H_

#include <sys/types.h>

#include "lib/base/time.h"

namespace doublehold {

// Returns the total time for which the threads of a process, and of its descendants, were ready to
// run and did not run (/proc/PID/task/TID/schedstat). If several threads wait at once, each counts;
// threads that have ended do not. Zero if the process has ended, or the kernel keeps no such times.
// Real time, also in fast time. Safe to call from any thread.
Duration WaitedForCpu(pid_t pid);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_OS_CPU_WAIT_H_
