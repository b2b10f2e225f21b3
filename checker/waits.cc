#include "checker/waits.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "checker/story.h"

namespace doublehold {

std::string LongestWaitClause(const History& history, const Scene& scene) {
  SessionId who;
  int64_t longest_ns = -1;
  std::map<std::pair<SessionId, uint16_t>, int64_t> since_ns;
  for (const Event& event : history.events) {
    if (event.op != Op::kWait || event.task != TaskKind::kSession) continue;
    const std::pair waiting{SessionOf(event), event.key};
    if (event.type == EventType::kInvoke) since_ns[waiting] = event.at_ns;
    const auto since = since_ns.find(waiting);
    if (event.type != EventType::kOk || since == since_ns.end()) continue;
    const int64_t length_ns = event.at_ns - since->second;
    if (length_ns <= longest_ns) continue;
    longest_ns = length_ns;
    who = SessionOf(event);
  }
  if (longest_ns < 0) return "";
  return fmt::format("; the longest wait was {} of {}",
                     FormatDuration(Duration(longest_ns / 1000 * 1000)), OwnerName(scene, who));
}

}  // namespace doublehold
