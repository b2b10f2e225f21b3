#include "lib/testing/postgres_server.h"

#include <signal.h>
#include <sys/wait.h>

#include "lib/base/check.h"
#include "lib/os/postgres_program.h"
#include "lib/os/spawn.h"
#include "lib/postgres/session.h"

namespace doublehold::testing {

std::string WhyNoPostgres() {
  if (!HasPostgres()) return "built without libpq (libpq-dev)";
  const auto postgres = FindPostgres();
  return postgres ? "" : postgres.error().message;
}

PostgresServer::PostgresServer() {
  const Result<void> created = CreatePostgresData(*FindPostgres(), folder_.path() / "data");
  CHECK(created.has_value());
  PostgresServer::Start();
}

std::unique_ptr<SqlSession> PostgresServer::Open() const { return OpenPostgres(address()); }

NodeAddress PostgresServer::address() const {
  return {.unix_path = PostgresSocket(folder_.path()).string()};
}

// A server whose sessions still end refuses to start, so the start is tried again.
void PostgresServer::Start() {
  const bool started = Eventually([this] {
    if (pid_ < 0) {
      const Result<pid_t> pid =
          Spawn({.argv = PostgresCommand(*FindPostgres(), folder_.path() / "data", folder_.path()),
                 .log = folder_.path() / "log",
                 .never_root = true});
      CHECK(pid.has_value());
      pid_ = *pid;
    }
    if (waitpid(pid_, nullptr, WNOHANG) != 0) {
      pid_ = -1;
      return false;
    }
    return RunSql(*Open(), "SELECT 1") == "[1]";
  });
  CHECK(started);
}

// The sessions end when they notice that the server is gone.
void PostgresServer::Kill() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  AwaitEnd(pid_);
  pid_ = -1;
}

}  // namespace doublehold::testing
