// Says why a path that the user named is not a file that can be read.
#ifndef DOUBLEHOLD_LIB_BASE_FILE_KIND_H_
#define DOUBLEHOLD_LIB_BASE_FILE_KIND_H_

#include <filesystem>
#include <string>

namespace doublehold {

enum class Pipes : uint8_t { kRefuse, kAccept };

// Returns "no such file", "is a folder", "is a FIFO, not a file", "Too many levels of symbolic
// links", "Permission denied" or the like; empty for a regular file that can be opened. kAccept:
// also accepts a pipe below /dev or /proc, as a shell's <(COMMAND) gives it. A FIFO elsewhere may
// have no writer, and opening it would wait for one.
std::string WhyNotReadable(const std::filesystem::path& path, Pipes pipes = Pipes::kRefuse);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_BASE_FILE_KIND_H_
