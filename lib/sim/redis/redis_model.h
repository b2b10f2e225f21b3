// A modelled Redis server: replies to a command at a given instant of its wall clock, without I/O,
// clocks or randomness. redis_conformance_test.cc compares it with a real redis-server.
#ifndef DOUBLEHOLD_LIB_SIM_REDIS_REDIS_MODEL_H_
#define DOUBLEHOLD_LIB_SIM_REDIS_REDIS_MODEL_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "lib/clients/redis.h"
#include "lib/sim/redis/script_engine.h"
#include "lib/sim/redis/server.h"
#include "lib/sim/state/state_digest.h"

namespace doublehold::sim {

// One server; a copy is another server with the same data. Not thread-safe. Two differences from a
// real server:
// - An expired key is removed only when a command reads it.
// - The model has no replicas, so WAIT replies 0. The simulated world models replicas.
class RedisModel {
 public:
  // `engine` must outlive the model. Models of one thread share an engine.
  explicit RedisModel(ScriptEngine& engine) { server_.engine = &engine; }

  // Executes a command at `now_ms` of the server's wall clock. `connection` is any number. WATCH
  // and MULTI apply to the connection with this number.
  [[nodiscard]] ServerReply Execute(int connection, Argv command, int64_t now_ms);
  // Has the effect of EVALSHA, without parsing. Replies NOSCRIPT when the server does not know the
  // script.
  [[nodiscard]] ServerReply Eval(int connection, const Script& script, Argv keys, Argv args,
                                 int64_t now_ms);
  // Adds a script to the scripts that the server knows. The script must compile.
  void LoadScript(const Script& script);
  // Drops the connection's watches and queued commands.
  void CloseConnection(int connection);
  // Whether the server queues the connection's commands until EXEC.
  [[nodiscard]] bool IsInTransaction(int connection) const;
  // Returns the messages published since the last call, in order.
  [[nodiscard]] std::vector<Published> TakePublished();
  [[nodiscard]] bool HasPublished() const { return !server_.published.empty(); }
  // Sets the reply of PUBLISH on this channel. The default is 0.
  void SetSubscribers(std::string_view channel, int64_t count);

  void ForgetScripts() { server_.scripts.clear(); }
  void RestartEmpty();     // no data, no scripts, no connections, no subscribers
  void RestartWithData();  // keeps the data, loses everything else
  // All that decides later replies, if the clock shows `now_ms` and goes on at an even rate.
  void MixState(StateDigest& digest, int64_t now_ms) const;

 private:
  Server server_;
};

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_REDIS_REDIS_MODEL_H_
