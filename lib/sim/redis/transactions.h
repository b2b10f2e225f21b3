// Transactions of connections, and the scripts that a server knows.
#ifndef DOUBLEHOLD_LIB_SIM_REDIS_TRANSACTIONS_H_
#define DOUBLEHOLD_LIB_SIM_REDIS_TRANSACTIONS_H_

#include <string_view>

#include "lib/sim/redis/script_engine.h"
#include "lib/sim/redis/server.h"

namespace doublehold::sim {

// Returns null when the connection is in no transaction.
inline Transaction* FindTransaction(Server& server, int connection) {
  for (Transaction& each : server.transactions) {
    if (each.connection == connection) return &each;
  }
  return nullptr;
}
void EndTransaction(Server& server, int connection);

void MakeKnown(Server& server, const CompiledScript& script);
// Replies NOSCRIPT when the server does not know the script.
ServerReply EvalKnown(const ServerCall& call, std::string_view sha1, Argv keys, Argv args);

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_REDIS_TRANSACTIONS_H_
