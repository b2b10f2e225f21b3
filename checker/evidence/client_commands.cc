#include "checker/evidence/client_commands.h"

#include <algorithm>

namespace doublehold {

ClientCommands::ClientCommands(const History& history) {
  for (const Event& event : history.events) {
    if (event.op != Op::kTraffic || event.type == EventType::kOk) continue;
    if (event.type == EventType::kFail)
      recorded_until_ns_ = std::min(recorded_until_ns_, event.at_ns);
    else
      by_client_[static_cast<int32_t>(event.value[0])].push_back({event.at_ns, event.value[1]});
  }
}

const std::vector<ClientCommand>& ClientCommands::Of(int32_t client) const {
  static const std::vector<ClientCommand> kNone;
  const auto its = by_client_.find(client);
  return its == by_client_.end() ? kNone : its->second;
}

int64_t ClientCommands::Count(int32_t client, const Span& when) const {
  if (when.to_ns <= when.from_ns) return 0;
  const std::vector<ClientCommand>& sent = Of(client);
  return std::ranges::upper_bound(sent, when.to_ns, {}, &ClientCommand::at_ns) -
         std::ranges::upper_bound(sent, when.from_ns, {}, &ClientCommand::at_ns);
}

}  // namespace doublehold
