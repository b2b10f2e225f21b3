#include <fmt/format.h>

#include "lib/sim/redis/commands.h"
#include "lib/sim/redis/replies.h"

namespace doublehold::sim {
namespace {

struct SetOptions {
  bool nx = false;
  bool xx = false;
  bool get = false;
  bool keep_ttl = false;
  std::string_view expiry;  // the number behind EX, PX, EXAT or PXAT
  bool in_seconds = false;
  bool absolute = false;
};

tl::expected<SetOptions, ServerError> ReadSetOptions(Argv words) {
  SetOptions options;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    const bool expires = options.expiry.data() != nullptr;
    if (IsOption(word, "NX") && !options.xx) {
      options.nx = true;
    } else if (IsOption(word, "PX") && !expires && !options.keep_ttl && i + 1 < words.size()) {
      options.expiry = words[++i];
    } else if (IsOption(word, "XX") && !options.nx) {
      options.xx = true;
    } else if (IsOption(word, "GET")) {
      options.get = true;
    } else if (IsOption(word, "KEEPTTL") && !expires) {
      options.keep_ttl = true;
    } else if ((IsOption(word, "EX") || IsOption(word, "EXAT") || IsOption(word, "PXAT")) &&
               !expires && !options.keep_ttl && i + 1 < words.size()) {
      options.in_seconds = (word[0] | 0x20) == 'e';
      options.absolute = word.size() == 4;
      options.expiry = words[++i];
    } else {
      return SyntaxError();
    }
  }
  return options;
}

tl::expected<int64_t, ServerError> ExpiryAt(std::string_view text, bool in_seconds, int64_t base_ms,
                                            std::string_view command) {
  const auto number = ReadInteger(text);
  if (!number) return NoInteger();
  int64_t ms = *number;
  if (ms <= 0) return BadExpiry(command);
  if (in_seconds && __builtin_mul_overflow(ms, int64_t{1000}, &ms)) return BadExpiry(command);
  if (__builtin_add_overflow(ms, base_ms, &ms)) return BadExpiry(command);
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

ServerReply SetExpiring(const ServerCall& call, std::string_view name, bool in_seconds) {
  const auto expires_ms = ExpiryAt(call.argv[2], in_seconds, call.now_ms, name);
  if (!expires_ms) return tl::unexpected(expires_ms.error());
  Put(call, call.Find(call.argv[1]), call.argv[1], call.argv[3], *expires_ms);
  return Ok();
}

}  // namespace

ServerReply Set(const ServerCall& call) {
  const auto options = ReadSetOptions(call.argv.subspan(3));
  if (!options) return tl::unexpected(options.error());
  int64_t expires_ms = kNever;
  if (options->expiry.data() != nullptr) {
    const auto read =
        ExpiryAt(options->expiry, options->in_seconds, options->absolute ? 0 : call.now_ms, "set");
    if (!read) return tl::unexpected(read.error());
    expires_ms = *read;
  }
  Entry* entry = call.Find(call.argv[1]);
  ServerReply before;
  if (options->get) {
    before = ValueOf(entry);
    if (!before) return before;
  }
  if ((options->nx && entry != nullptr) || (options->xx && entry == nullptr)) return before;
  if (options->keep_ttl && entry != nullptr) expires_ms = entry->expires_ms;
  Put(call, entry, call.argv[1], call.argv[2], expires_ms);
  if (options->get) return before;
  return Ok();
}

ServerReply SetNx(const ServerCall& call) {
  if (call.Find(call.argv[1]) != nullptr) return Integer(int64_t{0});
  Put(call, nullptr, call.argv[1], call.argv[2], kNever);
  return Integer(int64_t{1});
}

ServerReply SetEx(const ServerCall& call) { return SetExpiring(call, "setex", true); }
ServerReply PSetEx(const ServerCall& call) { return SetExpiring(call, "psetex", false); }

ServerReply Get(const ServerCall& call) { return ValueOf(call.Find(call.argv[1])); }

ServerReply GetSet(const ServerCall& call) {
  Entry* entry = call.Find(call.argv[1]);
  ServerReply before = ValueOf(entry);
  if (before) Put(call, entry, call.argv[1], call.argv[2], kNever);
  return before;
}

ServerReply GetDel(const ServerCall& call) {
  Entry* entry = call.Find(call.argv[1]);
  ServerReply before = ValueOf(entry);
  if (before && entry != nullptr) call.server.keys.Erase(call.argv[1], call.now_ms);
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

ServerReply IncrBy(const ServerCall& call) {
  const auto by = ReadInteger(call.argv[2]);
  if (!by) return NoInteger();
  return IncrementBy(call, *by);
}

ServerReply DecrBy(const ServerCall& call) {
  const auto by = ReadInteger(call.argv[2]);
  if (!by) return NoInteger();
  if (*by == INT64_MIN) return Error("ERR decrement would overflow");
  return IncrementBy(call, -*by);
}

ServerReply Append(const ServerCall& call) {
  Entry* entry = call.Find(call.argv[1]);
  if (entry == nullptr) {
    Put(call, nullptr, call.argv[1], call.argv[2], kNever);
    return Integer(call.argv[2].size());
  }
  std::string* text = StringIn(*entry);
  if (text == nullptr) return WrongType();
  text->append(call.argv[2]);
  call.Touch(call.argv[1]);
  return Integer(text->size());
}

ServerReply StrLen(const ServerCall& call) {
  Entry* entry = call.Find(call.argv[1]);
  if (entry == nullptr) return Integer(int64_t{0});
  const std::string* text = StringIn(*entry);
  if (text == nullptr) return WrongType();
  return Integer(text->size());
}

}  // namespace doublehold::sim
