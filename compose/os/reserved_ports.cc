#include "compose/os/reserved_ports.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace doublehold {

HeldPorts::HeldPorts(HeldPorts&& other) noexcept : ports_(std::exchange(other.ports_, {})) {}

HeldPorts& HeldPorts::operator=(HeldPorts&& other) noexcept {
  std::swap(ports_, other.ports_);
  return *this;
}

HeldPorts::~HeldPorts() {
  for (const Port& port : ports_) close(port.fd);
}

Result<HeldPorts> HeldPorts::Take(size_t count) {
  HeldPorts held;
  while (held.count() < count) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0) held.ports_.push_back({.fd = fd});
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof(address);
    auto* any = reinterpret_cast<sockaddr*>(&address);
    const int on = 1;  // must be set before bind, on this socket and on the server's
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 ||
        bind(fd, any, bytes) != 0 || getsockname(fd, any, &bytes) != 0) {
      return EnvironmentFailed(fmt::format("no free port on 127.0.0.1: {}", std::strerror(errno)));
    }
    held.ports_.back().number = ntohs(address.sin_port);
  }
  return held;
}

}  // namespace doublehold
