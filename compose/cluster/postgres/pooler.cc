#include "compose/cluster/postgres/pooler.h"

#include <fmt/format.h>

#include <fstream>

#include "lib/os/postgres_program.h"
#include "lib/postgres/session.h"

namespace doublehold {
namespace {

namespace fs = std::filesystem;

// Clients may open more sessions than the server has for them: that is what poolers are for. A
// client's own settings are ignored, since they would be those of a shared session.
constexpr const char* kConfiguration = R"([databases]
{0} = host={1} port={2} user={0} dbname={0}
[pgbouncer]
unix_socket_dir = {3}
unix_socket_mode = 0777
listen_port = {2}
auth_type = any
pool_mode = {4}
max_client_conn = 1000
ignore_startup_parameters = options
)";

}  // namespace

Result<SpawnRequest> PoolerCommand(const fs::path& folder, const fs::path& server_folder,
                                   const std::string& mode) {
  std::error_code code;
  fs::create_directories(folder, code);
  const fs::path file = folder / "pgbouncer.ini";
  std::ofstream out(file);
  out << fmt::format(kConfiguration, kPostgresName, server_folder.string(), kPostgresPort,
                     folder.string(), mode);
  out.close();
  if (!out) return EnvironmentFailed(fmt::format("{}: cannot be written", file.string()));
  // Debian installs it where only root's PATH leads.
  constexpr const char* kOfDebian = "/usr/sbin/pgbouncer";
  return SpawnRequest{
      .argv = {fs::exists(kOfDebian, code) ? kOfDebian : "pgbouncer", file.string()},
      .never_root = true,
      .if_missing =
          ": through-pooler needs it; install the Debian package pgbouncer "
          "(./setup.sh --services)"};
}

fs::path PoolerSocket(const fs::path& folder) { return PostgresSocket(folder); }

}  // namespace doublehold
