// Finds the keys of locks on a server that has other keys too.
#ifndef DOUBLEHOLD_LIB_REDIS_FIND_KEYS_H_
#define DOUBLEHOLD_LIB_REDIS_FIND_KEYS_H_

#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "lib/base/time.h"
#include "lib/clients/redis.h"

namespace doublehold {

// Whether a name contains that of a lock, without a digit behind it: `lock:item:1` belongs to
// item:1, `item:10` does not.
bool IsNameOfLock(const std::string& lock, const std::string& name);
// Returns the names of the keys, in the connection's database, that belong to one of the locks, of
// which there is at least one. Uses SCAN, which does not block a server with many keys. The error
// is the server's.
tl::expected<std::vector<std::string>, CallFailure> FindKeysOf(
    Connection& server, const std::vector<std::string>& locks, Deadline deadline);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_REDIS_FIND_KEYS_H_
