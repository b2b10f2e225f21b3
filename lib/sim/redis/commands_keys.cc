#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lib/sim/redis/commands.h"
#include "lib/sim/redis/replies.h"

namespace doublehold::sim {
namespace {

// Sets the expiry to the command's number * unit_ms from now.
ServerReply ExpireIn(const ServerCall& call, std::string_view name, int64_t unit_ms) {
  if (call.argv.size() > 3) return Error(fmt::format("ERR Unsupported option {}", call.argv[3]));
  const auto number = ReadInteger(call.argv[2]);
  if (!number) return NoInteger();
  int64_t when_ms = 0;
  if (__builtin_mul_overflow(*number, unit_ms, &when_ms) || when_ms > INT64_MAX - call.now_ms)
    return BadExpiry(name);
  when_ms += call.now_ms;
  Entry* entry = call.Find(call.argv[1]);
  if (entry == nullptr) return Integer(int64_t{0});
  // Deletes a key whose expiry instant has come. Find would still return such a key, because a key
  // is alive up to and including its expiry instant.
  if (when_ms <= call.now_ms) {
    call.server.keys.Erase(call.argv[1], call.now_ms);
  } else {
    entry->expires_ms = when_ms;
    call.Touch(call.argv[1]);
  }
  return Integer(int64_t{1});
}

constexpr int64_t kNoKey = -2;
constexpr int64_t kNoExpiry = -1;
constexpr int64_t kSecondMs = 1000;

}  // namespace

ServerReply Del(const ServerCall& call) {
  int64_t gone = 0;
  for (const std::string_view key : call.argv.subspan(1)) {
    if (call.server.keys.Erase(key, call.now_ms)) ++gone;
  }
  return Integer(gone);
}

ServerReply Exists(const ServerCall& call) {
  int64_t there = 0;
  for (const std::string_view key : call.argv.subspan(1)) {
    if (call.Find(key) != nullptr) ++there;
  }
  return Integer(there);
}

ServerReply Expire(const ServerCall& call) { return ExpireIn(call, "expire", kSecondMs); }
ServerReply PExpire(const ServerCall& call) { return ExpireIn(call, "pexpire", 1); }

ServerReply PTtl(const ServerCall& call) {
  const Entry* entry = call.Find(call.argv[1]);
  if (entry == nullptr) return Integer(kNoKey);
  if (entry->expires_ms == kNever) return Integer(kNoExpiry);
  return Integer(std::max<int64_t>(entry->expires_ms - call.now_ms, 0));
}

ServerReply Type(const ServerCall& call) {
  static constexpr std::array<std::string_view, 4> kNames{"string", "hash", "list", "zset"};
  const Entry* entry = call.Find(call.argv[1]);
  return Status(entry == nullptr ? "none" : kNames[entry->value.index()]);
}

ServerReply DbSize(const ServerCall& call) { return Integer(call.server.keys.size()); }

}  // namespace doublehold::sim
