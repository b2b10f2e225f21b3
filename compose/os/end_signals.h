// The signals that end the program: Ctrl-C, kill(1), and the end of the terminal.
#ifndef DOUBLEHOLD_COMPOSE_OS_END_SIGNALS_H_
#define DOUBLEHOLD_COMPOSE_OS_END_SIGNALS_H_

#include <signal.h>

#include <array>

namespace doublehold {

constexpr std::array kEndSignals{SIGINT, SIGTERM, SIGHUP};

// Blocks kEndSignals in the calling thread until the process exits, so that no signal kills a
// command while it prints its result. Returns the signals that were blocked before.
inline sigset_t BlockEndSignals() {
  sigset_t blocked{}, before{};
  sigemptyset(&blocked);
  for (const int signal : kEndSignals) sigaddset(&blocked, signal);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  return before;
}

// Blocks kEndSignals during this object's lifetime. A signal that arrives meanwhile acts when it
// ends, unless the signals were blocked before. Not thread-safe.
class EndSignalsBlocked {
 public:
  EndSignalsBlocked() = default;
  ~EndSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  EndSignalsBlocked(const EndSignalsBlocked&) = delete;
  EndSignalsBlocked& operator=(const EndSignalsBlocked&) = delete;

 private:
  const sigset_t before_ = BlockEndSignals();
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_OS_END_SIGNALS_H_
