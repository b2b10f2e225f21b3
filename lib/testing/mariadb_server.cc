#include "lib/testing/mariadb_server.h"

#include "lib/mariadb/session.h"
#include "lib/os/mariadb_program.h"

namespace doublehold::testing {

std::string WhyNoMariaDb() {
  if (!HasMariaDb()) return "built without MariaDB's C client (libmariadb-dev)";
  const auto mariadb = FindMariaDb();
  return mariadb ? "" : mariadb.error().message;
}

MariaDbServer::MariaDbServer() {
  std::filesystem::create_directories(folder() / "data");
  Start();
}

std::unique_ptr<SqlSession> MariaDbServer::Open() const { return OpenMariaDb(address()); }

NodeAddress MariaDbServer::address() const { return {.unix_path = (folder() / "socket").string()}; }

SpawnRequest MariaDbServer::Program() const {
  return {.argv = MariaDbCommand(*FindMariaDb(), folder() / "data", address().unix_path),
          .log = folder() / "log"};
}

}  // namespace doublehold::testing
