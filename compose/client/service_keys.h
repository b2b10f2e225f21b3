// Asks a lock service for the keys in which a library may keep a lock.
#ifndef DOUBLEHOLD_COMPOSE_CLIENT_SERVICE_KEYS_H_
#define DOUBLEHOLD_COMPOSE_CLIENT_SERVICE_KEYS_H_

#include <string>
#include <string_view>

#include "compose/client/redis/key_discovery.h"

namespace doublehold {

// Returns the question for LibraryKeys. `env` must outlive it. A name that differs from grant to
// grant is replaced by the folder in which it lies: `/locks/item:1/0000000012` by `/locks/item:1/`.
//
// Not found are rows of a table in PostgreSQL: nobody knows which columns say that a row is a lock.
AskKeys AskForKeys(Env& env, std::string_view service, const std::string& lock, Lease lease);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLIENT_SERVICE_KEYS_H_
