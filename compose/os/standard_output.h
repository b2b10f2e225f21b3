// Standard output whose failures are noticed: a full disk, or a descriptor that is closed.
#ifndef DOUBLEHOLD_COMPOSE_OS_STANDARD_OUTPUT_H_
#define DOUBLEHOLD_COMPOSE_OS_STANDARD_OUTPUT_H_

#include <string>

namespace doublehold {

// From now on a write to stdout or std::cout that fails ends nothing: the command goes on, and
// writes its files. Call it once, before any output.
void WatchStandardOutput();

// Writes what is buffered. Returns why the output is not complete, such as "No space left on
// device". Returns an empty text if it is complete, or if its reader wants no more of it (a closed
// pipe).
std::string FinishStandardOutput();

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_OS_STANDARD_OUTPUT_H_
