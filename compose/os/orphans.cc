#include "compose/os/orphans.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "lib/os/spawn.h"

namespace doublehold {
namespace {

struct Process {
  pid_t pid = 0;
  std::string name;
  bool ended = false;  // has ended but was not reaped
};

// Parses "4711 (sleep) S 17 ...". A name may contain spaces and parentheses.
bool ReadStat(const std::filesystem::path& folder, Process& process, pid_t& parent) {
  // Reading fails if the process ends now. Then getline returns no text, while reading the stream's
  // buffer would throw.
  std::string text;
  std::ifstream in(folder / "stat");
  std::getline(in, text, '\0');
  const size_t open = text.find('(');
  const size_t close = text.rfind(')');
  if (open == std::string::npos || close == std::string::npos) return false;
  process.name = text.substr(open + 1, close - open - 1);
  char state = 0;
  if (!(std::istringstream(text.substr(close + 1)) >> state >> parent)) return false;
  process.ended = state == 'Z' || state == 'X';
  return true;
}

std::vector<Process> OwnChildren() {
  std::vector<Process> children;
  std::error_code code;
  std::filesystem::directory_iterator entry("/proc", code);
  for (; !code && entry != end(entry); entry.increment(code)) {
    const std::string number = entry->path().filename().string();
    Process process;
    const auto parsed = std::from_chars(number.data(), number.data() + number.size(), process.pid);
    if (parsed.ec != std::errc() || parsed.ptr != number.data() + number.size()) continue;
    pid_t parent = 0;
    if (ReadStat(entry->path(), process, parent) && parent == getpid())
      children.push_back(std::move(process));
  }
  return children;
}

}  // namespace

Orphans::Orphans() {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  for (const Process& child : OwnChildren()) before_.insert(child.pid);
}

std::vector<std::string> Orphans::End() {
  std::vector<std::string> running;
  for (bool found = true; found;) {
    found = false;
    for (const Process& child : OwnChildren()) {
      if (before_.contains(child.pid)) continue;
      found = true;
      if (!child.ended) running.push_back(child.name);
      kill(child.pid, SIGKILL);
      AwaitEnd(child.pid);
    }
  }
  return running;
}

}  // namespace doublehold
