#include "compose/os/process_tree.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "lib/base/time.h"

namespace doublehold {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLooks = 100;  // for killed processes that have not ended
constexpr Duration kLookInterval = std::chrono::milliseconds(1);

// Adds the descendants of a process. The kernel may leave a child out while another one ends.
void AddDescendants(pid_t process, std::set<pid_t>& found) {
  std::error_code code;
  for (const auto& task :
       fs::directory_iterator(fs::path("/proc") / std::to_string(process) / "task", code)) {
    std::ifstream children(task.path() / "children");
    for (pid_t child = 0; children >> child;) {
      if (found.insert(child).second) AddDescendants(child, found);
    }
  }
}

std::set<pid_t> DescendantsOf(pid_t process) {
  std::set<pid_t> found;
  AddDescendants(process, found);
  return found;
}

// Sends the signal to all descendants, until a look finds no new one.
std::set<pid_t> SignalDescendants(pid_t process, int signal) {
  std::set<pid_t> signalled;
  while (true) {
    const size_t before = signalled.size();
    for (const pid_t descendant : DescendantsOf(process)) {
      if (signalled.insert(descendant).second) kill(descendant, signal);
    }
    if (signalled.size() == before) return signalled;
  }
}

// Whether the process exists and has not ended. Its state follows its name, which may contain
// parentheses.
bool IsRunning(pid_t process) {
  std::string text;
  std::ifstream in(fs::path("/proc") / std::to_string(process) / "stat");
  std::getline(in, text, '\0');
  const size_t state = text.rfind(')') + 2;
  return state < text.size() && text[state] != 'Z' && text[state] != 'X';
}

}  // namespace

void SignalTree(pid_t child, int signal) {
  if (signal == SIGCONT) {
    SignalDescendants(child, signal);
    kill(-child, signal);
    return;
  }
  // A stopped parent starts no more processes.
  kill(-child, SIGSTOP);
  const std::set<pid_t> descendants = SignalDescendants(child, signal);
  if (signal == SIGSTOP) return;
  for (int look = 0; look < kMostLooks && std::ranges::any_of(descendants, IsRunning); ++look)
    std::this_thread::sleep_for(kLookInterval);
  kill(-child, signal);
}

void KillProcessesIn(const fs::path& folder) {
  std::error_code code;
  const std::string inside = (fs::canonical(folder, code) / "").string();
  for (const auto& entry : fs::directory_iterator("/proc", code)) {
    pid_t process = 0;
    const std::string number = entry.path().filename().string();
    const char* end = number.data() + number.size();
    if (std::from_chars(number.data(), end, process).ptr != end || process == getpid()) continue;
    std::error_code unreadable;  // a process of another user
    const std::string place = fs::read_symlink(entry.path() / "cwd", unreadable).string();
    if (!unreadable && (place + "/").starts_with(inside)) kill(process, SIGKILL);
  }
}

}  // namespace doublehold
