// A real ZooKeeper server for tests, and what it needs to be installed.
#ifndef DOUBLEHOLD_LIB_TESTING_ZOOKEEPER_SERVER_H_
#define DOUBLEHOLD_LIB_TESTING_ZOOKEEPER_SERVER_H_

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "lib/base/address.h"
#include "lib/testing/servers.h"

namespace doublehold::testing {

// Returns why tests cannot run a ZooKeeper server here, or "" if they can.
std::string WhyNoZooKeeper();

// A standalone server on a loopback port, with ticks of 200 ms, so with session timeouts from
// 400 ms on. It keeps its data in a temporary folder of its own. The server replies when Start
// returns. It dies when this process dies.
class ZooKeeperServer {
 public:
  ZooKeeperServer() { Start(); }
  ~ZooKeeperServer() { Kill(); }
  ZooKeeperServer(const ZooKeeperServer&) = delete;
  ZooKeeperServer& operator=(const ZooKeeperServer&) = delete;

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
  pid_t pid_ = -1;
};

}  // namespace doublehold::testing

#endif  // DOUBLEHOLD_LIB_TESTING_ZOOKEEPER_SERVER_H_
