#include "lib/clients/await_socket.h"

#include <poll.h>

#include <algorithm>
#include <chrono>

namespace doublehold {

short AwaitSocket(int fd, short events, Deadline deadline) {
  pollfd waiting{.fd = fd, .events = events};
  while (true) {
    const Duration left = deadline - MonoTime(std::chrono::steady_clock::now().time_since_epoch());
    const auto left_ms = std::chrono::ceil<std::chrono::milliseconds>(left).count();
    const int ready = poll(&waiting, 1, static_cast<int>(std::clamp<int64_t>(left_ms, 0, 60'000)));
    if (ready > 0) return waiting.revents;
    if (left <= Duration::zero()) return 0;
  }
}

}  // namespace doublehold
