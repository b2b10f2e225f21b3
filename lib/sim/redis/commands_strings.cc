#include <fmt/format.h>

#include "lib/sim/redis/commands.h"
#include "lib/sim/redis/replies.h"

namespace doublehold::sim {
namespace {

struct SetOptions {
  bool nx = false;
  bool xx = false;
  std::string_view lives_ms;  // the number behind PX
};

// Supports NX, XX and PX; any other option is an error.
tl::expected<SetOptions, ServerError> ReadSetOptions(Argv words) {
  SetOptions options;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (IsOption(word, "NX") && !options.xx) {
      options.nx = true;
    } else if (IsOption(word, "XX") && !options.nx) {
      options.xx = true;
    } else if (IsOption(word, "PX") && options.lives_ms.data() == nullptr && i + 1 < words.size()) {
      options.lives_ms = words[++i];
    } else {
      return SyntaxError();
    }
  }
  return options;
}

tl::expected<int64_t, ServerError> ExpiryAfter(std::string_view lives_ms, int64_t now_ms) {
  const auto number = ReadInteger(lives_ms);
  if (!number) return NoInteger();
  int64_t ms = *number;
  if (ms <= 0 || __builtin_add_overflow(ms, now_ms, &ms)) return BadExpiry("set");
  return ms;
}

std::string* StringIn(Entry& entry) { return std::get_if<std::string>(&entry.value); }

// Overwrites a value of any type.
void Put(const ServerCall& call, Entry* entry, std::string_view key, std::string_view value,
         int64_t expires_ms) {
  if (entry == nullptr) {
    call.server.keys.Add(key, std::string(value)).expires_ms = expires_ms;
  } else {
    if (std::string* text = StringIn(*entry)) {
      text->assign(value);
    } else {
      entry->value = std::string(value);
    }
    entry->expires_ms = expires_ms;
  }
  call.Touch(key);
}

ServerReply ValueOf(Entry* entry) {
  if (entry == nullptr) return Nil();
  const std::string* text = StringIn(*entry);
  if (text == nullptr) return WrongType();
  return Text(*text);
}

ServerReply IncrementBy(const ServerCall& call, int64_t by) {
  Entry* entry = call.Find(call.argv[1]);
  int64_t value = 0;
  if (entry != nullptr) {
    const std::string* text = StringIn(*entry);
    if (text == nullptr) return WrongType();
    const auto number = ReadInteger(*text);
    if (!number) return NoInteger();
    value = *number;
  }
  if (__builtin_add_overflow(value, by, &value))
    return Error("ERR increment or decrement would overflow");
  Put(call, entry, call.argv[1], fmt::format_int(value).str(),
      entry == nullptr ? kNever : entry->expires_ms);
  return Integer(value);
}

}  // namespace

ServerReply Set(const ServerCall& call) {
  const auto options = ReadSetOptions(call.argv.subspan(3));
  if (!options) return tl::unexpected(options.error());
  int64_t expires_ms = kNever;
  if (options->lives_ms.data() != nullptr) {
    const auto read = ExpiryAfter(options->lives_ms, call.now_ms);
    if (!read) return tl::unexpected(read.error());
    expires_ms = *read;
  }
  Entry* entry = call.Find(call.argv[1]);
  if ((options->nx && entry != nullptr) || (options->xx && entry == nullptr)) return Nil();
  Put(call, entry, call.argv[1], call.argv[2], expires_ms);
  return Ok();
}

ServerReply SetNx(const ServerCall& call) {
  if (call.Find(call.argv[1]) != nullptr) return Integer(int64_t{0});
  Put(call, nullptr, call.argv[1], call.argv[2], kNever);
  return Integer(int64_t{1});
}

ServerReply Get(const ServerCall& call) { return ValueOf(call.Find(call.argv[1])); }

ServerReply GetSet(const ServerCall& call) {
  Entry* entry = call.Find(call.argv[1]);
  ServerReply before = ValueOf(entry);
  if (before) Put(call, entry, call.argv[1], call.argv[2], kNever);
  return before;
}

ServerReply MGet(const ServerCall& call) {
  Reply reply = Array();
  for (const std::string_view key : call.argv.subspan(1)) {
    const ServerReply value = ValueOf(call.Find(key));
    reply.items.push_back(value ? *value : Reply{});  // a value of another type counts as missing
  }
  return reply;
}

ServerReply MSet(const ServerCall& call) {
  if (call.argv.size() % 2 == 0) return WrongArity("mset");
  for (size_t i = 1; i < call.argv.size(); i += 2)
    Put(call, call.Find(call.argv[i]), call.argv[i], call.argv[i + 1], kNever);
  return Ok();
}

ServerReply Incr(const ServerCall& call) { return IncrementBy(call, 1); }
ServerReply Decr(const ServerCall& call) { return IncrementBy(call, -1); }

}  // namespace doublehold::sim
