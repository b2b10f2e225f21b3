// A real MariaDB server for tests, and what it needs to be installed.
#ifndef DOUBLEHOLD_LIB_TESTING_MARIADB_SERVER_H_
#define DOUBLEHOLD_LIB_TESTING_MARIADB_SERVER_H_

#include <memory>
#include <string>

#include "lib/testing/sql_server.h"

namespace doublehold::testing {

// Returns why tests cannot run a MariaDB server here, or "" if they can.
std::string WhyNoMariaDb();

class MariaDbServer final : public SqlServer {
 public:
  MariaDbServer();

  [[nodiscard]] NodeAddress address() const override;
  [[nodiscard]] std::unique_ptr<SqlSession> Open() const override;

 private:
  [[nodiscard]] SpawnRequest Program() const override;
};

}  // namespace doublehold::testing

#endif  // DOUBLEHOLD_LIB_TESTING_MARIADB_SERVER_H_
