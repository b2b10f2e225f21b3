#include <algorithm>

#include "lib/sim/redis/commands.h"
#include "lib/sim/redis/replies.h"
#include "lib/sim/redis/script_engine.h"
#include "lib/sim/redis/transactions.h"

namespace doublehold::sim {
namespace {

const CompiledScript* FindKnown(const Server& server, std::string_view sha1) {
  for (const CompiledScript* each : server.scripts) {
    if (each->sha1 == sha1) return each;
  }
  return nullptr;
}

std::string InSmallLetters(std::string_view text) {
  std::string small(text);
  for (char& c : small) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  }
  return small;
}

// Returns the number of keys. The keys begin at the fourth word.
tl::expected<size_t, ServerError> CountKeys(const ServerCall& call) {
  const auto count = ReadInteger(call.argv[2]);
  if (!count) return NoInteger();
  if (*count > static_cast<int64_t>(call.argv.size()) - 3)
    return Error("ERR Number of keys can't be greater than number of args");
  if (*count < 0) return Error("ERR Number of keys can't be negative");
  return static_cast<size_t>(*count);
}

}  // namespace

void EndTransaction(Server& server, int connection) {
  std::erase_if(server.transactions,
                [&](const Transaction& each) { return each.connection == connection; });
}

void MakeKnown(Server& server, const CompiledScript& script) {
  if (FindKnown(server, script.sha1) == nullptr) server.scripts.push_back(&script);
}

ServerReply EvalKnown(const ServerCall& call, std::string_view sha1, Argv keys, Argv args) {
  const CompiledScript* script = FindKnown(call.server, sha1);
  if (script == nullptr) return Error("NOSCRIPT No matching script. Please use EVAL.");
  return call.server.engine->Run(*script, call, keys, args);
}

ServerReply Eval(const ServerCall& call) {
  const auto keys = CountKeys(call);
  if (!keys) return tl::unexpected(keys.error());
  const auto compiled = call.server.engine->Compile(Script(call.argv[1]));
  if (!compiled) return tl::unexpected(compiled.error());
  MakeKnown(call.server, **compiled);
  return call.server.engine->Run(**compiled, call, call.argv.subspan(3, *keys),
                                 call.argv.subspan(3 + *keys));
}

ServerReply EvalSha(const ServerCall& call) {
  constexpr size_t kDigits = 40;
  if (call.argv[1].size() != kDigits) return Error("NOSCRIPT No matching script. Please use EVAL.");
  const auto keys = CountKeys(call);
  if (!keys) return tl::unexpected(keys.error());
  return EvalKnown(call, InSmallLetters(call.argv[1]), call.argv.subspan(3, *keys),
                   call.argv.subspan(3 + *keys));
}

ServerReply Multi(const ServerCall& call) {
  if (FindTransaction(call.server, call.connection) != nullptr)
    return Error("ERR MULTI calls can not be nested");
  call.server.transactions.push_back({.connection = call.connection});
  return Ok();
}

ServerReply Exec(const ServerCall& call) {
  const Transaction* found = FindTransaction(call.server, call.connection);
  if (found == nullptr) return Error("ERR EXEC without MULTI");
  const Transaction transaction = *found;
  const bool spoilt = call.server.keys.IsSpoilt(call.connection, call.now_ms);
  EndTransaction(call.server, call.connection);
  call.server.keys.Unwatch(call.connection);
  if (transaction.refused)
    return Error("EXECABORT Transaction discarded because of previous errors.");
  if (spoilt) return Nil();
  Reply reply = Array();
  for (const std::vector<std::string>& words : transaction.queue) {
    const std::vector<std::string_view> argv(words.begin(), words.end());
    ServerReply each = (*Resolve(argv))
                           ->handler({.server = call.server,
                                      .connection = call.connection,
                                      .now_ms = call.now_ms,
                                      .argv = argv});
    // An error within EXEC's reply becomes a status, as in hiredis_connection.
    reply.items.push_back(each ? std::move(*each) : *Status(each.error().text));
  }
  return reply;
}

ServerReply Watch(const ServerCall& call) {
  if (FindTransaction(call.server, call.connection) != nullptr)
    return Error("ERR WATCH inside MULTI is not allowed");
  for (const std::string_view key : call.argv.subspan(1))
    call.server.keys.Watch(call.connection, key, call.now_ms);
  return Ok();
}

ServerReply Unwatch(const ServerCall& call) {
  call.server.keys.Unwatch(call.connection);
  return Ok();
}

ServerReply Publish(const ServerCall& call) {
  call.server.published.push_back({std::string(call.argv[1]), std::string(call.argv[2])});
  const auto& all = call.server.subscribers;
  const auto found = std::ranges::find(
      all, call.argv[1], [](const auto& pair) -> const auto& { return pair.first; });
  return Integer(found == all.end() ? int64_t{0} : found->second);
}

ServerReply Wait(const ServerCall& call) {
  const auto timeout = ReadInteger(call.argv[2]);
  if (!ReadInteger(call.argv[1])) return NoInteger();
  if (!timeout) return Error("ERR timeout is not an integer or out of range");
  if (*timeout < 0) return Error("ERR timeout is negative");
  return Integer(int64_t{0});
}

}  // namespace doublehold::sim
