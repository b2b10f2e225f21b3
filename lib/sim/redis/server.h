// The state of one modelled server, and the context of one command.
#ifndef DOUBLEHOLD_LIB_SIM_REDIS_SERVER_H_
#define DOUBLEHOLD_LIB_SIM_REDIS_SERVER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "lib/clients/redis.h"
#include "lib/sim/redis/keyspace.h"

namespace doublehold::sim {

struct ServerError {
  std::string text;  // "WRONGTYPE Operation against ..."
};
using ServerReply = tl::expected<Reply, ServerError>;

struct Published {
  std::string channel;
  std::string text;
};

struct CompiledScript;
class ScriptEngine;

// A connection between MULTI and EXEC.
struct Transaction {
  int connection = 0;
  bool refused = false;  // EXEC is refused, because a command could not be queued
  std::vector<std::vector<std::string>> queue;
};

struct Server {
  ScriptEngine* engine = nullptr;  // must outlive the server
  Keyspace keys;
  std::vector<Transaction> transactions;
  std::vector<const CompiledScript*> scripts;  // known to this server
  std::vector<Published> published;
  // Number of subscribers by channel. Channels without subscribers may be missing.
  std::vector<std::pair<std::string, int64_t>> subscribers;
};

// One command with its server, connection and instant.
struct ServerCall {
  Server& server;
  int connection = 0;
  int64_t now_ms = 0;
  Argv argv{};

  [[nodiscard]] Entry* Find(std::string_view key) const { return server.keys.Find(key, now_ms); }
  void Touch(std::string_view key) const { server.keys.Touch(key); }
};

using CommandHandler = ServerReply (*)(const ServerCall& call);

struct Command {
  std::string_view name;  // lower case
  // Number of words, including the name. A negative arity means at least -arity words.
  int arity = 0;
  CommandHandler handler = nullptr;
  bool in_scripts = true;
  bool queues = true;  // whether MULTI queues it

  [[nodiscard]] bool Takes(size_t words) const {
    return arity > 0 ? words == static_cast<size_t>(arity) : words >= static_cast<size_t>(-arity);
  }
};

// Returns null when no command has this name. Ignores case.
const Command* FindCommand(std::string_view name);
// Finds the command, and checks the number of words. Returns the server's error reply if either
// fails.
tl::expected<const Command*, ServerError> Resolve(Argv argv);

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_REDIS_SERVER_H_
