#include "lib/sim/redis/redis_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lib/base/check.h"
#include "lib/sim/redis/replies.h"
#include "lib/sim/redis/server.h"
#include "lib/sim/redis/transactions.h"

namespace doublehold::sim {
ServerReply RedisModel::Execute(int connection, Argv command, int64_t now_ms) {
  CHECK(!command.empty());
  Transaction* transaction = FindTransaction(server_, connection);
  if (transaction == nullptr) {
    // Fast path for nearly all commands: known, and with the right number of words.
    const Command* plain = FindCommand(command[0]);
    if (plain != nullptr && plain->Takes(command.size()))
      return plain->handler(
          {.server = server_, .connection = connection, .now_ms = now_ms, .argv = command});
  }
  const auto found = Resolve(command);
  if (!found) {
    if (IsOption(command[0], "EXEC")) {
      CloseConnection(connection);  // drops the transaction
    } else if (transaction != nullptr) {
      transaction->refused = true;
    }
    return tl::unexpected(found.error());
  }
  if (transaction != nullptr && (*found)->queues) {
    transaction->queue.emplace_back(command.begin(), command.end());
    return Status("QUEUED");
  }
  return (*found)->handler(
      {.server = server_, .connection = connection, .now_ms = now_ms, .argv = command});
}

ServerReply RedisModel::Eval(int connection, const Script& script, Argv keys, Argv args,
                             int64_t now_ms) {
  if (FindTransaction(server_, connection) != nullptr) {
    const std::string count = fmt::format_int(keys.size()).str();
    std::vector<std::string_view> words{"EVALSHA", script.sha1, count};
    words.insert(words.end(), keys.begin(), keys.end());
    words.insert(words.end(), args.begin(), args.end());
    return Execute(connection, words, now_ms);
  }
  return EvalKnown({.server = server_, .connection = connection, .now_ms = now_ms}, script.sha1,
                   keys, args);
}

void RedisModel::LoadScript(const Script& script) {
  const auto compiled = server_.engine->Compile(script);
  CHECK(compiled.has_value());
  MakeKnown(server_, **compiled);
}

void RedisModel::CloseConnection(int connection) {
  server_.keys.Unwatch(connection);
  EndTransaction(server_, connection);
}

bool RedisModel::IsInTransaction(int connection) const {
  return std::ranges::find(server_.transactions, connection, &Transaction::connection) !=
         server_.transactions.end();
}

std::vector<Published> RedisModel::TakePublished() { return std::exchange(server_.published, {}); }

void RedisModel::SetSubscribers(std::string_view channel, int64_t count) {
  for (auto& [name, subscribers] : server_.subscribers) {
    if (name == channel) {
      subscribers = count;
      return;
    }
  }
  server_.subscribers.emplace_back(channel, count);
}

void RedisModel::RestartEmpty() {
  server_.keys.Clear();
  RestartWithData();
}

void RedisModel::RestartWithData() {
  server_.keys.UnwatchAll();
  server_.transactions.clear();
  server_.scripts.clear();
  server_.published.clear();
  server_.subscribers.clear();
}

void RedisModel::MixState(StateDigest& digest, int64_t now_ms) const {
  server_.keys.MixState(digest, now_ms);
  digest.Mix(server_.transactions.size());
  for (const Transaction& transaction : server_.transactions) {
    digest.Mix(transaction.connection);
    digest.Mix(transaction.refused);
    digest.Mix(transaction.queue.size());
    for (const std::vector<std::string>& command : transaction.queue) {
      digest.Mix(command.size());
      for (const std::string& word : command) digest.Mix(word);
    }
  }
  digest.Mix(server_.scripts.size());
  for (const CompiledScript* script : server_.scripts) digest.Mix(script->sha1);
  digest.Mix(server_.published.size());
  digest.Mix(server_.subscribers.size());
  for (const auto& [channel, count] : server_.subscribers) {
    digest.Mix(channel);
    digest.Mix(count);
  }
}

}  // namespace doublehold::sim
