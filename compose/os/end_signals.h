// The signals that end the program: Ctrl-C, kill(1), and the end of the terminal.
#ifndef DOUBLEHOLD_COMPOSE_OS_END_SIGNALS_H_
#define DOUBLEHOLD_COMPOSE_OS_END_SIGNALS_H_

#include <signal.h>

#include <array>
#include <ctime>

namespace doublehold {

constexpr std::array kEndSignals{SIGINT, SIGTERM, SIGHUP};

// Blocks these signals of the calling thread during this object's lifetime. A signal that arrives
// meanwhile acts afterwards, unless it is discarded. Not thread-safe.
class EndSignalsBlocked {
 public:
  EndSignalsBlocked() {
    sigemptyset(&blocked_);
    for (const int signal : kEndSignals) sigaddset(&blocked_, signal);
    pthread_sigmask(SIG_BLOCK, &blocked_, &before_);
  }
  ~EndSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  EndSignalsBlocked(const EndSignalsBlocked&) = delete;
  EndSignalsBlocked& operator=(const EndSignalsBlocked&) = delete;

  // For a command that has done its work, and ends by itself.
  void Discard() const {
    constexpr timespec kNow{};
    while (sigtimedwait(&blocked_, nullptr, &kNow) > 0) continue;
  }

 private:
  sigset_t blocked_{}, before_{};
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_OS_END_SIGNALS_H_
