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

namespace {

// Creates the data that each server of this process copies. A copy costs a fourth of a creation.
const std::filesystem::path& FindTemplateData() {
  struct Template {
    Template() { CHECK(CreatePostgresData(*FindPostgres(), data).has_value()); }
    TempFolder folder;
    std::filesystem::path data = folder.path() / "data";
  };
  static const Template created;
  return created.data;
}

}  // namespace

PostgresServer::PostgresServer() {
  std::filesystem::copy(FindTemplateData(), folder() / "data",
                        std::filesystem::copy_options::recursive);
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
