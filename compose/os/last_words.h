// The text that a command prints if Ctrl-C, SIGTERM or SIGHUP ends it while it computes: its result
// so far. The process then exits at once.
#ifndef DOUBLEHOLD_COMPOSE_OS_LAST_WORDS_H_
#define DOUBLEHOLD_COMPOSE_OS_LAST_WORDS_H_

#include <memory>
#include <string>

#include "lib/base/result.h"

namespace doublehold {

// Only one object may exist at a time. The destructor restores the default action of the signals. A
// run on real servers (compose/run/supervisor.h) replaces these handlers with its own and restores
// the default action at its end, so call Set after a run.
class LastWords {
 public:
  // `line` is printed to standard error, with a newline, if a signal ends the process before the
  // first Set.
  explicit LastWords(const std::string& line);
  LastWords(const LastWords&) = delete;
  LastWords& operator=(const LastWords&) = delete;
  ~LastWords();

  // Handles the signals, and replaces the text: a signal prints `found` to standard output and
  // `line` to standard error, and exits with `status`. Call it from one thread; the signal may
  // interrupt any thread.
  void Set(std::string found, const std::string& line, ExitCode status = ExitCode::kUnknown);

  struct Words {
    std::string out, error;
    int status = 0;
  };

 private:
  std::unique_ptr<Words> current_;
  std::unique_ptr<Words> previous_;  // a handler may still read it
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_OS_LAST_WORDS_H_
