// Requests by SIGINT or SIGTERM to end a run. The first request ends the run in order, the second
// request at once.
#ifndef DOUBLEHOLD_COMPOSE_OS_SHUTDOWN_REQUEST_H_
#define DOUBLEHOLD_COMPOSE_OS_SHUTDOWN_REQUEST_H_

#include "lib/base/time.h"

namespace doublehold {

// Not thread-safe.
class EndRequest {
 public:
  // A single request may deliver the same signal twice, to the process and to its process group.
  // Two equal signals within this time are one request.
  static constexpr Duration kSameRequest{std::chrono::milliseconds(300)};

  void Signalled(int signal, MonoTime now) {
    const bool same = signal == signal_ && now - at_ <= kSameRequest;
    twice_ = twice_ || (once_ && !same);
    once_ = true;
    signal_ = signal;
    at_ = now;
  }
  [[nodiscard]] bool once() const { return once_; }
  [[nodiscard]] bool twice() const { return twice_; }

 private:
  bool once_ = false;
  bool twice_ = false;
  int signal_ = 0;
  MonoTime at_{};
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_OS_SHUTDOWN_REQUEST_H_
