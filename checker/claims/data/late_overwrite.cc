#include "checker/claims/data/late_overwrite.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "checker/claims/data/stock.h"
#include "checker/evidence/names.h"

namespace doublehold {

bool OneValueWasReadTwice(const History& history) {
  std::map<std::pair<uint16_t, int64_t>, int> started;  // by item and the value that was read
  for (const Event& event : history.events) {
    if (event.op == Op::kLost) return true;  // a write may be missing, so perhaps
    if (event.op != Op::kWrite || event.client <= kReferee) continue;
    int& from = started[{event.key, event.value[0]}];
    if (event.type == EventType::kInvoke) ++from;
    if (event.type == EventType::kFail) --from;
  }
  return std::ranges::any_of(started, [](const auto& writes) { return writes.second > 1; });
}

std::string TellRise(const Evidence& evidence) {
  if (WriteModeOf(evidence.facts()) != WriteMode::kReadThenSet) return {};
  struct Least {
    int64_t stock = 0;
    int64_t at_ns = 0;
  };
  std::vector<Least> least(evidence.facts().keys.size(), {evidence.facts().initial_stock, 0});
  // At the invocation of the read or write.
  std::map<std::tuple<SessionId, Op, uint16_t>, Least> before;
  for (const Event& event : evidence.history().events) {
    const bool uses = event.op == Op::kRead || event.op == Op::kWrite;
    if (event.key >= least.size() || !(uses || event.op == Op::kFinal)) continue;
    Least& now = least[event.key];
    const std::tuple which(SessionOf(event), event.op, event.key);
    if (event.type == EventType::kInvoke) before[which] = now;
    if (event.type != EventType::kOk) continue;
    const auto sent = before.find(which);
    if (!uses || sent != before.end()) {
      const Least& known = uses ? sent->second : now;
      if (event.value[0] > known.stock) {
        return fmt::format("the stock {} {} at {}, and had been {} at {}",
                           event.op == Op::kWrite ? "that a write had read was" : "was",
                           event.value[0], At(event.at_ns), known.stock, At(known.at_ns));
      }
    }
    const int64_t left = event.value[event.op == Op::kWrite ? 1 : 0];
    if (left < now.stock) now = {left, event.at_ns};
  }
  return {};
}

}  // namespace doublehold
