#include "lib/os/mariadb_program.h"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <sstream>

namespace doublehold {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInstallMariaDb =
    "MariaDB: there is no program mariadbd; install the Debian packages mariadb-server, galera-4 "
    "and libmariadb-dev (./setup.sh --services), and build again";

}  // namespace

Result<fs::path> FindMariaDb() {
  const char* path = std::getenv("PATH");
  // Debian has the program in a folder that is in root's PATH only.
  std::istringstream folders(std::string(path == nullptr ? "" : path) + ":/usr/sbin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path program = fs::path(folder) / "mariadbd";
    if (access(program.c_str(), X_OK) == 0) return program;
  }
  return EnvironmentFailed(kInstallMariaDb);
}

// Grants and the system's tables are not needed. Small files make starts quick, since a server
// creates them: the redo log, and the files of the shared and of the temporary tables.
std::vector<std::string> MariaDbCommand(const fs::path& mariadb, const fs::path& data,
                                        const fs::path& socket) {
  constexpr std::array kSettings{
      "--user=root",  // without it, a server refuses to run as root; for others it means nothing
      "--skip-grant-tables",
      "--skip-networking",
      "--skip-name-resolve",
      "--skip-log-bin",
      "--log-warnings=1",  // without a line for each connection that a client closes
      "--max-connections=500",
      "--table-open-cache=64",
      "--key-buffer-size=8K",
      "--aria-pagecache-buffer-size=128K",
      "--aria-log-file-size=8M",
      "--innodb-buffer-pool-size=6M",
      "--innodb-buffer-pool-load-at-startup=OFF",
      "--innodb-buffer-pool-dump-at-shutdown=OFF",
      "--innodb-log-file-size=4M",
      "--innodb-log-buffer-size=2M",
      "--innodb-data-file-path=ibdata1:10M:autoextend",
      "--innodb-temp-data-file-path=ibtmp1:1M:autoextend",
      "--innodb-autoextend-increment=1",
      "--innodb-flush-log-at-trx-commit=2",  // to the file, not to the disk
  };
  std::vector<std::string> command{mariadb.string(), "--no-defaults", "--datadir=" + data.string(),
                                   "--socket=" + socket.string(),
                                   "--pid-file=" + (data / "mariadb.pid").string()};
  command.insert(command.end(), kSettings.begin(), kSettings.end());
  return command;
}

}  // namespace doublehold
