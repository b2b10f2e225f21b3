// How long clients waited for a lock.
#ifndef DOUBLEHOLD_CHECKER_WAITS_H_
#define DOUBLEHOLD_CHECKER_WAITS_H_

#include <string>

#include "checker/scene.h"
#include "lib/history/history.h"

namespace doublehold {

// "; the longest wait was 8ms of client 1", or nothing when nobody was granted a key after waiting.
std::string LongestWaitClause(const History& history, const Scene& scene);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_WAITS_H_
