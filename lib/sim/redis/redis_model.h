// A Redis server of the simulator: what one answers to a command at an instant of its wall clock,
// without I/O, clocks or randomness. Held to a real redis-server by redis_conformance_test.cc.
#ifndef DOUBLEHOLD_LIB_SIM_REDIS_REDIS_MODEL_H_
#define DOUBLEHOLD_LIB_SIM_REDIS_REDIS_MODEL_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "lib/base/connection.h"
#include "lib/sim/redis/script_engine.h"
#include "lib/sim/redis/server.h"

namespace doublehold::sim {

// One server; a copy is another server with the same data. Not thread-safe. Unlike the real one it
// never removes a key that nobody looks at: it goes when it is looked at after its time. Replicas
// are the world's business: WAIT answers 0.
class RedisModel {
 public:
  // The engine outlives it; models of one thread share one.
  explicit RedisModel(ScriptEngine& engine) { server_.engine = &engine; }

  // Carries a command out as connection `connection` (WATCH and MULTI are kept by it; any number)
  // at the server's own wall clock.
  [[nodiscard]] ServerReply Execute(int connection, Argv command, int64_t now_ms);
  // The same as EVALSHA of that script (NOSCRIPT when the server does not know it), without parsing
  // anything.
  [[nodiscard]] ServerReply Eval(int connection, const Script& script, Argv keys, Argv args,
                                 int64_t now_ms);
  // Makes the script known. It must compile.
  void LoadScript(const Script& script);
  // Forgets what the connection watched and queued.
  void CloseConnection(int connection);
  // In the order in which they were published, since the last call.
  [[nodiscard]] std::vector<Published> TakePublished();
  [[nodiscard]] bool HasPublished() const { return !server_.published.empty(); }
  // What PUBLISH answers; 0 where nobody said anything else.
  void SetSubscribers(std::string_view channel, int64_t count);

  void ForgetScripts() { server_.scripts.clear(); }
  void RestartEmpty();     // no data, no scripts, no connections, no subscribers
  void RestartWithData();  // the data stays

 private:
  Server server_;
};

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_REDIS_REDIS_MODEL_H_
