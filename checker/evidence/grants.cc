#include "checker/evidence/grants.h"

#include <algorithm>

namespace doublehold {

Grants::Grants(const std::vector<const Call*>& granted)
    : by_answer_(granted), by_invocation_(granted) {
  std::ranges::stable_sort(by_answer_, {}, &Call::to_ns);
  const Call* last = nullptr;
  for (const Call* call : by_answer_) {
    if (last == nullptr || last->from_ns < call->from_ns) last = call;
    last_.push_back(last);
  }
  std::ranges::stable_sort(by_invocation_, {}, &Call::from_ns);
  first_ = by_invocation_;
  for (size_t i = first_.size(); i-- > 1;) {
    if (first_[i]->to_ns < first_[i - 1]->to_ns) first_[i - 1] = first_[i];
  }
}

const Call* Grants::LastBefore(int64_t at_ns) const {
  const auto after = std::ranges::lower_bound(by_answer_, at_ns, {}, &Call::to_ns);
  return after == by_answer_.begin() ? nullptr
                                     : last_[static_cast<size_t>(after - by_answer_.begin()) - 1];
}

const Call* Grants::FirstAfter(int64_t since_ns) const {
  const auto after = std::ranges::upper_bound(by_invocation_, since_ns, {}, &Call::from_ns);
  return after == by_invocation_.end()
             ? nullptr
             : first_[static_cast<size_t>(after - by_invocation_.begin())];
}

bool Grants::WasFollowed(const Call& grant, int64_t at_ns) const {
  const Call* last = LastBefore(at_ns);
  return last != nullptr && Before(grant.to_ns, last->from_ns);
}

std::map<uint16_t, KeyGrants> GroupByKey(const std::vector<const Call*>& granted) {
  std::map<uint16_t, std::pair<std::vector<const Call*>, std::vector<const Call*>>> of_key;
  for (const Call* call : granted) {
    auto& [any, exclusive] = of_key[call->key];
    any.push_back(call);
    if (call->answer[2] == 0) exclusive.push_back(call);
  }
  std::map<uint16_t, KeyGrants> found;
  for (const auto& [key, grants] : of_key)
    found.emplace(key, KeyGrants{Grants(grants.first), Grants(grants.second)});
  return found;
}

std::map<uint16_t, KeyGrants> FindGrants(const Calls& calls) {
  std::vector<const Call*> granted;
  for (const Call& call : calls.all) {
    if (call.op == Op::kAcquire && call.Ok() && !call.again) granted.push_back(&call);
  }
  std::map<uint16_t, KeyGrants> found = GroupByKey(granted);
  for (const Call& call : calls.all) found.try_emplace(call.key);
  return found;
}

}  // namespace doublehold
