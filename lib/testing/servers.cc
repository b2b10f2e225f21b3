#include "lib/testing/servers.h"

#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <thread>
#include <utility>

#include "lib/base/check.h"
#include "lib/os/spawn.h"
#include "lib/redis/hiredis_connection.h"

namespace doublehold::testing {
namespace {

std::string ToText(const Reply& reply) {
  switch (reply.kind) {
    case Reply::Kind::kNil:
      return "(nil)";
    case Reply::Kind::kInteger:
      return std::to_string(reply.integer);
    case Reply::Kind::kString:
    case Reply::Kind::kStatus:
      return reply.text;
    case Reply::Kind::kArray:
      break;
  }
  std::string text;
  for (const Reply& item : reply.items) text += (text.empty() ? "" : ", ") + ToText(item);
  return "[" + text + "]";
}

}  // namespace

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

void Server::Start() {
  std::vector<std::string> argv{options_.program,
                                "--port",
                                "0",
                                "--unixsocket",
                                socket_.string(),
                                "--dir",
                                socket_.parent_path().string(),
                                "--save",
                                "",
                                "--appendonly",
                                "no",
                                "--daemonize",
                                "no"};
  argv.insert(argv.end(), options_.arguments.begin(), options_.arguments.end());
  const Result<pid_t> pid = Spawn({.argv = std::move(argv),
                                   .environment = options_.environment,
                                   .descriptors = options_.descriptors});
  CHECK(pid.has_value());  // fails if redis-server is not installed
  pid_ = *pid;
  const bool answers = Eventually([this] {
    CHECK(waitpid(pid_, nullptr, WNOHANG) == 0);
    return Ask(address(), {"PING"}) == "PONG";
  });
  CHECK(answers);
}

void Server::Kill() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  AwaitEnd(pid_);
  pid_ = -1;
}

void Server::Stop() {
  kill(pid_, SIGSTOP);
  int status = 0;
  while (waitpid(pid_, &status, WUNTRACED) < 0 && errno == EINTR) {
  }
  CHECK(WIFSTOPPED(status));
}

void Server::Continue() { kill(pid_, SIGCONT); }

CallResult Call(Connection& connection, std::initializer_list<std::string_view> command) {
  return connection.Call(Argv(command.begin(), command.size()), RealMono() + kPatience);
}

std::string Ask(const NodeAddress& node, std::initializer_list<std::string_view> command) {
  const CallResult result = Call(*MakeConnection(node), command);
  return result ? ToText(*result) : "failed: " + result.error().message;
}

}  // namespace doublehold::testing
