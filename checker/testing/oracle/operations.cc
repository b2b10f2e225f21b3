#include "checker/testing/oracle/operations.h"

#include <algorithm>

namespace doublehold::brute {

std::vector<Deed> DeedsOf(const History& history, std::vector<Op> ops) {
  std::vector<Deed> deeds;
  for (const Event& event : history.events) {
    const bool wanted = std::ranges::find(ops, event.op) != ops.end();
    if (!wanted || event.client <= kReferee) continue;
    const auto mine = [&](const Deed& deed) { return deed.session == SessionOf(event); };
    if (event.type == EventType::kInvoke) {
      const auto before = std::find_if(deeds.rbegin(), deeds.rend(), mine);
      deeds.push_back({.op = event.op,
                       .session = SessionOf(event),
                       .hold = event.hold,
                       .from = event.at_ns,
                       .asked = event.value,
                       .before = static_cast<int>(deeds.rend() - before) - 1});
      continue;
    }
    const auto open = std::find_if(deeds.rbegin(), deeds.rend(), [&](const Deed& deed) {
      return mine(deed) && deed.op == event.op && deed.to == kEver;
    });
    if (open == deeds.rend()) continue;
    open->to = event.at_ns;
    open->outcome = event.type;
    open->answer = event.value;
    if (event.hold != 0) open->hold = event.hold;
  }
  return deeds;
}

}  // namespace doublehold::brute
