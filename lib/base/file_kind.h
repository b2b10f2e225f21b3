// Says why a path that the user named is not a file that can be read.
#ifndef DOUBLEHOLD_LIB_BASE_FILE_KIND_H_
#define DOUBLEHOLD_LIB_BASE_FILE_KIND_H_

#include <filesystem>
#include <string>

namespace doublehold {

enum class Pipes : uint8_t { kRefuse, kAccept };

// Returns the reason in words, such as "no such file", "is a folder", "is a FIFO, not a file" or
// "Permission denied". Returns "" for a regular file that can be opened.
//
// With kAccept, also returns "" for a pipe below /dev or /proc. A shell passes <(COMMAND) as such a
// path. A FIFO elsewhere is refused, because opening it would block until it has a writer.
std::string WhyNotReadable(const std::filesystem::path& path, Pipes pipes = Pipes::kRefuse);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_BASE_FILE_KIND_H_
