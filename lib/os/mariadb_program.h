// MariaDB's server program: where it is, and how a server for tests and runs is started.
#ifndef DOUBLEHOLD_LIB_OS_MARIADB_PROGRAM_H_
#define DOUBLEHOLD_LIB_OS_MARIADB_PROGRAM_H_

#include <filesystem>
#include <string>
#include <vector>

#include "lib/base/result.h"

namespace doublehold {

// Finds the program `mariadbd` in PATH or in /usr/sbin. The error says what to install.
Result<std::filesystem::path> FindMariaDb();

// Returns the command of a server with its data in the folder `data`, which must exist; in an empty
// folder, the server creates its data itself. It listens on a unix socket at `socket` only, and
// lets everybody in. What it acknowledged outlives the process, but may not be on the disk yet.
std::vector<std::string> MariaDbCommand(const std::filesystem::path& mariadb,
                                        const std::filesystem::path& data,
                                        const std::filesystem::path& socket);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_OS_MARIADB_PROGRAM_H_
