#include "lib/testing/postgres_server.h"

#include "lib/base/check.h"
#include "lib/os/postgres_program.h"
#include "lib/postgres/session.h"

namespace doublehold::testing {

std::string WhyNoPostgres() {
  if (!HasPostgres()) return "built without libpq (libpq-dev)";
  const auto postgres = FindPostgres();
  return postgres ? "" : postgres.error().message;
}

PostgresServer::PostgresServer() {
  const Result<void> created = CreatePostgresData(*FindPostgres(), folder() / "data");
  CHECK(created.has_value());
  Start();
}

std::unique_ptr<SqlSession> PostgresServer::Open() const { return OpenPostgres(address()); }

NodeAddress PostgresServer::address() const {
  return {.unix_path = PostgresSocket(folder()).string()};
}

SpawnRequest PostgresServer::Program() const {
  return {.argv = PostgresCommand(*FindPostgres(), folder() / "data", folder()),
          .log = folder() / "log",
          .never_root = true};
}

}  // namespace doublehold::testing
