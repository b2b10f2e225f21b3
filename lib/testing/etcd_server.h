// A real etcd server for tests, and what it needs to be installed.
#ifndef DOUBLEHOLD_LIB_TESTING_ETCD_SERVER_H_
#define DOUBLEHOLD_LIB_TESTING_ETCD_SERVER_H_

#include <string>

#include "lib/base/address.h"
#include "lib/testing/server_process.h"

namespace doublehold::testing {

// Returns why tests cannot run an etcd server here, or "" if they can.
std::string WhyNoEtcd();

// A server by itself on a loopback port, with leases from 1 s on. It keeps its data in a temporary
// folder of its own. The server replies when Start returns.
class EtcdServer : public ServerProcess {
 public:
  EtcdServer() : ServerProcess(/*ports=*/2) { Start(); }
  ~EtcdServer() { Kill(); }

  void Start();  // with the data that an earlier start left, on the same port
  [[nodiscard]] NodeAddress address() const { return {.port = ports()[0]}; }

 private:
  [[nodiscard]] SpawnRequest Program() const;

  TempFolder folder_;
};

}  // namespace doublehold::testing

#endif  // DOUBLEHOLD_LIB_TESTING_ETCD_SERVER_H_
