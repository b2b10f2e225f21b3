#include "lib/testing/byte_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "lib/redis/hiredis_connection.h"
#include "lib/redis/wire/resp_framer.h"
#include "lib/testing/servers.h"

namespace doublehold::testing {
namespace {

constexpr int kPatienceMs = static_cast<int>(kPatience / 1ms);

}  // namespace

ByteClient ByteClient::ToUnix(const std::string& path) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0) {
    return ByteClient(fd);
  }
  close(fd);
  return ByteClient(-1);
}

ByteClient ByteClient::ToPort(uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0) {
    return ByteClient(fd);
  }
  close(fd);
  return ByteClient(-1);
}

ByteClient::ByteClient(ByteClient&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      error_(other.error_),
      received_(std::move(other.received_)) {}

ByteClient& ByteClient::operator=(ByteClient&& other) noexcept {
  Close();
  fd_ = std::exchange(other.fd_, -1);
  error_ = other.error_;
  received_ = std::move(other.received_);
  return *this;
}

ByteClient::~ByteClient() { Close(); }

void ByteClient::Close() {
  if (fd_ >= 0) close(std::exchange(fd_, -1));
}

void ByteClient::CloseWriting() { shutdown(fd_, SHUT_WR); }

bool ByteClient::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

// Receives more bytes. Returns false when none arrived.
bool ByteClient::Fill(int timeout_ms) {
  pollfd ready{.fd = fd_, .events = POLLIN, .revents = 0};
  if (error_ != -1 || poll(&ready, 1, timeout_ms) <= 0) return false;
  char buffer[16 * 1024];
  const ssize_t got = recv(fd_, buffer, sizeof(buffer), 0);
  if (got <= 0) {
    error_ = got == 0 ? 0 : errno;
    return false;
  }
  received_.append(buffer, static_cast<size_t>(got));
  return true;
}

std::string ByteClient::ReceiveReply() {
  RespFramer framer(RespFramer::Side::kReplies);
  size_t bytes = 0;
  for (;;) {
    while (bytes < received_.size()) {
      const std::string_view received = received_;
      const RespFramer::Piece piece = framer.Next(received.substr(bytes));
      bytes += piece.bytes;
      if (!piece.ends) continue;
      std::string reply = received_.substr(0, bytes);
      received_.erase(0, bytes);
      return reply;
    }
    if (!Fill(kPatienceMs)) return {};
  }
}

std::string ByteClient::Call(const std::vector<std::string>& words) {
  return Send(Encode(words)) ? ReceiveReply() : "";
}

std::string ByteClient::ReceiveNow() {
  while (Fill(0)) {
  }
  return std::exchange(received_, {});
}

int ByteClient::ReceiveEnd() {
  while (Fill(kPatienceMs)) {
  }
  return error_;
}

std::string Encode(const std::vector<std::string>& words) {
  return FormatCommand(std::vector<std::string_view>(words.begin(), words.end()));
}

}  // namespace doublehold::testing
