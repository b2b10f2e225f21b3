#include "lib/testing/etcd_server.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdlib>

#include "lib/base/check.h"
#include "lib/etcd/connection.h"
#include "lib/os/spawn.h"
#include "lib/redis/hiredis_connection.h"

namespace doublehold::testing {

std::string WhyNoEtcd() {
  if (!HasEtcd()) return "built without libcurl (libcurl4-openssl-dev)";
  if (std::system("etcd --version >/dev/null 2>&1") != 0)
    return "there is no etcd in PATH (Debian package etcd-server)";
  return "";
}

void EtcdServer::Start() {
  const bool keeps_ports = port_ != 0;
  const MonoTime give_up = RealMono() + kPatience;
  do {
    CHECK(RealMono() < give_up);
    if (!keeps_ports) port_ = FindFreePort();
    if (!keeps_ports) peer_port_ = FindFreePort();
  } while (!StartOnPort());
}

// A lease of etcd lasts at least 1.5 election timeouts. fsync is needless, since only the process
// dies.
bool EtcdServer::StartOnPort() {
  const std::string clients = fmt::format("http://127.0.0.1:{}", port_);
  const std::string peers = fmt::format("http://127.0.0.1:{}", peer_port_);
  const Result<pid_t> pid = Spawn({.argv = {"etcd",
                                            "--data-dir",
                                            (folder_.path() / "data").string(),
                                            "--listen-client-urls",
                                            clients,
                                            "--advertise-client-urls",
                                            clients,
                                            "--listen-peer-urls",
                                            peers,
                                            "--initial-advertise-peer-urls",
                                            peers,
                                            "--initial-cluster",
                                            "default=" + peers,
                                            "--heartbeat-interval",
                                            "50",
                                            "--election-timeout",
                                            "500",
                                            "--unsafe-no-fsync",
                                            "--logger",
                                            "zap",
                                            "--log-level",
                                            "error"},
                                   .log = folder_.path() / "log"});
  CHECK(pid.has_value());
  pid_ = *pid;
  bool has_ended = false;
  const bool is_ready = Eventually([&] {
    has_ended = waitpid(pid_, nullptr, WNOHANG) != 0;
    return has_ended || DialEtcd({address()})->FindBefore("a", 1, RealMono() + 1s).has_value();
  });
  if (has_ended) pid_ = -1;
  return is_ready && !has_ended;
}

void EtcdServer::Kill() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  AwaitEnd(pid_);
  pid_ = -1;
}

void EtcdServer::Stop() {
  kill(pid_, SIGSTOP);
  int status = 0;
  while (waitpid(pid_, &status, WUNTRACED) < 0 && errno == EINTR) {
  }
  CHECK(WIFSTOPPED(status));
}

void EtcdServer::Continue() { kill(pid_, SIGCONT); }

}  // namespace doublehold::testing
