#include "compose/os/standard_output.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ext/stdio_sync_filebuf.h>
#include <iostream>

namespace doublehold {
namespace {

std::atomic<int> first_error = 0;

// Reports success in any case: fmt would throw where the output fails, perhaps in another thread.
ssize_t WriteOrNote(void* /*cookie*/, const char* text, size_t size) {
  for (size_t done = 0; done < size && first_error == 0;) {
    const ssize_t written = write(STDOUT_FILENO, text + done, size - done);
    if (written >= 0) {
      done += static_cast<size_t>(written);
    } else if (errno != EINTR) {
      first_error = errno;
    }
  }
  return static_cast<ssize_t>(size);
}

}  // namespace

void WatchStandardOutput() {
  std::FILE* watched = fopencookie(
      nullptr, "w", {.read = nullptr, .write = WriteOrNote, .seek = nullptr, .close = nullptr});
  if (watched == nullptr) return;
  if (isatty(STDOUT_FILENO) == 1) setvbuf(watched, nullptr, _IOLBF, BUFSIZ);
  stdout = watched;
  // Never destroyed, because std::cout is flushed at the very end of the program.
  static auto* const buffer = new __gnu_cxx::stdio_sync_filebuf<char>(watched);
  std::cout.rdbuf(buffer);
}

std::string FinishStandardOutput() {
  std::cout.flush();
  std::fflush(stdout);
  const int error = first_error;
  return error == 0 || error == EPIPE ? "" : std::strerror(error);
}

}  // namespace doublehold
