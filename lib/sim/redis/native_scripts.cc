#include "lib/sim/redis/native_scripts.h"

#include <array>

#include "lib/sim/redis/commands.h"
#include "lib/sim/redis/replies.h"

namespace doublehold::sim {
namespace {

// Whether a key's value is `text`. Returns nothing when the value is not a string, because the
// script would fail.
std::optional<bool> Holds(const ServerCall& call, std::string_view key, std::string_view text) {
  const Entry* entry = call.Find(key);
  if (entry == nullptr) return false;
  const std::string* value = std::get_if<std::string>(&entry->value);
  if (value == nullptr) return std::nullopt;
  return *value == text;
}

std::optional<ServerReply> DeleteIfOwner(const ServerCall& call, Argv keys, Argv args) {
  if (keys.empty() || args.empty()) return std::nullopt;
  const std::optional<bool> is_owner = Holds(call, keys[0], args[0]);
  if (!is_owner) return std::nullopt;
  if (!*is_owner) return Integer(int64_t{0});
  call.server.keys.Erase(keys[0], call.now_ms);
  return Integer(int64_t{1});
}

std::optional<ServerReply> ExtendIfOwner(const ServerCall& call, Argv keys, Argv args) {
  if (keys.empty() || args.size() < 2) return std::nullopt;
  const std::optional<bool> is_owner = Holds(call, keys[0], args[0]);
  if (!is_owner) return std::nullopt;
  if (!*is_owner) return Integer(int64_t{0});
  const std::array<std::string_view, 3> words{"pexpire", keys[0], args[1]};
  ServerReply reply = PExpire({.server = call.server, .now_ms = call.now_ms, .argv = words});
  if (!reply) return std::nullopt;  // PExpire failed and changed nothing
  return reply;
}

constexpr std::array kNativeScripts{
    NativeScriptEntry{
        "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) "
        "else return 0 end",
        DeleteIfOwner},
    NativeScriptEntry{"if redis.call('get', KEYS[1]) == ARGV[1] then "
                      "return redis.call('pexpire', KEYS[1], ARGV[2]) else return 0 end",
                      ExtendIfOwner},
};

}  // namespace

std::span<const NativeScriptEntry> NativeScripts() { return kNativeScripts; }

void UseNativeScripts(ScriptEngine& engine) {
  for (const NativeScriptEntry& entry : kNativeScripts)
    engine.UseNativeScript(Script(entry.text), entry.native);
}

}  // namespace doublehold::sim
