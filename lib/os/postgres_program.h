// PostgreSQL's server programs: where they are, and how a server for tests and runs is started.
#ifndef DOUBLEHOLD_LIB_OS_POSTGRES_PROGRAM_H_
#define DOUBLEHOLD_LIB_OS_POSTGRES_PROGRAM_H_

#include <filesystem>
#include <string>
#include <vector>

#include "lib/base/result.h"

namespace doublehold {

constexpr const char* kPostgresPort = "5432";  // a part of each socket's name

// Finds the program `postgres` in PATH, or in the folder of Debian's newest package; initdb is
// beside it. The error says what to install.
Result<std::filesystem::path> FindPostgres();

// Creates the data of a server in `folder`, which must not exist: one database, with a user of the
// same name. Connections from this machine need no password. Waits about half a second.
Result<void> CreatePostgresData(const std::filesystem::path& postgres,
                                const std::filesystem::path& folder);

// Returns the command of a server with this data, to start with SpawnRequest::never_root. It
// listens on the unix socket of PostgresSocket only. Its data reaches the disk late or never, since
// only processes die. With `replicates`, it lets replicas follow it, or follows a primary itself.
std::vector<std::string> PostgresCommand(const std::filesystem::path& postgres,
                                         const std::filesystem::path& data,
                                         const std::filesystem::path& socket_folder,
                                         bool replicates = false);
std::filesystem::path PostgresSocket(const std::filesystem::path& socket_folder);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_OS_POSTGRES_PROGRAM_H_
