// A real MariaDB server for tests, and what it needs to be installed.
#ifndef DOUBLEHOLD_LIB_TESTING_MARIADB_SERVER_H_
#define DOUBLEHOLD_LIB_TESTING_MARIADB_SERVER_H_

#include <sys/types.h>

#include <string>

#include "lib/base/address.h"
#include "lib/testing/servers.h"

namespace doublehold::testing {

// Returns why tests cannot run a MariaDB server here, or "" if they can.
std::string WhyNoMariaDb();

// A server on a unix socket, with its data in a temporary folder of its own. The server executes
// statements when Start returns. It dies when this process dies.
class MariaDbServer {
 public:
  MariaDbServer() { Start(); }
  ~MariaDbServer() { Kill(); }
  MariaDbServer(const MariaDbServer&) = delete;
  MariaDbServer& operator=(const MariaDbServer&) = delete;

  void Start();  // with the data that an earlier start left
  void Kill();   // SIGKILL; waits for the server's end

  [[nodiscard]] NodeAddress address() const;

 private:
  TempFolder folder_;
  pid_t pid_ = -1;
};

}  // namespace doublehold::testing

#endif  // DOUBLEHOLD_LIB_TESTING_MARIADB_SERVER_H_
