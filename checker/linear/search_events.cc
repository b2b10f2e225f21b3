#include "checker/linear/search_events.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace doublehold {

ProcessOrder FindProcessOrder(std::span<const Operation> operations) {
  std::vector<uint32_t> order(operations.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](uint32_t number) {
    const Operation& one = operations[number];
    return std::tuple(one.process, one.invoked, one.indeterminate ? one.invoked : one.returned);
  });
  ProcessOrder found{.before = std::vector<uint32_t>(operations.size(), kNoCall),
                     .is_lone_unknown = std::vector<bool>(operations.size())};
  uint32_t last = kNoCall;
  size_t unanswered = 0;
  bool is_last = true;  // of its process
  for (size_t i = 0; i < order.size(); ++i) {
    const Operation& one = operations[order[i]];
    if (is_last) {
      last = kNoCall;
      unanswered = 0;
    }
    if (last != kNoCall && operations[last].returned == one.invoked) found.before[order[i]] = last;
    if (!one.indeterminate) last = order[i];
    if (one.indeterminate) ++unanswered;
    is_last = i + 1 == order.size() || operations[order[i + 1]].process != one.process;
    found.is_lone_unknown[order[i]] = is_last && one.indeterminate && unanswered == 1;
  }
  return found;
}

SearchEvents AssignSlots(std::span<const Operation> operations) {
  struct At {
    int64_t time = 0;
    bool returns = false;
    uint32_t operation = 0;
    auto operator<=>(const At&) const = default;  // NOLINT(modernize-use-nullptr): no null
  };
  std::vector<At> order;
  for (size_t i = 0; i < operations.size(); ++i) {
    const auto number = static_cast<uint32_t>(i);
    order.push_back({operations[i].invoked, false, number});
    if (!operations[i].indeterminate) order.push_back({operations[i].returned, true, number});
  }
  std::ranges::sort(order);
  SearchEvents events;
  std::vector<uint32_t>& slot_of = events.slot_of;
  slot_of.resize(operations.size());
  std::vector<uint32_t> free;
  for (const At& at : order) {
    if (at.returns) {
      free.push_back(slot_of[at.operation]);
    } else if (free.empty()) {
      slot_of[at.operation] = static_cast<uint32_t>(events.slots++);
    } else {
      slot_of[at.operation] = free.back();
      free.pop_back();
    }
    events.all.push_back({at.operation, slot_of[at.operation], at.returns});
  }
  return events;
}

}  // namespace doublehold
