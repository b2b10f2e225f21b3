#include "compose/os/process_tree.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "lib/base/time.h"

namespace doublehold {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLooks = 100;  // for processes that have not stopped or ended yet
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

// Returns the state of a process or thread; 'X' if it does not exist. The state follows the name,
// which may contain parentheses.
char StateOf(const fs::path& process) {
  std::string text;
  std::ifstream in(process / "stat");
  std::getline(in, text, '\0');
  const size_t state = text.rfind(')') + 2;
  return state < text.size() ? text[state] : 'X';
}

bool HasEnded(const fs::path& process) {
  const char state = StateOf(process);
  return state == 'Z' || state == 'X';
}

// Whether all threads of the process have stopped or ended. The first that runs stops the others.
bool HasStopped(pid_t process) {
  std::error_code code;
  const fs::directory_iterator tasks(fs::path("/proc") / std::to_string(process) / "task", code);
  return std::all_of(begin(tasks), end(tasks), [](const fs::directory_entry& task) {
    return StateOf(task.path()) == 'T' || HasEnded(task.path());
  });
}

void WaitFor(const std::function<bool()>& condition) {
  for (int look = 0; look < kMostLooks && !condition(); ++look)
    std::this_thread::sleep_for(kLookInterval);
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
  // A client that still runs would notice that its driver ended.
  if (signal == SIGKILL) WaitFor([child] { return HasStopped(child); });
  const std::set<pid_t> descendants = SignalDescendants(child, signal);
  if (signal == SIGSTOP) return;
  WaitFor([&] {
    return std::ranges::all_of(descendants, [](pid_t process) {
      return HasEnded(fs::path("/proc") / std::to_string(process));
    });
  });
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
