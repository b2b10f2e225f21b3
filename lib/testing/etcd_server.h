// A real etcd server for tests, and what it needs to be installed.
#ifndef DOUBLEHOLD_LIB_TESTING_ETCD_SERVER_H_
#define DOUBLEHOLD_LIB_TESTING_ETCD_SERVER_H_

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "lib/base/address.h"
#include "lib/testing/servers.h"

namespace doublehold::testing {

// Returns why tests cannot run an etcd server here, or "" if they can.
std::string WhyNoEtcd();

// A server by itself on a loopback port, with leases from 1 s on. It keeps its data in a temporary
// folder of its own. The server replies when Start returns. It dies when this process dies.
class EtcdServer {
 public:
  EtcdServer() { Start(); }
  ~EtcdServer() { Kill(); }
  EtcdServer(const EtcdServer&) = delete;
  EtcdServer& operator=(const EtcdServer&) = delete;

  void Start();     // with the data that an earlier start left, on the same port
  void Kill();      // SIGKILL; waits for its end
  void Stop();      // SIGSTOP; waits until it has stopped
  void Continue();  // SIGCONT

  [[nodiscard]] NodeAddress address() const { return {.port = port_}; }

 private:
  // Returns whether the server replies. Returns false when it has ended.
  [[nodiscard]] bool StartOnPort();

  TempFolder folder_;
  uint16_t port_ = 0;  // 0 until the first start
  uint16_t peer_port_ = 0;
  pid_t pid_ = -1;
};

}  // namespace doublehold::testing

#endif  // DOUBLEHOLD_LIB_TESTING_ETCD_SERVER_H_
