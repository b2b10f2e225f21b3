#include <fmt/format.h>

#include <algorithm>

#include "lib/sim/redis/commands.h"
#include "lib/sim/redis/replies.h"

namespace doublehold::sim {
namespace {

// The value under a command's key: absent, a hash, or of another type.
struct FoundHash {
  Entry* entry = nullptr;
  Hash* hash = nullptr;

  [[nodiscard]] bool IsOther() const { return entry != nullptr && hash == nullptr; }
  [[nodiscard]] Field* Get(std::string_view name) const {
    if (hash == nullptr) return nullptr;
    const auto field = std::ranges::find(*hash, name, &Field::name);
    return field == hash->end() ? nullptr : &*field;
  }
};

FoundHash FindHash(const ServerCall& call) {
  Entry* entry = call.Find(call.argv[1]);
  return {entry, entry == nullptr ? nullptr : std::get_if<Hash>(&entry->value)};
}

Hash& OrNew(const ServerCall& call, const FoundHash& found) {
  if (found.hash != nullptr) return *found.hash;
  return std::get<Hash>(call.server.keys.Add(call.argv[1], Hash{}).value);
}

// Returns true when the field is new.
bool PutField(Hash& hash, std::string_view name, std::string_view value) {
  const auto field = std::ranges::find(hash, name, &Field::name);
  if (field != hash.end()) {
    field->value.assign(value);
    return false;
  }
  hash.push_back({std::string(name), std::string(value)});
  return true;
}

enum class Parts : uint8_t { kNames, kBoth };

ServerReply ListOf(const ServerCall& call, Parts parts) {
  const FoundHash found = FindHash(call);
  if (found.IsOther()) return WrongType();
  Reply reply = Array();
  if (found.hash == nullptr) return reply;
  for (const Field& field : *found.hash) {
    reply.items.push_back(Text(field.name));
    if (parts == Parts::kBoth) reply.items.push_back(Text(field.value));
  }
  return reply;
}

}  // namespace

ServerReply HDel(const ServerCall& call) {
  const FoundHash found = FindHash(call);
  if (found.IsOther()) return WrongType();
  if (found.hash == nullptr) return Integer(int64_t{0});
  size_t gone = 0;
  for (const std::string_view name : call.argv.subspan(2))
    gone += std::erase_if(*found.hash, [&](const Field& field) { return field.name == name; });
  if (found.hash->empty()) {
    call.server.keys.Erase(call.argv[1], call.now_ms);
  } else if (gone > 0) {
    call.Touch(call.argv[1]);
  }
  return Integer(gone);
}

ServerReply HExists(const ServerCall& call) {
  const FoundHash found = FindHash(call);
  if (found.IsOther()) return WrongType();
  return Integer(int64_t{found.Get(call.argv[2]) != nullptr});
}

ServerReply HGet(const ServerCall& call) {
  const FoundHash found = FindHash(call);
  if (found.IsOther()) return WrongType();
  const Field* field = found.Get(call.argv[2]);
  if (field == nullptr) return Nil();
  return Text(field->value);
}

ServerReply HGetAll(const ServerCall& call) { return ListOf(call, Parts::kBoth); }
ServerReply HKeys(const ServerCall& call) { return ListOf(call, Parts::kNames); }

ServerReply HLen(const ServerCall& call) {
  const FoundHash found = FindHash(call);
  if (found.IsOther()) return WrongType();
  return Integer(found.hash == nullptr ? size_t{0} : found.hash->size());
}

ServerReply HSet(const ServerCall& call) {
  if (call.argv.size() % 2 == 1) return WrongArity("hset");
  const FoundHash found = FindHash(call);
  if (found.IsOther()) return WrongType();
  Hash& hash = OrNew(call, found);
  int64_t added = 0;
  for (size_t i = 2; i < call.argv.size(); i += 2) {
    if (PutField(hash, call.argv[i], call.argv[i + 1])) ++added;
  }
  call.Touch(call.argv[1]);
  return Integer(added);
}

ServerReply HIncrBy(const ServerCall& call) {
  const auto by = ReadInteger(call.argv[3]);
  if (!by) return NoInteger();
  const FoundHash found = FindHash(call);
  if (found.IsOther()) return WrongType();
  int64_t value = 0;
  if (const Field* field = found.Get(call.argv[2])) {
    const auto number = ReadInteger(field->value);
    if (!number) return Error("ERR hash value is not an integer");
    value = *number;
  }
  if (__builtin_add_overflow(value, *by, &value))
    return Error("ERR increment or decrement would overflow");
  PutField(OrNew(call, found), call.argv[2], fmt::format_int(value).str());
  call.Touch(call.argv[1]);
  return Integer(value);
}

}  // namespace doublehold::sim
