// Finds the subcommand. Prints an error on one line and returns its exit status.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <exception>
#include <iostream>

#include "compose/cli/commands.h"
#include "compose/client/client_main.h"
#include "compose/os/standard_output.h"
#include "lib/base/words.h"

namespace doublehold {

namespace {

// Longer than every message, unless a message repeats megabytes of a user's text.
constexpr size_t kMostMessageBytes = 4000;

void PrintUsage(std::ostream& out) {
  out << "doublehold " << DOUBLEHOLD_VERSION
      << ": tests distributed locks: can two clients hold one at once?\n\nusage: doublehold "
         "COMMAND ...\n\n";
  for (const CommandEntry& command : Commands()) {
    const std::string usage = fmt::format("{:<7} {}", command.name, command.usage);
    out << fmt::format("  {:<39} {}\n", usage, command.summary);
  }
  out << "\nexit status: 0 as expected, 1 violated or not as expected, 2 unknown, 3 bad input, 4 "
         "the environment failed\n'doublehold COMMAND --help' describes a command.\n";
}

int Main(const Words& words) {
  if (words.empty()) {
    PrintUsage(std::cerr);
    return static_cast<int>(ExitCode::kBadInput);
  }
  const std::string& name = words.front();
  const Words rest(words.begin() + 1, words.end());
  if (name == kClientCommand) return ClientMain(rest);
  if (name == "help" && !rest.empty()) return Main({rest.front(), "--help"});
  if (name == "--help" || name == "-h" || name == "help") {
    PrintUsage(std::cout);
    return 0;
  }
  if (name == "--version") {
    std::cout << "doublehold " << DOUBLEHOLD_VERSION << "\n";
    return 0;
  }
  std::vector<std::string> known;
  for (const CommandEntry& command : Commands()) {
    known.emplace_back(command.name);
    if (command.name != name) continue;
    const Result<ExitCode> status = command.run(rest);
    if (status) return static_cast<int>(*status);
    // The message may contain text that a user wrote.
    const bool is_input = status.error().code == ExitCode::kBadInput;
    const std::string& message = status.error().message;
    std::cerr << "doublehold " << name << ": "
              << (is_input ? Shortened(message, kMostMessageBytes) : message) << "\n";
    return static_cast<int>(status.error().code);
  }
  std::cerr << "doublehold: " << OnOneLine(UnknownWord("command", name, known)) << "\n";
  return static_cast<int>(ExitCode::kBadInput);
}

// Opens missing standard streams on /dev/null. Otherwise the first files that the program opens
// would become the standard streams of its children. A missing standard output cannot be written,
// so that lost output is noticed.
void OpenStandardStreams() {
  for (int fd = 0; fd <= STDERR_FILENO; ++fd) {
    const int mode = fd == STDOUT_FILENO ? O_RDONLY : O_RDWR;
    // open() returns the lowest free number, which is `fd`.
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", mode) != fd) return;
  }
}

// Runs the program. A command whose output was lost has failed.
int MainWithOutput(const Words& words) {
  WatchStandardOutput();
  int status = static_cast<int>(ExitCode::kEnvironment);
  try {
    status = Main(words);
  } catch (const std::exception& error) {
    std::cerr << "doublehold: " << error.what() << "\n";
  }
  const std::string lost = FinishStandardOutput();
  if (lost.empty()) return status;
  std::cerr << "doublehold: standard output cannot be written: " << lost << "\n";
  return static_cast<int>(ExitCode::kEnvironment);
}

}  // namespace
}  // namespace doublehold

int main(int argc, char** argv) {
  doublehold::OpenStandardStreams();
  prctl(PR_SET_NAME, "doublehold");  // the name of a child would be "exe"
  return doublehold::MainWithOutput(doublehold::Words(argv + 1, argv + argc));
}
