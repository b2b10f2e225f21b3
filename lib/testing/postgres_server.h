// A real PostgreSQL server for tests, and what it needs to be installed.
#ifndef DOUBLEHOLD_LIB_TESTING_POSTGRES_SERVER_H_
#define DOUBLEHOLD_LIB_TESTING_POSTGRES_SERVER_H_

#include <memory>
#include <string>

#include "lib/testing/sql_server.h"

namespace doublehold::testing {

// Returns why tests cannot run a PostgreSQL server here, or "" if they can.
std::string WhyNoPostgres();

class PostgresServer final : public SqlServer {
 public:
  PostgresServer();

  [[nodiscard]] NodeAddress address() const override;
  [[nodiscard]] std::unique_ptr<SqlSession> Open() const override;

 private:
  [[nodiscard]] SpawnRequest Program() const override;
};

}  // namespace doublehold::testing

#endif  // DOUBLEHOLD_LIB_TESTING_POSTGRES_SERVER_H_
