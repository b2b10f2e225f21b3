#include "checker/claims/data/retried_sale.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "checker/evidence/names.h"
#include "checker/evidence/stall_attribution.h"

namespace doublehold {
namespace {

// One write of a sale. `came_to` is kInvoke until the write is answered.
struct Try {
  SessionId session;
  int64_t read = 0;
  Span when;
  EventType came_to = EventType::kInvoke;
};

// The writes of one item.
class Tries {
 public:
  explicit Tries(WriteMode mode) : one_from_each_(mode == WriteMode::kReadThenSet) {}

  void Take(const Event& event) {
    const SessionId session = SessionOf(event);
    const Try now{session, event.value[0], {event.at_ns, event.at_ns}, event.type};
    const auto open = open_.find(session);
    if (event.type == EventType::kInvoke || open == open_.end()) {
      std::vector<Try>& sale = sales_[event.hold];
      if (event.type == EventType::kInvoke) open_[session] = {event.hold, sale.size()};
      sale.push_back(now);
    } else {
      const auto [hold, place] = open->second;
      Try& begun = sales_[hold][place];
      begun.when.to_ns = event.at_ns;
      begun.came_to = event.type;
      open_.erase(open);
    }
    if (event.type == EventType::kOk) sold_from_.insert(event.value[0]);
  }

  // Unanswered writes that may have taken effect although a later write of the same sale may have,
  // too. Sorted by time.
  [[nodiscard]] std::vector<Try> Suspects() const {
    std::vector<Try> suspects;
    for (const auto& [hold, sale] : sales_) {
      if (hold == 0) continue;  // without a hold, each write is a sale of its own
      bool later = false;
      for (size_t place = sale.size(); place-- > 0;) {
        const Try& one = sale[place];
        if (!MayBeDone(one)) continue;
        if (later && one.came_to == EventType::kInfo) suspects.push_back(one);
        later = true;
      }
    }
    std::ranges::stable_sort(suspects, {}, [](const Try& one) { return one.when.from_ns; });
    return suspects;
  }

  // An id shared by the writes of which at most one took effect; for a write without such, `next`.
  [[nodiscard]] int64_t OneOfThem(const Try& one, size_t next) const {
    return one_from_each_ ? one.read : static_cast<int64_t>(next);
  }

 private:
  [[nodiscard]] bool MayBeDone(const Try& one) const {
    if (one.came_to == EventType::kOk || one.came_to == EventType::kFail)
      return one.came_to == EventType::kOk;
    return !one_from_each_ || !sold_from_.contains(one.read);
  }

  bool one_from_each_;
  std::map<uint64_t, std::vector<Try>> sales_;  // by hold
  std::set<int64_t> sold_from_;                 // by confirmed writes
  std::map<SessionId, std::pair<uint64_t, size_t>> open_;
};

// Empty: the machine does not explain every retried write.
std::string ByMachine(const Disturbances& disturbances, const Tries& tries) {
  std::map<int64_t, bool> by_machine;
  std::string first;
  for (const Try& one : tries.Suspects()) {
    const bool stood = StalledForMostOf(disturbances, one.session.client, one.when);
    const Stall* stall = stood ? LongestStall(disturbances, one.session.client, one.when) : nullptr;
    bool& its = by_machine[tries.OneOfThem(one, by_machine.size())];
    its = its || stall != nullptr;
    if (stall == nullptr || !first.empty()) continue;
    first = fmt::format("that of {} at {} stood in a stall of the machine ({}, {})",
                        OwnerName(disturbances, one.session), At(one.when.from_ns),
                        ProcessName(stall->client), During(stall->when));
  }
  const bool all = std::ranges::all_of(by_machine, [](const auto& of) { return of.second; });
  return all ? first : "";
}

}  // namespace

std::vector<std::string> TakenTwiceByMachine(const Evidence& evidence,
                                             const std::vector<ItemCount>& items) {
  std::vector<std::string> why(items.size());
  if (evidence.disturbances().stalls.empty()) return why;
  std::map<uint16_t, Tries> of_items;
  for (const Event& event : evidence.history().events) {
    if (event.op != Op::kWrite || event.client <= kReferee) continue;
    if (event.key >= items.size() || items[event.key].Twice() == 0) continue;
    of_items.try_emplace(event.key, WriteModeOf(evidence.facts())).first->second.Take(event);
  }
  for (const auto& [item, tries] : of_items) why[item] = ByMachine(evidence.disturbances(), tries);
  return why;
}

}  // namespace doublehold
