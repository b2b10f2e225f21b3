#include "lib/testing/mariadb_server.h"

#include <algorithm>
#include <array>
#include <fstream>

#include "lib/base/check.h"
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
  // A new server that is killed before it has written its first page does not start again.
  CHECK(RunSql(*Open(), "SET GLOBAL innodb_max_dirty_pages_pct = 0").empty());
  CHECK(Eventually([this] {
    std::array<char, 64> header{};
    std::ifstream(folder() / "data" / "ibdata1", std::ios::binary)
        .read(header.data(), header.size());
    return std::ranges::any_of(header, [](char byte) { return byte != 0; });
  }));
  CHECK(RunSql(*Open(), "SET GLOBAL innodb_max_dirty_pages_pct = DEFAULT").empty());
}

std::unique_ptr<SqlSession> MariaDbServer::Open() const { return OpenMariaDb(address()); }

NodeAddress MariaDbServer::address() const { return {.unix_path = (folder() / "socket").string()}; }

SpawnRequest MariaDbServer::Program() const {
  return {.argv = MariaDbCommand(*FindMariaDb(), folder() / "data", address().unix_path),
          .log = folder() / "log"};
}

}  // namespace doublehold::testing
