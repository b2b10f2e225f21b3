#include "checker/evidence/entry_log.h"

#include <algorithm>

namespace doublehold {

EntryLog::EntryLog(const Evidence& evidence) : holds_(evidence.holds()) {
  std::set<uint64_t> left;
  for (const Event& event : evidence.history().events) {
    if (event.op == Op::kLeave) left.insert(event.hold);
  }
  if (left.empty()) return;
  for (const Call& call : evidence.calls().all) {
    if (call.op == Op::kAcquire && call.Ok() && left.contains(call.hold))
      left_[call.hold] = evidence.lease_ends().LatestNs(call);
  }
}

const EntryLog::Entries& EntryLog::Add(const Call& call) {
  Entries& own = of_session_[{call.session, call.key}];
  if (own.added != nullptr && own.added->outcome == EventType::kInfo) {
    own.unanswered = own.added;
    if (own.added->op == Op::kAcquire)
      own.may_get = own.added;
    else if (holds_.Find(own.added->hold) != nullptr)
      own.may_be_inside = own.added;
  }
  own.added = &call;
  if (call.op == Op::kRelease) own.held.erase(call.hold);
  if (call.op != Op::kAcquire || !call.Ok()) return own;
  const size_t over = std::erase_if(own.held, [&](uint64_t hold) {
    const auto end = left_.find(hold);
    return end != left_.end() && Before(end->second, call.from_ns);
  });
  own.has_left = own.has_left || over > 0;
  own.entered_again = !own.held.empty();
  own.granted = &call;
  own.held.insert(call.hold);
  return own;
}

bool EntryLog::HasLeftAll(const Entries& entries) const {
  return std::ranges::all_of(entries.held, [this](uint64_t hold) { return left_.contains(hold); });
}

}  // namespace doublehold
