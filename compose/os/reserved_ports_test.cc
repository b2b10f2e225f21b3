#include "compose/os/reserved_ports.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace doublehold {
namespace {

// A socket on 127.0.0.1. Plays a server or another process.
class Socket {
 public:
  explicit Socket(int reuse = 1) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    EXPECT_EQ(setsockopt(fd_, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof(reuse)), 0);
  }
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Socket& operator=(Socket&&) = delete;
  ~Socket() {
    if (fd_ >= 0) close(fd_);
  }
  [[nodiscard]] bool Listen(uint16_t port) const {
    const sockaddr_in address = On(port);
    return bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 &&
           listen(fd_, 1) == 0;
  }
  [[nodiscard]] bool Connect(uint16_t port) const {
    const sockaddr_in address = On(port);
    return connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  }
  [[nodiscard]] uint16_t Port() const {
    sockaddr_in address{};
    socklen_t bytes = sizeof(address);
    EXPECT_EQ(getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &bytes), 0);
    return ntohs(address.sin_port);
  }

 private:
  static sockaddr_in On(uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
  }
  int fd_;
};

std::set<uint16_t> ListPortNumbers(const HeldPorts& held) {
  std::set<uint16_t> numbers;
  for (size_t i = 0; i < held.count(); ++i) numbers.insert(held.At(i));
  return numbers;
}

// The kernel chooses among about 28'000 ports. If these ports were not reserved, it would choose
// dozens of them.
TEST(HeldPorts, TheKernelGivesThemToNoOtherProcess) {
  constexpr size_t kMany = 200;
  const Result<HeldPorts> held = HeldPorts::Take(kMany);
  ASSERT_TRUE(held.has_value()) << held.error().message;
  const std::set<uint16_t> numbers = ListPortNumbers(*held);
  EXPECT_EQ(numbers.size(), kMany);
  for (int round = 0; round < 20; ++round) {
    std::vector<Socket> others(kMany);
    for (const Socket& other : others) {
      ASSERT_TRUE(other.Listen(0));
      ASSERT_FALSE(numbers.contains(other.Port()));
    }
  }
}

TEST(HeldPorts, AServerCanListenThereAgainAfterItsEnd) {
  const Result<HeldPorts> held = HeldPorts::Take(1);
  ASSERT_TRUE(held.has_value()) << held.error().message;
  EXPECT_FALSE(Socket().Connect(held->At(0))) << "nobody listens yet";
  for (int life = 0; life < 2; ++life) {
    const Socket server;
    ASSERT_TRUE(server.Listen(held->At(0))) << life;
    EXPECT_TRUE(Socket().Connect(held->At(0))) << life;
  }
  EXPECT_FALSE(Socket().Connect(held->At(0)));
}

TEST(HeldPorts, TheirDestructorFreesThem) {
  constexpr size_t kSome = 10;
  std::set<uint16_t> numbers;
  // Without SO_REUSEADDR a socket cannot share a reserved port, so Listen fails.
  const auto count_free = [&numbers] {
    return std::ranges::count_if(numbers, [](uint16_t port) { return Socket(0).Listen(port); });
  };
  {
    Result<HeldPorts> first = HeldPorts::Take(kSome);
    ASSERT_TRUE(first.has_value()) << first.error().message;
    numbers = ListPortNumbers(*first);
    const HeldPorts second = std::move(*first);
    EXPECT_EQ(ListPortNumbers(second), numbers);
    EXPECT_EQ(count_free(), 0);
  }
  EXPECT_GT(count_free(), 0) << "a few may have been given to others by now";
}

}  // namespace
}  // namespace doublehold
