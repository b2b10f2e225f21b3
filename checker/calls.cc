#include "checker/calls.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace doublehold {
namespace {

bool IsCall(Op op) {
  return op == Op::kAcquire || op == Op::kRelease || op == Op::kRead || op == Op::kWrite ||
         op == Op::kWait || op == Op::kSave || op == Op::kLook;
}

class Extraction {
 public:
  void Take(const Event& event) {
    if (event.op == Op::kLost) calls_.complete = false;
    if (event.client <= kReferee || event.task != TaskKind::kSession || !HasKey(event.op)) return;
    if (IsCall(event.op) && event.type == EventType::kInvoke) Open(event);
    if (IsCall(event.op) && event.type != EventType::kInvoke) Answer(event);
    last_ns_[SessionOf(event)] = event.at_ns;
  }

  Calls Finish() && {
    std::ranges::stable_sort(calls_.all, {}, &Call::from_ns);  // but for those without invocation
    return std::move(calls_);
  }

 private:
  using Where = std::tuple<SessionId, Op, uint16_t>;

  Call& Push(const Event& event, int64_t from_ns) {
    const auto& entered = entered_[{SessionOf(event), event.key}];
    calls_.all.push_back({.op = event.op,
                          .session = SessionOf(event),
                          .key = event.key,
                          .hold = event.hold,
                          .from_ns = from_ns,
                          .to_ns = kForeverNs,
                          .again = event.op == Op::kAcquire && !entered.empty(),
                          .waits = open_.contains({SessionOf(event), Op::kWait, event.key})});
    return calls_.all.back();
  }

  void Open(const Event& event) {
    open_[{SessionOf(event), event.op, event.key}] = calls_.all.size();
    Push(event, event.at_ns).asked = event.value;
    if (event.op == Op::kRelease) entered_[{SessionOf(event), event.key}].erase(event.hold);
  }

  void Answer(const Event& event) {
    const auto open = open_.find({SessionOf(event), event.op, event.key});
    Call& call =
        open == open_.end() ? Push(event, last_ns_[SessionOf(event)]) : calls_.all[open->second];
    if (open != open_.end()) open_.erase(open);
    if (event.hold != 0) call.hold = event.hold;
    call.to_ns = event.at_ns;
    call.outcome = event.type;
    call.answer = event.value;
    if (event.op == Op::kAcquire && call.Ok()) {
      entered_[{SessionOf(event), event.key}].insert(event.hold);
    }
    if (event.op == Op::kRelease) entered_[{SessionOf(event), event.key}].erase(event.hold);
  }

  Calls calls_;
  std::map<Where, size_t> open_;                                          // into Calls::all
  std::map<std::pair<SessionId, uint16_t>, std::set<uint64_t>> entered_;  // not released since
  std::map<SessionId, int64_t> last_ns_;
};

}  // namespace

std::vector<const Call*> Calls::Of(Op op, uint16_t key) const {
  std::vector<const Call*> found;
  for (const Call& call : all) {
    if (call.op == op && call.key == key) found.push_back(&call);
  }
  return found;
}

Calls ExtractCalls(const History& history) {
  Extraction extraction;
  for (const Event& event : history.events) extraction.Take(event);
  return std::move(extraction).Finish();
}

}  // namespace doublehold
