#include "workloads/store.h"

#include <charconv>

namespace doublehold {

OptionSpec StoreTimeoutOption() {
  return {.name = "store-timeout",
          .kind = OptionSpec::Kind::kDuration,
          .fallback = "4 lease",
          .help = "time in which the store must answer"};
}

std::optional<int64_t> AsInteger(const Reply& reply) {
  if (reply.kind == Reply::Kind::kInteger) return reply.integer;
  if (reply.kind != Reply::Kind::kString) return std::nullopt;
  int64_t value = 0;
  const char* end = reply.text.data() + reply.text.size();
  const auto parsed = std::from_chars(reply.text.data(), end, value);
  if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
  return value;
}

std::optional<int64_t> Store::Get(std::string_view key) {
  const CallResult result = Call({"GET", key});
  return result ? AsInteger(*result) : std::nullopt;
}

}  // namespace doublehold
