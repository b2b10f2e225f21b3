// How long clients waited for a lock.
#ifndef DOUBLEHOLD_CHECKER_WAITS_H_
#define DOUBLEHOLD_CHECKER_WAITS_H_

#include <string>

#include "checker/scene.h"
#include "lib/history/history.h"

namespace doublehold {

// "; the longest wait was 8ms of client 1", or nothing when nobody waited. One that was never granted the key waited until it gave up;
// without an answer until its client died, or the last that any client did. Where that was longer than any that was granted, it says so,
// and how long those were at most.
std::string LongestWaitClause(const History& history, const Scene& scene);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_WAITS_H_
