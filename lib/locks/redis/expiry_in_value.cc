#include "lib/locks/redis/expiry_in_value.h"

#include <array>
#include <charconv>
#include <string>

namespace doublehold {

ValueInstant InstantAfter(Env& env, Lease lease) {
  const MonoTime mono = env.Mono();
  const WallTime wall = env.Wall();
  const WallTime over = std::chrono::floor<std::chrono::milliseconds>(wall + lease);
  return {.wall_ms = ToMs(over), .mono = mono + (over - wall)};
}

std::optional<int64_t> InstantIn(const Reply& value) {
  int64_t instant_ms = 0;
  const char* end = value.text.data() + value.text.size();
  const auto parsed = std::from_chars(value.text.data(), end, instant_ms);
  if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
  return instant_ms;
}

ExtendResult ExtendInstant(Env& env, Connection& node, const Grant& grant, Lease lease,
                           Deadline deadline) {
  const ValueInstant over = InstantAfter(env, lease);
  const std::string instant_ms = std::to_string(over.wall_ms);
  const std::array<std::string_view, 4> set{"SET", grant.key.name, instant_ms, "XX"};
  const CallResult result = node.Call(set, deadline);
  if (!result) return Undecided{};
  if (result->IsNil()) return Lost{};
  return Extended{over.mono};
}

}  // namespace doublehold
