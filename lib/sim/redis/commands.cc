#include "lib/sim/redis/commands.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdint>

#include "lib/sim/redis/replies.h"

namespace doublehold::sim {
namespace {

constexpr bool kNotInScripts = false;
constexpr bool kNeverQueued = false;

constexpr Command kCommands[] = {
    {"dbsize", 1, DbSize},
    {"decr", 2, Decr},
    {"del", -2, Del},
    {"eval", -3, Eval, kNotInScripts},
    {"evalsha", -3, EvalSha, kNotInScripts},
    {"exec", 1, Exec, kNotInScripts, kNeverQueued},
    {"exists", -2, Exists},
    {"expire", -3, Expire},
    {"get", 2, Get},
    {"getset", 3, GetSet},
    {"hdel", -3, HDel},
    {"hexists", 3, HExists},
    {"hget", 3, HGet},
    {"hgetall", 2, HGetAll},
    {"hincrby", 4, HIncrBy},
    {"hkeys", 2, HKeys},
    {"hlen", 2, HLen},
    {"hset", -4, HSet},
    {"incr", 2, Incr},
    {"lindex", 3, LIndex},
    {"llen", 2, LLen},
    {"lpop", -2, LPop},
    {"lpos", -3, LPos},
    {"lrange", 4, LRange},
    {"lrem", 4, LRem},
    {"mget", -2, MGet},
    {"mset", -3, MSet},
    {"multi", 1, Multi, kNotInScripts, kNeverQueued},
    {"pexpire", -3, PExpire},
    {"pttl", 2, PTtl},
    {"publish", 3, Publish},
    {"rpush", -3, RPush},
    {"set", -3, Set},
    {"setnx", 3, SetNx},
    {"type", 2, Type},
    {"unwatch", 1, Unwatch, kNotInScripts},
    {"wait", 3, Wait, kNotInScripts},
    {"watch", -2, Watch, kNotInScripts, kNeverQueued},
    {"zadd", -4, ZAdd},
    {"zincrby", 4, ZIncrBy},
    {"zrange", -4, ZRange},
    {"zrem", -3, ZRem},
    {"zscore", 3, ZScore},
};

// A command name as two numbers, ignoring case. Every name has only letters, and at most kLongest
// of them.
struct Folded {
  uint64_t low = 0;
  uint64_t high = 0;
  bool operator==(const Folded&) const = default;
};
constexpr size_t kLongest = 16;

constexpr Folded Fold(std::string_view name) {
  Folded folded;
  for (size_t i = 0; i < name.size(); ++i) {
    const uint64_t letter = static_cast<unsigned char>(name[i]) | 0x20u;
    (i < 8 ? folded.low : folded.high) |= letter << (8 * (i % 8));
  }
  return folded;
}

constexpr size_t kSlots = 256;

constexpr size_t SlotOf(const Folded& folded) {
  return ((folded.low ^ std::rotl(folded.high, 7)) * 0x9E3779B97F4A7C15u) >> 56;
}

struct Slot {
  Folded name;
  const Command* command = nullptr;
};

// Builds the hash table. A name whose slot is taken goes to the next free slot.
constexpr std::array<Slot, kSlots> MakeSlots() {
  std::array<Slot, kSlots> slots{};
  for (const Command& command : kCommands) {
    const Folded name = Fold(command.name);
    size_t at = SlotOf(name);
    while (slots[at].command != nullptr) at = (at + 1) % kSlots;
    slots[at] = {name, &command};
  }
  return slots;
}

constexpr std::array<Slot, kSlots> kByName = MakeSlots();

constexpr size_t kMostOfAWord = 128;

std::string UnknownText(Argv argv) {
  std::string words;
  for (const std::string_view word : argv.subspan(1)) {
    if (words.size() >= kMostOfAWord) break;
    words += fmt::format("'{}' ", word.substr(0, kMostOfAWord - words.size()));
  }
  return fmt::format("ERR unknown command '{}', with args beginning with: {}",
                     argv[0].substr(0, kMostOfAWord), words);
}

}  // namespace

tl::expected<const Command*, ServerError> Resolve(Argv argv) {
  const Command* found = FindCommand(argv[0]);
  if (found == nullptr) return Error(UnknownText(argv));
  if (found->Takes(argv.size())) return found;
  if (found->handler == Exec)
    return Error(
        "EXECABORT Transaction discarded because of: wrong number of arguments for 'exec' command");
  return WrongArity(found->name);
}

const Command* FindCommand(std::string_view name) {
  if (name.size() > kLongest) return nullptr;
  const Folded folded = Fold(name);
  for (size_t at = SlotOf(folded);; at = (at + 1) % kSlots) {
    const Slot& slot = kByName[at];
    if (slot.command == nullptr) return nullptr;
    if (slot.name == folded && slot.command->name.size() == name.size()) return slot.command;
  }
}

}  // namespace doublehold::sim
