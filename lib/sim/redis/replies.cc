#include "lib/sim/redis/replies.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace doublehold::sim {

std::string OneLine(std::string text) {
  for (char& c : text) {
    if (c == '\r' || c == '\n') c = ' ';
  }
  return text;
}

tl::unexpected<ServerError> WrongType() {
  return Error("WRONGTYPE Operation against a key holding the wrong kind of value");
}
tl::unexpected<ServerError> SyntaxError() { return Error("ERR syntax error"); }
tl::unexpected<ServerError> NoInteger() {
  return Error("ERR value is not an integer or out of range");
}
tl::unexpected<ServerError> WrongArity(std::string_view command) {
  return Error(fmt::format("ERR wrong number of arguments for '{}' command", command));
}
tl::unexpected<ServerError> BadExpiry(std::string_view command) {
  return Error(fmt::format("ERR invalid expire time in '{}' command", command));
}

std::optional<int64_t> ReadInteger(std::string_view text) {
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  if (digits.empty() || (digits[0] == '0' && text.size() > 1)) return std::nullopt;
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
  return value;
}

std::optional<double> ReadDouble(std::string_view text) {
  constexpr size_t kMostDigits = 255;
  if (text.empty() || text.size() > kMostDigits) return std::nullopt;
  if (std::string_view(" \t\n\v\f\r").find(text[0]) != std::string_view::npos) return std::nullopt;
  const std::string whole(text);
  char* end = nullptr;
  errno = 0;
  const double value = std::strtod(whole.c_str(), &end);
  if (end != whole.c_str() + whole.size() || std::isnan(value)) return std::nullopt;
  if (errno == ERANGE && (std::isinf(value) || value == 0)) return std::nullopt;
  return value;
}

std::string DoubleText(double value) {
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  constexpr double kWhole = 1e15;
  if (std::abs(value) < kWhole && value == std::trunc(value) &&
      !(value == 0 && std::signbit(value)))
    return fmt::format_int(static_cast<int64_t>(value)).str();
  return fmt::format("{:.17g}", value);
}

Range CutRange(int64_t first, int64_t last, size_t size) {
  const auto length = static_cast<int64_t>(size);
  if (first < 0) first = std::max<int64_t>(first + length, 0);
  if (last < 0) last += length;
  last = std::min(last, length - 1);
  if (first > last || first >= length) return {};
  return {.first = static_cast<size_t>(first), .end = static_cast<size_t>(last) + 1};
}

}  // namespace doublehold::sim
