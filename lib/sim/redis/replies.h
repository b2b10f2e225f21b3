// Replies, error texts and number formats of Redis 7.0.
#ifndef DOUBLEHOLD_LIB_SIM_REDIS_REPLIES_H_
#define DOUBLEHOLD_LIB_SIM_REDIS_REPLIES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lib/sim/redis/server.h"

namespace doublehold::sim {

inline ServerReply Nil() { return Reply{}; }
inline ServerReply Integer(int64_t value) {
  return Reply{.kind = Reply::Kind::kInteger, .integer = value};
}
inline ServerReply Integer(size_t value) { return Integer(static_cast<int64_t>(value)); }
inline ServerReply Status(std::string_view text) {
  return Reply{.kind = Reply::Kind::kStatus, .text = std::string(text)};
}
inline ServerReply Ok() { return Status("OK"); }
inline Reply Text(std::string_view text) {
  return Reply{.kind = Reply::Kind::kString, .text = std::string(text)};
}
inline Reply Array() { return Reply{.kind = Reply::Kind::kArray}; }

// Replaces line breaks by blanks, because a line of the protocol must not contain line breaks.
std::string OneLine(std::string text);
inline tl::unexpected<ServerError> Error(std::string text) {
  return tl::unexpected(ServerError{.text = OneLine(std::move(text))});
}
tl::unexpected<ServerError> WrongType();
tl::unexpected<ServerError> SyntaxError();
tl::unexpected<ServerError> NoInteger();
tl::unexpected<ServerError> WrongArity(std::string_view command);  // `command` is lower case
tl::unexpected<ServerError> BadExpiry(std::string_view command);

// Compares, ignoring case. `name` must be upper case.
inline bool IsOption(std::string_view word, std::string_view name) {
  if (word.size() != name.size()) return false;
  for (size_t i = 0; i < word.size(); ++i) {
    const char c = word[i];
    if ((c >= 'a' && c <= 'z' ? c - 32 : c) != name[i]) return false;
  }
  return true;
}

// These parse as strictly as Redis: no blanks, no +, no -0, no leading zeros.
std::optional<int64_t> ReadInteger(std::string_view text);
std::optional<double> ReadDouble(std::string_view text);
// Formats with the fewest digits that parse to the same number: 3, 0.10000000000000001, inf.
std::string DoubleText(double value);

// A range of indices. In Redis, a negative index counts from the end. The range is clamped to [0,
// size). It is empty when `first` is greater than `last`.
struct Range {
  size_t first = 0;
  size_t end = 0;
};
Range CutRange(int64_t first, int64_t last, size_t size);

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_REDIS_REPLIES_H_
