#include "lib/testing/etcd_server.h"

#include <fmt/format.h>

#include <cstdlib>

#include "lib/etcd/connection.h"
#include "lib/redis/hiredis_connection.h"

namespace doublehold::testing {

std::string WhyNoEtcd() {
  if (!HasEtcd()) return "built without libcurl (libcurl4-openssl-dev)";
  static const bool has_etcd = std::system("etcd --version >/dev/null 2>&1") == 0;
  return has_etcd ? "" : "there is no etcd in PATH (Debian package etcd-server)";
}

void EtcdServer::Start() {
  StartUntilReady(
      [this] { return Program(); },
      [this] { return DialEtcd({address()})->FindBefore("a", 1, RealMono() + 1s).has_value(); });
}

// A lease of etcd lasts at least 1.5 election timeouts. fsync is needless, since only the process
// dies.
SpawnRequest EtcdServer::Program() const {
  const std::string clients = fmt::format("http://127.0.0.1:{}", ports()[0]);
  const std::string peers = fmt::format("http://127.0.0.1:{}", ports()[1]);
  return {.argv = {"etcd",
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
          .log = folder_.path() / "log"};
}

}  // namespace doublehold::testing
