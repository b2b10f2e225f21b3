// PgBouncer, a pooler between clients and a PostgreSQL server.
#ifndef DOUBLEHOLD_COMPOSE_CLUSTER_POSTGRES_POOLER_H_
#define DOUBLEHOLD_COMPOSE_CLUSTER_POSTGRES_POOLER_H_

#include <filesystem>
#include <string>

#include "lib/base/result.h"
#include "lib/os/spawn.h"

namespace doublehold {

// Returns how to start a pooler for the server whose socket is in `server_folder`. Writes the
// pooler's configuration into `folder`, where it listens on PoolerSocket. `mode` says how long a
// client keeps a session of the server: for its own "session", or for one "transaction".
Result<SpawnRequest> PoolerCommand(const std::filesystem::path& folder,
                                   const std::filesystem::path& server_folder,
                                   const std::string& mode);
std::filesystem::path PoolerSocket(const std::filesystem::path& folder);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_POSTGRES_POOLER_H_
