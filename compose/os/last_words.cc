#include "compose/os/last_words.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string_view>
#include <utility>

#include "compose/os/end_signals.h"
#include "lib/os/screen.h"

namespace doublehold {
namespace {

// A signal handler gets its data only through a global variable.
std::atomic<const LastWords::Words*> words_to_say{nullptr};

void WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && errno != EINTR) return;
    if (written > 0) text.remove_prefix(static_cast<size_t>(written));
  }
}

void PrintWordsAndExit(int /*signal*/) {
  const LastWords::Words* words = words_to_say.load();
  if (words == nullptr) return;
  WriteAll(STDOUT_FILENO, words->out);
  WriteAll(STDERR_FILENO, words->error);
  _exit(words->status);
}

void Handle(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  for (const int number : kEndSignals) sigaddset(&action.sa_mask, number);
  for (const int number : kEndSignals) {
    struct sigaction before {};
    sigaction(number, nullptr, &before);
    // Signals that are ignored stay ignored: nohup(1) and a shell's background jobs ignore them on
    // purpose.
    if (before.sa_handler != SIG_IGN) sigaction(number, &action, nullptr);
  }
}

}  // namespace

LastWords::LastWords(const std::string& line) { Set("", line); }

LastWords::~LastWords() {
  Handle(SIG_DFL);
  words_to_say.store(nullptr);
}

void LastWords::Set(std::string found, const std::string& line, ExitCode status) {
  // In a terminal the line replaces the progress line.
  const std::string begin = IsScreen(STDERR_FILENO) ? "\r\x1b[K" : "";
  auto words = std::make_unique<Words>(
      Words{std::move(found), begin + line + "\n", static_cast<int>(status)});
  words_to_say.store(words.get());
  previous_ = std::exchange(current_, std::move(words));
  Handle(PrintWordsAndExit);
}

}  // namespace doublehold
