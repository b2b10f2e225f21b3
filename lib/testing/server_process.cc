#include "lib/testing/server_process.h"

#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <thread>

#include "lib/base/check.h"
#include "lib/redis/hiredis_connection.h"

namespace doublehold::testing {

bool Eventually(const std::function<bool()>& condition) {
  const MonoTime deadline = RealMono() + kPatience;
  while (!condition()) {
    if (RealMono() > deadline) return false;
    std::this_thread::sleep_for(1ms);
  }
  return true;
}

uint16_t FindFreePort() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{.sin_family = AF_INET, .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
  socklen_t bytes = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  CHECK(bind(fd, generic, bytes) == 0 && getsockname(fd, generic, &bytes) == 0);
  close(fd);
  return ntohs(address.sin_port);
}

TempFolder::TempFolder() {
  std::string pattern = std::filesystem::temp_directory_path() / "dh-test-XXXXXX";
  CHECK(mkdtemp(pattern.data()) != nullptr);
  path_ = pattern;
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void ServerProcess::Kill() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  AwaitEnd(pid_);
  pid_ = -1;
}

void ServerProcess::Stop() {
  kill(pid_, SIGSTOP);
  int status = 0;
  while (waitpid(pid_, &status, WUNTRACED) < 0 && errno == EINTR) {
  }
  CHECK(WIFSTOPPED(status));
}

void ServerProcess::Continue() { kill(pid_, SIGCONT); }

bool ServerProcess::StartOnce(const SpawnRequest& program, const std::function<bool()>& is_ready) {
  const Result<pid_t> pid = Spawn(program);
  CHECK(pid.has_value());  // fails if the program is not installed
  pid_ = *pid;
  const bool is_over = Eventually([&] {
    if (waitpid(pid_, nullptr, WNOHANG) != 0) pid_ = -1;
    return pid_ < 0 || is_ready();
  });
  was_ready_ = is_over && pid_ > 0;
  return was_ready_;
}

void ServerProcess::StartUntilReady(const std::function<SpawnRequest()>& program,
                                    const std::function<bool()>& is_ready) {
  const bool keeps_ports = was_ready_;
  const MonoTime give_up = RealMono() + kPatience;
  do {
    CHECK(RealMono() < give_up);
    if (!keeps_ports) std::ranges::generate(ports_, FindFreePort);
  } while (!StartOnce(program(), is_ready));
}

}  // namespace doublehold::testing
