#include "checker/lost_updates.h"

#include <utility>
#include <vector>

#include "checker/claims/data/stock.h"

namespace doublehold {

LostUpdates CountLostUpdates(const History& history, const Trials& trials) {
  LostUpdates updates;
  std::vector<TrialShare> shares(trials.each.size());
  int64_t with_time = 0;
  for (const ItemCount& item : CountItems(history)) {
    updates.count += item.Lost();
    with_time += std::ssize(item.same_read_ns);
    for (const int64_t at_ns : item.same_read_ns) ++shares[TrialAt(trials, at_ns)].count;
    if (item.refused_writes)
      updates.refused_writes = updates.refused_writes.value_or(0) + *item.refused_writes;
  }
  for (const Event& event : history.events) {
    if (event.op != Op::kWrite || event.type != EventType::kOk || event.client <= kReferee)
      continue;
    ++updates.of;
    ++shares[TrialAt(trials, event.at_ns)].of;
  }
  if (with_time == updates.count && WriteModeOf(history.facts) == WriteMode::kReadThenSet)
    updates.trials = std::move(shares);
  return updates;
}

}  // namespace doublehold
