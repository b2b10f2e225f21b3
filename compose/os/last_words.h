// What a command says if Ctrl-C, SIGTERM or SIGHUP ends it while it computes: what it has found so
// far. The process then ends at once, however long the computation would go on.
#ifndef DOUBLEHOLD_COMPOSE_OS_LAST_WORDS_H_
#define DOUBLEHOLD_COMPOSE_OS_LAST_WORDS_H_

#include <memory>
#include <string>

#include "lib/base/result.h"

namespace doublehold {

// Only one object at a time. The destructor restores the default action of the signals. A run on
// real servers (compose/run/supervisor.h) replaces these handlers with its own and restores the
// default action at its end, so call Set after a run.
class LastWords {
 public:
  // The line for standard error, without a newline, if the end comes before the first Set.
  explicit LastWords(const std::string& line);
  LastWords(const LastWords&) = delete;
  LastWords& operator=(const LastWords&) = delete;
  ~LastWords();

  // Handles the signals, and replaces what is said: `found` to standard output, `line` to standard
  // error, and the exit status. Call it from one thread; the signal may interrupt any thread.
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
