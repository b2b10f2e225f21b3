// What one modelled server keeps, and a command that it carries out.
#ifndef DOUBLEHOLD_LIB_SIM_REDIS_SERVER_H_
#define DOUBLEHOLD_LIB_SIM_REDIS_SERVER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "lib/base/connection.h"
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

// A connection between its MULTI and its EXEC.
struct Transaction {
  int connection = 0;
  bool refused = false;  // one of its commands could not be queued
  std::vector<std::vector<std::string>> queue;
};

struct Server {
  ScriptEngine* engine = nullptr;  // outlives it
  Keyspace keys;
  std::vector<Transaction> transactions;
  std::vector<const CompiledScript*> scripts;  // that it knows
  std::vector<Published> published;
  std::vector<std::pair<std::string, int64_t>> subscribers;  // of each channel, where there are any
};

// One command on its way through a server.
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
  std::string_view name;             // in small letters
  int arity = 0;                     // of all words; below 0: at least so many
  CommandHandler handler = nullptr;  // null: its second word says which command it is
  bool in_scripts = true;
  bool queues = true;  // behind MULTI

  [[nodiscard]] bool Takes(size_t words) const {
    return arity > 0 ? words == static_cast<size_t>(arity) : words >= static_cast<size_t>(-arity);
  }
};

// Null when there is none of that name; large and small letters are the same.
const Command* FindCommand(std::string_view name);
// With the right number of words, or what a server says before it looks any further.
tl::expected<const Command*, ServerError> Resolve(Argv argv);

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_REDIS_SERVER_H_
