#include "lib/redis/socket.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "lib/redis/hiredis_connection.h"

namespace doublehold {
namespace {

std::string Errno(const char* what, int error) {
  return fmt::format("{}: {}", what, std::strerror(error));
}

union AnyAddress {
  sockaddr any;
  sockaddr_un unix_domain;
  sockaddr_in inet;
};

struct SocketAddress {
  AnyAddress address{};
  socklen_t bytes = 0;
};

// Returns an address of 0 bytes if the path is too long.
SocketAddress ToSocketAddress(const NodeAddress& address) {
  SocketAddress result;
  if (!address.unix_path.empty()) {
    if (address.unix_path.size() >= sizeof(result.address.unix_domain.sun_path)) return result;
    result.address.unix_domain.sun_family = AF_UNIX;
    address.unix_path.copy(result.address.unix_domain.sun_path, address.unix_path.size());
    result.bytes = sizeof(sockaddr_un);
    return result;
  }
  result.address.inet.sin_family = AF_INET;
  result.address.inet.sin_port = htons(address.port);
  if (inet_pton(AF_INET, address.host.c_str(), &result.address.inet.sin_addr) != 1) return result;
  result.bytes = sizeof(sockaddr_in);
  return result;
}

}  // namespace

void Socket::Close() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

std::string Socket::Connect(const NodeAddress& address, Deadline deadline) {
  Close();
  const SocketAddress to = ToSocketAddress(address);
  if (to.bytes == 0) return fmt::format("no usable address: {}", FormatAddress(address));
  fd_ = socket(to.address.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd_ < 0) return Errno("socket", errno);
  if (to.address.any.sa_family == AF_INET) {
    const int on = 1;
    setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  std::string error;
  if (connect(fd_, &to.address.any, to.bytes) != 0) {
    // If the backlog of a unix socket is full (a stopped server), connect fails with EAGAIN instead
    // of waiting.
    error = errno == EINPROGRESS ? WaitFor(POLLOUT, deadline) : Errno("connect", errno);
    if (error.empty()) {
      int status = 0;
      socklen_t bytes = sizeof status;
      getsockopt(fd_, SOL_SOCKET, SO_ERROR, &status, &bytes);
      if (status != 0) error = Errno("connect", status);
    }
  }
  if (!error.empty()) Close();
  return error;
}

std::string Socket::SendAll(std::string_view bytes, Deadline deadline) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<size_t>(sent));
    } else if (errno == EAGAIN) {
      if (std::string error = WaitFor(POLLOUT, deadline); !error.empty()) return error;
    } else if (errno != EINTR) {
      return Errno("send", errno);
    }
  }
  return {};
}

Socket::Received Socket::Receive(std::span<char> into, Deadline deadline) {
  while (true) {
    if (std::string error = WaitFor(POLLIN, deadline); !error.empty()) return {.error = error};
    const ssize_t received = recv(fd_, into.data(), into.size(), 0);
    if (received > 0) return {.error = {}, .bytes = static_cast<size_t>(received)};
    if (received == 0) return {.error = "closed by the node"};
    if (errno != EINTR && errno != EAGAIN) return {.error = Errno("receive", errno)};
  }
}

bool Socket::IsSpoilt() const {
  pollfd waiting{.fd = fd_, .events = POLLIN | POLLRDHUP, .revents = 0};
  return poll(&waiting, 1, 0) > 0;
}

std::string Socket::WaitFor(int16_t events, Deadline deadline) const {
  while (true) {
    // Returns data that has already arrived, even after the deadline. If one node is silent until
    // the deadline, the replies of the other nodes must still count.
    const Duration left = std::max(deadline - RealMono(), Duration::zero());
    const timespec timeout{.tv_sec = left.count() / 1'000'000'000,
                           .tv_nsec = left.count() % 1'000'000'000};
    pollfd waiting{.fd = fd_, .events = events, .revents = 0};
    const int ready = ppoll(&waiting, 1, &timeout, nullptr);
    if (ready > 0) return {};
    if (ready == 0) return "no answer within the deadline";
    if (errno != EINTR) return Errno("poll", errno);
  }
}

}  // namespace doublehold
