#include "lib/os/postgres_program.h"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <sstream>

#include "lib/base/words.h"
#include "lib/os/run_tool.h"

namespace doublehold {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDatabase = "doublehold";
constexpr const char* kInstall =
    "PostgreSQL: there is no program postgres; install the Debian packages postgresql-15 and "
    "libpq-dev (./setup.sh --services), and build again";

// Renames the database `postgres`, and drops the one that is only a template for others: a third
// of the data, which each run copies.
constexpr const char* kArrange =
    "ALTER DATABASE postgres RENAME TO doublehold;\n"
    "UPDATE pg_database SET datistemplate = false WHERE datname = 'template0';\n"
    "DROP DATABASE template0;\n";

// Runs one of PostgreSQL's programs to its end.
Result<void> RunPostgres(const std::vector<std::string>& argv, std::string_view input) {
  const RunResult run =
      TRY(RunToEnd(argv, {.input = input, .with_errors = true, .never_root = true}));
  if (run.succeeded()) return {};
  return EnvironmentFailed(argv[0] + ": " + OnOneLine(run.output));
}

}  // namespace

Result<fs::path> FindPostgres() {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  std::error_code code;
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path program = fs::path(folder) / "postgres";
    if (access(program.c_str(), X_OK) == 0) return fs::canonical(program, code);
  }
  fs::path newest;
  int version = 0;
  for (const auto& entry : fs::directory_iterator("/usr/lib/postgresql", code)) {
    const fs::path program = entry.path() / "bin" / "postgres";
    const int found = std::atoi(entry.path().filename().c_str());
    if (found <= version || access(program.c_str(), X_OK) != 0) continue;
    version = found;
    newest = program;
  }
  if (newest.empty()) return EnvironmentFailed(kInstall);
  return newest;
}

Result<void> CreatePostgresData(const fs::path& postgres, const fs::path& folder) {
  TRY(RunPostgres({(postgres.parent_path() / "initdb").string(), "--pgdata", folder.string(),
                   "--username", kDatabase, "--auth", "trust", "--no-sync", "--no-locale",
                   "--encoding", "UTF8", "--wal-segsize", "1"},
                  ""));
  return RunPostgres({postgres.string(), "--single", "-D", folder.string(), "template1"}, kArrange);
}

std::vector<std::string> PostgresCommand(const fs::path& postgres, const fs::path& data,
                                         const fs::path& socket_folder, bool replicates) {
  constexpr std::array kSettings{
      "fsync=off",
      "full_page_writes=off",
      "autovacuum=off",
      "shared_buffers=4MB",
      "max_connections=500",
      "superuser_reserved_connections=0",
      "listen_addresses=",
      "dynamic_shared_memory_type=mmap",
      "jit=off",
      "max_parallel_workers=0",
      "max_logical_replication_workers=0",
  };
  // A replica may follow late, so the primary keeps its whole log. A replica refuses to have fewer
  // senders than the primary had, which created its data with ten.
  constexpr std::array kForReplicas{"wal_level=replica", "max_wal_senders=10", "wal_keep_size=1GB",
                                    "hot_standby=on"};
  constexpr std::array kAlone{"wal_level=minimal", "max_wal_senders=0"};
  std::vector<std::string> command{postgres.string(),      "-D", data.string(), "-k",
                                   socket_folder.string(), "-p", kPostgresPort};
  const auto set = [&](const auto& settings) {
    for (const char* setting : settings) command.insert(command.end(), {"-c", setting});
  };
  set(kSettings);
  replicates ? set(kForReplicas) : set(kAlone);
  return command;
}

fs::path PostgresSocket(const fs::path& socket_folder) {
  return socket_folder / (std::string(".s.PGSQL.") + kPostgresPort);
}

}  // namespace doublehold
