#include "checker/evidence/names.h"

#include <fmt/format.h>

namespace doublehold {

std::string At(int64_t at_ns) { return FormatSeconds(Duration(at_ns)); }

std::string During(const Span& span) {
  return fmt::format("{:.3f}-{:.3f} s", ToSeconds(Duration(span.from_ns)),
                     ToSeconds(Duration(span.to_ns)));
}

std::string OwnerName(const Disturbances& disturbances, const SessionId& session) {
  const std::string client = ProcessName(session.client);
  const bool alone = !disturbances.threaded.contains(session.client);
  return alone ? client : fmt::format("{}, thread {}", client, session.thread + 1);
}

std::string ProcessName(int32_t client) {
  if (client == kReferee) return "the referee";
  if (client == kSupervisor) return "the supervisor";
  if (IsServer(client)) return ServerName(ServerOf(client));
  return fmt::format("client {}", client);
}

std::string Counted(int64_t count, std::string_view singular) {
  return fmt::format("{} {}{}", count, singular, count == 1 ? "" : "s");
}

std::string TookEffect(int64_t started, int64_t planned) {
  if (started == 0) return "never took effect";
  if (started == 1 && planned == 1) return "took effect once";
  return fmt::format("took effect {} of {}", started, Counted(planned, "time"));
}

std::string ServerName(int32_t node) {
  return node == 0 ? "the store" : fmt::format("node {}", node);
}

}  // namespace doublehold
