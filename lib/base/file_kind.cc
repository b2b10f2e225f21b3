#include "lib/base/file_kind.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace doublehold {
namespace {

std::string DescribeError(int error) {
  return error == ENOENT || error == ENOTDIR ? "no such file" : std::strerror(error);
}

}  // namespace

std::string WhyNotReadable(const std::filesystem::path& path, Pipes pipes) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return DescribeError(errno);
  if (S_ISDIR(status.st_mode)) return "is a folder";
  const std::string text = path.string();
  const bool is_open = text.starts_with("/dev/") || text.starts_with("/proc/");
  if (S_ISFIFO(status.st_mode) && pipes == Pipes::kAccept && is_open) return {};
  if (S_ISFIFO(status.st_mode)) return "is a FIFO, not a file";
  if (S_ISSOCK(status.st_mode)) return "is a socket, not a file";
  if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode)) return "is a device, not a file";
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return DescribeError(errno);
  close(fd);
  return {};
}

}  // namespace doublehold
