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

bool WasOneValueReadTwice(const History& history) {
  std::map<std::pair<uint16_t, int64_t>, int> started;  // by item and value read
  for (const Event& event : history.events) {
    if (event.op == Op::kLost) return true;  // a lost write may have read the same value
    if (event.op != Op::kWrite || event.client <= kReferee) continue;
    int& from = started[{event.key, event.value[0]}];
    if (event.type == EventType::kInvoke) ++from;
    if (event.type == EventType::kFail) --from;
  }
  return std::ranges::any_of(started, [](const auto& writes) { return writes.second > 1; });
}

std::string DescribeRise(const Evidence& evidence) {
  if (WriteModeOf(evidence.facts()) != WriteMode::kReadThenSet) return {};
  struct LowestStock {
    int64_t stock = 0;
    int64_t at_ns = 0;
  };
  // By item.
  std::vector<LowestStock> lowest(evidence.facts().keys.size(),
                                  {evidence.facts().initial_stock, 0});
  // The lowest stock known at the invocation of a pending read or write.
  std::map<std::tuple<SessionId, Op, uint16_t>, LowestStock> at_invocation;
  for (const Event& event : evidence.history().events) {
    const bool uses = event.op == Op::kRead || event.op == Op::kWrite;
    if (event.key >= lowest.size() || !(uses || event.op == Op::kFinal)) continue;
    LowestStock& now = lowest[event.key];
    const std::tuple which(SessionOf(event), event.op, event.key);
    if (event.type == EventType::kInvoke) at_invocation[which] = now;
    if (event.type != EventType::kOk) continue;
    const auto sent = at_invocation.find(which);
    if (!uses || sent != at_invocation.end()) {
      const LowestStock& known = uses ? sent->second : now;
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
