#include "lib/redis/wire/command_keys.h"

#include <algorithm>
#include <array>

namespace doublehold {
namespace {

struct Row {
  std::string_view command;
  KeyPlace place;
};

constexpr KeyPlace kNone{0, 0};

// Sorted by name. In any other command, the key is the word after the command's name.
constexpr std::array kRows{
    Row{"ACL", kNone},          Row{"AUTH", kNone},        Row{"BITOP", {0, 2}},
    Row{"BLMPOP", {2, 3}},      Row{"BZMPOP", {2, 3}},     Row{"CLIENT", {0, 1, /*fold=*/true}},
    Row{"CLUSTER", kNone},      Row{"COMMAND", kNone},     Row{"CONFIG", kNone},
    Row{"DEBUG", {0, 2}},       Row{"DISCARD", kNone},     Row{"ECHO", kNone},
    Row{"EVAL", {2, 3}},        Row{"EVALSHA", {2, 3}},    Row{"EVALSHA_RO", {2, 3}},
    Row{"EVAL_RO", {2, 3}},     Row{"EXEC", kNone},        Row{"FAILOVER", kNone},
    Row{"FCALL", {2, 3}},       Row{"FCALL_RO", {2, 3}},   Row{"FLUSHALL", kNone},
    Row{"FLUSHDB", kNone},      Row{"FUNCTION", kNone},    Row{"HELLO", kNone},
    Row{"INFO", kNone},         Row{"KEYS", kNone},        Row{"LATENCY", kNone},
    Row{"LMPOP", {1, 2}},       Row{"MEMORY", {0, 2}},     Row{"MIGRATE", {0, 3}},
    Row{"MONITOR", kNone},      Row{"MULTI", kNone},       Row{"OBJECT", {0, 2}},
    Row{"PING", kNone},         Row{"PSUBSCRIBE", kNone},  Row{"PSYNC", kNone},
    Row{"PUBLISH", kNone},      Row{"PUBSUB", kNone},      Row{"PUNSUBSCRIBE", kNone},
    Row{"REPLCONF", kNone},     Row{"REPLICAOF", kNone},   Row{"SCAN", kNone},
    Row{"SCRIPT", kNone},       Row{"SELECT", kNone},      Row{"SENTINEL", kNone},
    Row{"SHUTDOWN", kNone},     Row{"SINTERCARD", {1, 2}}, Row{"SLAVEOF", kNone},
    Row{"SPUBLISH", kNone},     Row{"SSUBSCRIBE", kNone},  Row{"SUBSCRIBE", kNone},
    Row{"SUNSUBSCRIBE", kNone}, Row{"SWAPDB", kNone},      Row{"SYNC", kNone},
    Row{"UNSUBSCRIBE", kNone},  Row{"WAIT", kNone},        Row{"XGROUP", {0, 2}},
    Row{"XINFO", {0, 2}},       Row{"XREAD", kNone},       Row{"XREADGROUP", kNone},
    Row{"ZDIFF", {1, 2}},       Row{"ZINTER", {1, 2}},     Row{"ZINTERCARD", {1, 2}},
    Row{"ZMPOP", {1, 2}},       Row{"ZUNION", {1, 2}},
};
static_assert(std::ranges::is_sorted(kRows, {}, &Row::command));

}  // namespace

KeyPlace PlaceOfKey(std::string_view command) {
  const auto* found = std::ranges::lower_bound(kRows, command, {}, &Row::command);
  return found != kRows.end() && found->command == command ? found->place : KeyPlace{};
}

}  // namespace doublehold
