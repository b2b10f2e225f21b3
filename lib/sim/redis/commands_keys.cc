#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lib/sim/redis/commands.h"
#include "lib/sim/redis/replies.h"

namespace doublehold::sim {
namespace {

struct ExpiryOptions {
  bool nx = false;
  bool xx = false;
  bool gt = false;
  bool lt = false;
};

tl::expected<ExpiryOptions, ServerError> ReadExpiryOptions(Argv words) {
  ExpiryOptions options;
  for (const std::string_view word : words) {
    if (IsOption(word, "NX")) {
      options.nx = true;
    } else if (IsOption(word, "XX")) {
      options.xx = true;
    } else if (IsOption(word, "GT")) {
      options.gt = true;
    } else if (IsOption(word, "LT")) {
      options.lt = true;
    } else {
      return Error(fmt::format("ERR Unsupported option {}", word));
    }
  }
  if (options.nx && (options.xx || options.gt || options.lt))
    return Error("ERR NX and XX, GT or LT options at the same time are not compatible");
  if (options.gt && options.lt)
    return Error("ERR GT and LT options at the same time are not compatible");
  return options;
}

bool Allows(const ExpiryOptions& options, int64_t now_set_ms, int64_t wanted_ms) {
  const bool expires = now_set_ms != kNever;
  if (options.nx && expires) return false;
  if (options.xx && !expires) return false;
  if (options.gt && (!expires || wanted_ms <= now_set_ms)) return false;
  return !options.lt || !expires || wanted_ms < now_set_ms;
}

// Sets the expiry to base_ms + the command's number * unit_ms.
ServerReply ExpireBy(const ServerCall& call, std::string_view name, int64_t base_ms,
                     int64_t unit_ms) {
  const auto options = ReadExpiryOptions(call.argv.subspan(3));
  if (!options) return tl::unexpected(options.error());
  const auto number = ReadInteger(call.argv[2]);
  if (!number) return NoInteger();
  int64_t when_ms = 0;
  if (__builtin_mul_overflow(*number, unit_ms, &when_ms) || when_ms > INT64_MAX - base_ms)
    return BadExpiry(name);
  when_ms += base_ms;
  Entry* entry = call.Find(call.argv[1]);
  if (entry == nullptr || !Allows(*options, entry->expires_ms, when_ms)) return Integer(int64_t{0});
  // A key that expires right now is deleted at once. Find would still return it: a key is alive up
  // to and including its expiry instant.
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
constexpr int64_t kHalfSecondMs = 500;

// Returns the expiry in milliseconds after `base_ms`, or kNoKey or kNoExpiry.
int64_t ExpiryOf(const ServerCall& call, int64_t base_ms) {
  const Entry* entry = call.Find(call.argv[1]);
  if (entry == nullptr) return kNoKey;
  if (entry->expires_ms == kNever) return kNoExpiry;
  return std::max<int64_t>(entry->expires_ms - base_ms, 0);
}

ServerReply InSeconds(int64_t ms) {
  return Integer(ms < 0 ? ms : (ms + kHalfSecondMs) / kSecondMs);
}

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

ServerReply Expire(const ServerCall& call) {
  return ExpireBy(call, "expire", call.now_ms, kSecondMs);
}
ServerReply ExpireAt(const ServerCall& call) { return ExpireBy(call, "expireat", 0, kSecondMs); }
ServerReply PExpire(const ServerCall& call) { return ExpireBy(call, "pexpire", call.now_ms, 1); }
ServerReply PExpireAt(const ServerCall& call) { return ExpireBy(call, "pexpireat", 0, 1); }

ServerReply ExpireTime(const ServerCall& call) { return InSeconds(ExpiryOf(call, 0)); }
ServerReply PExpireTime(const ServerCall& call) { return Integer(ExpiryOf(call, 0)); }
ServerReply Ttl(const ServerCall& call) { return InSeconds(ExpiryOf(call, call.now_ms)); }
ServerReply PTtl(const ServerCall& call) { return Integer(ExpiryOf(call, call.now_ms)); }

ServerReply Persist(const ServerCall& call) {
  Entry* entry = call.Find(call.argv[1]);
  if (entry == nullptr || entry->expires_ms == kNever) return Integer(int64_t{0});
  entry->expires_ms = kNever;
  call.Touch(call.argv[1]);
  return Integer(int64_t{1});
}

ServerReply Type(const ServerCall& call) {
  static constexpr std::array<std::string_view, 4> kNames{"string", "hash", "list", "zset"};
  const Entry* entry = call.Find(call.argv[1]);
  return Status(entry == nullptr ? "none" : kNames[entry->value.index()]);
}

ServerReply DbSize(const ServerCall& call) { return Integer(call.server.keys.size()); }

ServerReply FlushAll(const ServerCall& call) {
  if (call.argv.size() > 2) return SyntaxError();
  if (call.argv.size() == 2 && !IsOption(call.argv[1], "ASYNC") && !IsOption(call.argv[1], "SYNC"))
    return SyntaxError();
  call.server.keys.Clear();
  return Ok();
}

}  // namespace doublehold::sim
