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

// One write of a sale. `outcome` is kInvoke until the write is answered.
struct SaleWrite {
  SessionId session;
  int64_t read = 0;
  Span when;
  EventType outcome = EventType::kInvoke;
};

// The writes of one item.
class ItemWrites {
 public:
  explicit ItemWrites(WriteMode mode) : one_write_per_value_(mode == WriteMode::kReadThenSet) {}

  void AddWrite(const Event& event) {
    const SessionId session = SessionOf(event);
    const SaleWrite now{session, event.value[0], {event.at_ns, event.at_ns}, event.type};
    const auto open = open_.find(session);
    if (event.type == EventType::kInvoke || open == open_.end()) {
      std::vector<SaleWrite>& sale = sales_[event.hold];
      if (event.type == EventType::kInvoke) open_[session] = {event.hold, sale.size()};
      sale.push_back(now);
    } else {
      const auto [hold, place] = open->second;
      SaleWrite& begun = sales_[hold][place];
      begun.when.to_ns = event.at_ns;
      begun.outcome = event.type;
      open_.erase(open);
    }
    if (event.type == EventType::kOk) sold_from_.insert(event.value[0]);
  }

  // Returns the writes of unknown outcome that may have taken effect and were retried, sorted by
  // time. A write counts as retried if a later write of the same sale may have taken effect, too.
  [[nodiscard]] std::vector<SaleWrite> FindSuspects() const {
    std::vector<SaleWrite> suspects;
    for (const auto& [hold, sale] : sales_) {
      if (hold == 0) continue;  // without a hold, each write is a sale of its own
      bool later = false;
      for (size_t place = sale.size(); place-- > 0;) {
        const SaleWrite& write = sale[place];
        if (!MayHaveTakenEffect(write)) continue;
        if (later && write.outcome == EventType::kInfo) suspects.push_back(write);
        later = true;
      }
    }
    std::ranges::stable_sort(suspects, {},
                             [](const SaleWrite& write) { return write.when.from_ns; });
    return suspects;
  }

  // Returns the id of a group of writes of which at most one took effect. `next` is the id to use
  // if the write is alone in its group.
  [[nodiscard]] int64_t ExclusiveId(const SaleWrite& write, size_t next) const {
    return one_write_per_value_ ? write.read : static_cast<int64_t>(next);
  }

 private:
  [[nodiscard]] bool MayHaveTakenEffect(const SaleWrite& write) const {
    if (write.outcome == EventType::kOk || write.outcome == EventType::kFail)
      return write.outcome == EventType::kOk;
    return !one_write_per_value_ || !sold_from_.contains(write.read);
  }

  bool one_write_per_value_;
  std::map<uint64_t, std::vector<SaleWrite>> sales_;  // by hold
  std::set<int64_t> sold_from_;                       // values read by confirmed writes
  // By session: the hold and the index of its pending write.
  std::map<SessionId, std::pair<uint64_t, size_t>> open_;
};

// Names the first retried write that waited in a stall, and names this stall. Returns "" unless
// stalls explain every retried write.
std::string ExplainByStalls(const Disturbances& disturbances, const ItemWrites& tries) {
  std::map<int64_t, bool> by_stall;
  std::string first;
  for (const SaleWrite& write : tries.FindSuspects()) {
    const bool stood = StalledForMostOf(disturbances, write.session.client, write.when);
    const Stall* stall =
        stood ? LongestStall(disturbances, write.session.client, write.when) : nullptr;
    bool& its = by_stall[tries.ExclusiveId(write, by_stall.size())];
    its = its || stall != nullptr;
    if (stall == nullptr || !first.empty()) continue;
    first = fmt::format("that of {} at {} stood in a stall of the machine ({}, {})",
                        OwnerName(disturbances, write.session), At(write.when.from_ns),
                        ProcessName(stall->client), During(stall->when));
  }
  const bool all = std::ranges::all_of(by_stall, [](const auto& of) { return of.second; });
  return all ? first : "";
}

}  // namespace

std::vector<std::string> ExplainRetriesByStalls(const Evidence& evidence,
                                                const std::vector<ItemCount>& items) {
  std::vector<std::string> why(items.size());
  if (evidence.disturbances().stalls.empty()) return why;
  std::map<uint16_t, ItemWrites> of_items;
  for (const Event& event : evidence.history().events) {
    if (event.op != Op::kWrite || event.client <= kReferee) continue;
    if (event.key >= items.size() || items[event.key].Twice() == 0) continue;
    of_items.try_emplace(event.key, WriteModeOf(evidence.facts())).first->second.AddWrite(event);
  }
  for (const auto& [item, tries] : of_items)
    why[item] = ExplainByStalls(evidence.disturbances(), tries);
  return why;
}

}  // namespace doublehold
