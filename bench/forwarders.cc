#include "bench/forwarders.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <map>

#include "faults/proxy/proxy.h"
#include "lib/base/check.h"
#include "lib/os/spawn.h"
#include "lib/redis/hiredis_connection.h"

namespace doublehold {
namespace {

constexpr size_t kBufferBytes = 65'536;
constexpr unsigned long kDefaultSlackNs = 50'000;

bool Accepts(uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  const bool accepts = connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  close(fd);
  return accepts;
}

int ConnectUnix(const std::string& path) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  CHECK(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  return fd;
}

[[noreturn]] void ForwardForEver(int listener, const std::string& unix_path) {
  const int ready = epoll_create1(EPOLL_CLOEXEC);
  const auto watch = [&](int fd) {
    epoll_event event{.events = EPOLLIN, .data = {.fd = fd}};
    CHECK(epoll_ctl(ready, EPOLL_CTL_ADD, fd, &event) == 0);
  };
  watch(listener);
  std::map<int, int> others;
  std::vector<char> buffer(kBufferBytes);
  std::array<epoll_event, 64> events{};
  for (;;) {
    const int count = epoll_wait(ready, events.data(), events.size(), -1);
    for (int i = 0; i < count; ++i) {
      const int from = events[static_cast<size_t>(i)].data.fd;
      if (from == listener) {
        const int client = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
        const int on = 1;
        setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        const int node = ConnectUnix(unix_path);
        others[client] = node;
        others[node] = client;
        watch(client);
        watch(node);
        continue;
      }
      const ssize_t got = recv(from, buffer.data(), buffer.size(), 0);
      if (got > 0) {
        CHECK(send(others[from], buffer.data(), static_cast<size_t>(got), MSG_NOSIGNAL) == got);
        continue;
      }
      const int to = others[from];
      for (const int fd : {from, to}) {
        others.erase(fd);
        close(fd);
      }
    }
  }
}

}  // namespace

int ListenAnywhere(uint16_t& port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  CHECK(bind(fd, any, bytes) == 0 && listen(fd, 128) == 0 && getsockname(fd, any, &bytes) == 0);
  port = ntohs(address.sin_port);
  return fd;
}

void Tell(int fd, uint16_t port) { CHECK(write(fd, &port, sizeof port) == sizeof port); }

Forwarder::Forwarder(Place place, size_t ports, const std::function<void(int)>& serve) {
  std::array<int, 2> ends{};
  CHECK(pipe(ends.data()) == 0);
  pid_ = ForkBound();
  CHECK(pid_ >= 0);
  if (pid_ == 0) {
    PinTo(place);
    serve(ends[1]);
    _exit(0);
  }
  close(ends[1]);
  ports_.resize(ports);
  for (uint16_t& port : ports_) CHECK(read(ends[0], &port, sizeof port) == sizeof port);
  close(ends[0]);
}

Forwarder::~Forwarder() {
  kill(pid_, SIGKILL);
  AwaitEnd(pid_);
}

Duration Forwarder::Used() const {
  clockid_t clock{};
  timespec used{};
  CHECK(clock_getcpuclockid(pid_, &clock) == 0 && clock_gettime(clock, &used) == 0);
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

std::unique_ptr<Forwarder> StartProxy(Place place, const NodeAddress& server, int links,
                                      const std::vector<LinkRule>& rules, Protocol protocol) {
  return std::make_unique<Forwarder>(place, static_cast<size_t>(links), [&](int ports) {
    prctl(PR_SET_TIMERSLACK, kDefaultSlackNs);  // as in the supervisor
    boost::asio::io_context io{1};
    Proxy proxy(io, Prng(1, "proxy"));
    for (int link = 1; link <= links; ++link) {
      const Result<uint16_t> port = proxy.AddLink({link, 1}, server, protocol);
      CHECK(port.has_value());
      for (const LinkRule& rule : rules) proxy.SetLink({link, 1}, rule);
      Tell(ports, *port);
    }
    io.run();
  });
}

std::unique_ptr<Forwarder> StartBareLoop(Place place, const std::string& unix_path) {
  return std::make_unique<Forwarder>(place, 1, [&](int ports) {
    uint16_t port = 0;
    const int listener = ListenAnywhere(port);
    Tell(ports, port);
    ForwardForEver(listener, unix_path);
  });
}

uint16_t FreePort() {
  uint16_t port = 0;
  close(ListenAnywhere(port));
  return port;
}

// Redis opens a port with CONFIG SET. The port from FreePort is probably still free.
uint16_t OpenPort(const std::string& unix_path) {
  const auto connection = MakeConnection({.unix_path = unix_path});
  const auto call = [&](const std::vector<std::string_view>& words) {
    const CallResult result = connection->Call(words, RealMono() + 5s);
    return result.has_value() && result->text == "OK";
  };
  CHECK(call({"CONFIG", "SET", "bind", "127.0.0.1"}));
  for (int attempt = 0; attempt < 20; ++attempt) {
    const uint16_t port = FreePort();
    if (call({"CONFIG", "SET", "port", fmt::format("{}", port)})) return port;
  }
  CHECK(false);
}

// Toxiproxy does not report a port that the kernel chose, so this function chooses one.
std::unique_ptr<Forwarder> StartToxiproxy(Place place, const std::string& program,
                                          uint16_t upstream_port) {
  const uint16_t port = FreePort();
  std::string config = "/tmp/doublehold-toxiproxy-XXXXXX";
  const int file = mkstemp(config.data());
  const std::string text = fmt::format(
      R"([{{"name":"bench","listen":"127.0.0.1:{}","upstream":"127.0.0.1:{}","enabled":true}}])",
      port, upstream_port);
  CHECK(file >= 0 && write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  close(file);
  const Result<pid_t> pid =
      Spawn({.argv = {program, "-host", "127.0.0.1", "-port", "0", "-config", config},
             .prepare = [place] { PinTo(place); }});
  const MonoTime give_up = RealMono() + 10s;
  while (!pid || !Accepts(port)) {
    if (!pid || waitpid(*pid, nullptr, WNOHANG) != 0 || RealMono() > give_up) {
      fmt::print(stderr, "{} does not start\n", program);
      _exit(static_cast<int>(ExitCode::kEnvironment));
    }
    usleep(2000);
  }
  unlink(config.c_str());
  return std::make_unique<Forwarder>(*pid, port);
}

}  // namespace doublehold
