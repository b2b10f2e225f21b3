// A real ZooKeeper server for tests, and what it needs to be installed.
#ifndef DOUBLEHOLD_LIB_TESTING_ZOOKEEPER_SERVER_H_
#define DOUBLEHOLD_LIB_TESTING_ZOOKEEPER_SERVER_H_

#include <string>

#include "lib/base/address.h"
#include "lib/testing/server_process.h"

namespace doublehold::testing {

// Returns why tests cannot run a ZooKeeper server here, or "" if they can.
std::string WhyNoZooKeeper();

// A standalone server on a loopback port, with ticks of 200 ms, so with session timeouts from
// 400 ms on. It keeps its data in a temporary folder of its own. The server replies when Start
// returns.
class ZooKeeperServer : public ServerProcess {
 public:
  ZooKeeperServer() : ServerProcess(/*ports=*/1) { Start(); }
  ~ZooKeeperServer() { Kill(); }

  void Start();  // with the data that an earlier start left, on the same port
  [[nodiscard]] NodeAddress address() const { return {.port = ports()[0]}; }

 private:
  [[nodiscard]] SpawnRequest Program() const;

  TempFolder folder_;
};

}  // namespace doublehold::testing

#endif  // DOUBLEHOLD_LIB_TESTING_ZOOKEEPER_SERVER_H_
