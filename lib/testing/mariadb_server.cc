#include "lib/testing/mariadb_server.h"

#include <signal.h>

#include "lib/base/check.h"
#include "lib/mariadb/session.h"
#include "lib/os/mariadb_program.h"
#include "lib/os/spawn.h"

namespace doublehold::testing {

std::string WhyNoMariaDb() {
  if (!HasMariaDb()) return "built without MariaDB's C client (libmariadb-dev)";
  const auto mariadb = FindMariaDb();
  return mariadb ? "" : mariadb.error().message;
}

std::unique_ptr<SqlSession> MariaDbServer::Open() const { return OpenMariaDb(address()); }

NodeAddress MariaDbServer::address() const {
  return {.unix_path = (folder_.path() / "socket").string()};
}

void MariaDbServer::Start() {
  const std::filesystem::path data = folder_.path() / "data";
  std::filesystem::create_directories(data);
  const Result<pid_t> pid =
      Spawn({.argv = MariaDbCommand(*FindMariaDb(), data, address().unix_path),
             .log = folder_.path() / "log"});
  CHECK(pid.has_value());
  pid_ = *pid;
  CHECK(Eventually([this] { return RunSql(*Open(), "SELECT 1") == "[1]"; }));
}

void MariaDbServer::Kill() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  AwaitEnd(pid_);
  pid_ = -1;
}

}  // namespace doublehold::testing
